package io.fibry.internal.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Plays scenarios without a test framework, with the engine that its class loader has. */
public final class MutantTrial {
    /** After so many seeds, what a scenario is to see sometimes must have been seen: {@link SuiteScenarios} asks for the same. */
    private static final int ENOUGH_SEEDS = 1_000;

    private MutantTrial() {
    }

    /**
     * PASSED, FAILED and why, or BROKEN and why.
     *
     * @param suiteClass the name of the class of the suite
     * @param names those of scenarios with commas between them
     * @param seeds how many are played
     * @param first this seed is played before the others; 0 for none
     */
    public static String of(String suiteClass, String names, int seeds, long first)
            throws ReflectiveOperationException {
        var suite = Suite.of(suiteClass);
        var scenarios = Arrays.stream(names.split(",")).map(suite::named).toList();
        if (first > 0) {
            var verdict = play(scenarios, LongStream.of(first));
            if (!verdict.equals("PASSED")) {
                return verdict;
            }
        }
        return play(scenarios, LongStream.rangeClosed(1, seeds));
    }

    private static String play(List<Scenario> scenarios, LongStream seeds) {
        var seen = Scenarios.sightings();
        for (var all = seeds.iterator(); all.hasNext();) {
            var seed = all.nextLong();
            for (var scenario : scenarios) {
                try {
                    Scenarios.play(scenario, seed, seen);
                } catch (Throwable failure) {
                    var isBroken = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                            .anyMatch(LinkageError.class::isInstance);
                    return (isBroken ? "BROKEN " : "FAILED ") + scenario.name() + " seed " + seed + ": "
                            + failure.getMessage();
                }
            }
            if (seed == ENOUGH_SEEDS) {
                for (var scenario : scenarios) {
                    for (var what : scenario.sometimes()) {
                        if (!seen.containsKey(what)) {
                            return "FAILED " + scenario.name() + ": never seen in " + seed + " seeds: "
                                    + what;
                        }
                    }
                }
            }
        }
        return "PASSED";
    }
}
