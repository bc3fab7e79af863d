package io.fibry.cluster.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/** The runs that every seed plays. */
final class Scenarios {
    static final Map<String, Options> ALL = new LinkedHashMap<>();

    static {
        ALL.put("calm", Options.calm(3).moves(4));
        ALL.put("badNetwork", Options.calm(3).badNetwork().moves(4));
        ALL.put("badTables", Options.calm(3).badTables().moves(4));
        ALL.put("kills", Options.calm(4).badNetwork().kills(3));
        ALL.put("cuts", Options.calm(4).badNetwork().cuts(3));
        ALL.put("freezes", Options.calm(4).badNetwork().freezes(3));
        ALL.put("everything", Options.calm(5).badNetwork().badTables().moves(3).kills(2).cuts(2).freezes(2));
        ALL.put("repeats", Options.calm(5).badTables().moves(2).kills(4).freezes(4).withRepeats());
        ALL.put("repeatsInBadNetwork",
                Options.calm(5).badNetwork().badTables().moves(3).kills(2).cuts(1).freezes(2).withRepeats());
        ALL.put("slowMailboxes", Options.calm(4).moves(4).kills(3).freezes(2).withWaits());
        ALL.put("slowMailboxesInBadNetwork",
                Options.calm(5).badNetwork().moves(3).kills(2).cuts(2).withRepeats().withWaits());
        ALL.put("singletonInCalm", Options.calm(3).badTables().moves(5).ofSingleton());
        ALL.put("singleton",
                Options.calm(5).badNetwork().badTables().moves(3).kills(2).cuts(2).freezes(2).ofSingleton());
        ALL.put("leases", Options.calm(3).moves(1).kills(2).cuts(3).freezes(3).withLeases());
        ALL.put("leasesInBadNetwork",
                Options.calm(4).badNetwork().badTables().moves(2).kills(3).cuts(3).freezes(3).withRepeats()
                        .withLeases());
        ALL.put("leavesInBadNetwork", Options.calm(4).badNetwork().moves(6).cuts(6).withLeases());
    }

    private Scenarios() {
    }

    static Options named(String name) {
        var options = ALL.get(name);
        if (options == null) {
            throw new IllegalArgumentException(
                    "there is no scenario '" + name + "'; there are " + ALL.keySet());
        }
        return options;
    }
}
