package io.fibry.internal.scenario;

import java.util.List;

/**
 * Plays scenarios without a test framework. Arguments: the names of scenarios with commas between them, or
 * "all"; how many seeds. Exits with 1 at the first failure.
 */
public final class ScenarioMain {
    private ScenarioMain() {
    }

    public static void main(String[] args) {
        var scenarios = args[0].equals("all")
                ? Scenarios.ALL
                : List.of(args[0].split(",")).stream().map(Scenarios::named).toList();
        var seeds = Integer.parseInt(args[1]);
        for (long seed = 1; seed <= seeds; seed++) {
            for (var scenario : scenarios) {
                try {
                    Scenarios.play(scenario, seed, Scenarios.sightings());
                } catch (Throwable failure) {
                    System.out.println(
                            "FAILED " + scenario.name() + " seed " + seed + ": " + failure.getMessage());
                    System.exit(1);
                }
            }
        }
        System.out.println("PASSED");
        System.exit(0);
    }
}
