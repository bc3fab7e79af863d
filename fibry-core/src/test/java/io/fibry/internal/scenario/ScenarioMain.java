package io.fibry.internal.scenario;

import java.util.List;

/**
 * Plays scenarios without a test framework. Arguments: the names of scenarios with commas between them, or
 * "all"; how many seeds. Exits with 1 at the first failure.
 */
public final class ScenarioMain {
    /** After so many, what a scenario is to see sometimes must have been seen. */
    private static final int ENOUGH_SEEDS = 1_000;

    private ScenarioMain() {
    }

    public static void main(String[] args) {
        var scenarios = args[0].equals("all")
                ? Scenarios.ALL
                : List.of(args[0].split(",")).stream().map(Scenarios::named).toList();
        var seeds = Integer.parseInt(args[1]);
        var seen = Scenarios.sightings();
        for (long seed = 1; seed <= seeds; seed++) {
            for (var scenario : scenarios) {
                try {
                    Scenarios.play(scenario, seed, seen);
                } catch (Throwable failure) {
                    System.out.println(
                            "FAILED " + scenario.name() + " seed " + seed + ": " + failure.getMessage());
                    System.exit(1);
                }
            }
        }
        if (seeds >= ENOUGH_SEEDS) {
            for (var scenario : scenarios) {
                for (var what : scenario.sometimes()) {
                    if (!seen.containsKey(what)) {
                        System.out.println("FAILED " + scenario.name() + ": never seen: " + what);
                        System.exit(1);
                    }
                }
            }
        }
        System.out.println("PASSED");
        System.exit(0);
    }
}
