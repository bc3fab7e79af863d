package io.fibry.cluster.trial;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What nodes have tried to change, and what became of each change. Each value has a name of its own and is made from the one before, so the newest
 * value of an entry leads back through all changes that were ever effective: an acknowledged change is among them, once, and a refused one is
 * not. All processes have one clock.
 */
public final class ChangeHistory {
    /** What an entry has before the first change. */
    private static final String NOTHING = "-";

    private final Map<String, Change> changes = new LinkedHashMap<>();

    /** What was tried. */
    public static final class Change {
        public final String key;
        public final String expected;
        public final String node;
        public final long begin;
        public String outcome = "UNKNOWN";
        public long end = Long.MAX_VALUE;

        private Change(String key, String expected, String node, long begin) {
            this.key = key;
            this.expected = expected;
            this.node = node;
            this.begin = begin;
        }

        public boolean isDone() {
            return outcome.equals("DONE");
        }
    }

    /** Takes a line of the log of a node: {@code B}, the entry, the value before, the value and the time, or {@code E}, the value, the outcome and the time. */
    public void read(String line) {
        var words = line.split(" ");
        if (words[0].equals("B")) {
            var node = words[3].substring(words[3].indexOf('/') + 1, words[3].indexOf('-'));
            changes.put(words[3], new Change(words[1], words[2], node, Long.parseLong(words[4])));
        } else {
            var change = changes.get(words[1]);
            change.outcome = words[2];
            change.end = Long.parseLong(words[3]);
        }
    }

    public Collection<Change> changes() {
        return changes.values();
    }

    /** Returns how many changes have which outcome. */
    public Map<String, Integer> outcomes() {
        var counts = new TreeMap<String, Integer>();
        changes.values().forEach(each -> counts.merge(each.outcome, 1, Integer::sum));
        return counts;
    }

    /** Returns the changes that nodes have acknowledged while they were cut off, and should not have. */
    public List<String> acknowledgedBy(Set<String> cutOff, long begin, long end) {
        var found = new ArrayList<String>();
        changes.forEach((value, change) -> {
            if (cutOff.contains(change.node) && change.begin > begin && change.end < end && change.isDone()) {
                found.add("a minority acknowledged " + value + " of " + change.key);
            }
        });
        return found;
    }

    /**
     * Returns what must not be, if these are the entries when no change is underway.
     *
     * @param entries each entry, an equals sign and its value, separated by commas
     */
    public List<String> faults(String entries) {
        var faults = new ArrayList<String>();
        var effective = new HashSet<String>();
        for (var entry : entries.isEmpty() ? new String[0] : entries.split(",")) {
            follow(entry, effective, faults);
        }
        var lost = changes.entrySet().stream()
                .filter(each -> each.getValue().isDone() && !effective.contains(each.getKey()))
                .map(each -> each.getValue().key + " " + each.getKey() + " of " + each.getValue().node)
                .toList();
        if (!lost.isEmpty()) {
            faults.add(lost.size() + " acknowledged changes were lost: "
                    + lost.subList(0, Math.min(20, lost.size())));
        }
        return faults;
    }

    /** Follows an entry back to its beginning. */
    private void follow(String entry, Set<String> effective, List<String> faults) {
        var equals = entry.indexOf('=');
        var key = entry.substring(0, equals);
        var value = entry.substring(equals + 1);
        var firstEnd = Long.MAX_VALUE;
        while (!value.equals(NOTHING)) {
            var change = changes.get(value);
            if (change == null) {
                faults.add("nobody wrote " + value + " of " + entry);
                return;
            }
            if (!change.key.equals(key)) {
                faults.add("was written to " + change.key + ": " + value + " of " + entry);
                return;
            }
            if (!effective.add(value)) {
                faults.add("a circle at " + value + " of " + entry);
                return;
            }
            if (change.outcome.equals("REFUSED")) {
                faults.add("was refused and took effect: " + value + " of " + entry);
            }
            // What comes later in the chain must not have ended before this one began.
            if (firstEnd < change.begin) {
                faults.add("out of order at " + value + " of " + entry);
            }
            firstEnd = Math.min(firstEnd, change.end);
            value = change.expected;
        }
    }
}
