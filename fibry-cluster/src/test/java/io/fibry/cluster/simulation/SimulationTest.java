package io.fibry.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.home.Fate;
import io.fibry.testing.Promise;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clusters of three to six nodes under all that may go wrong, by seeds: {@code -Dfibry.seeds=100000} plays more, {@code
 * -Dfibry.scenario=kills -Dfibry.seed=7} one of them.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("fibry.seeds", 1_000);

    static List<String> scenarios() {
        var only = System.getProperty("fibry.scenario");
        return Scenarios.ALL.keySet().stream().filter(name -> only == null || name.equals(only)).toList();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    @Promise({"77.1", "77.2", "77.3", "77.4", "77.5", "78.1", "78.2", "78.3", "78.4", "81.1", "81.2", "81.4",
        "81.5"})
    void nothingGoesWrong(String scenario) {
        var only = Long.getLong("fibry.seed");
        var seeds = only == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(only);
        seeds.forEach(seed -> assertThat(Simulation.run(seed, scenario))
                .as("-Dfibry.scenario=%s -Dfibry.seed=%d", scenario, seed).isEmpty());
    }

    /** Without this, the checkers could be blind. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"HANDLES_TWICE|calm|handled twice",
        "LOSES|calm|taken and not handled",
        "OVERTAKES|calm|handled after number", "DRAINS_EARLY|calm|two actors of key",
        "FORGETS_UNCERTAIN|kills|fates do not add up", "FORGETS_WRITES|calm|one value for two asks",
        "ANSWERS_TWICE|calm|answered twice"})
    void eachCheckerFindsAMistakeThatIsPlanted(Bug bug, String scenario, String fault) {
        var found = LongStream.rangeClosed(1, 50)
                .mapToObj(seed -> Simulation.run(seed, Scenarios.named(scenario), bug)).flatMap(List::stream);
        assertThat(found).anyMatch(text -> text.startsWith(fault));
    }

    @Test
    void aSeedAlwaysGivesTheSameRun() {
        var options = Scenarios.named("everything");
        assertThat(Simulation.played(5, options, Bug.NONE).world.operations)
                .hasToString(Simulation.played(5, options, Bug.NONE).world.operations.toString());
    }

    /** Without this, the scenarios could be so harmless that nothing can go wrong. */
    @Test
    void theFaultsMatter() {
        var uncertain = 0;
        var repeated = 0;
        var notServed = 0;
        var operations = 0;
        for (long seed = 1; seed <= 50; seed++) {
            for (var operation : Simulation.played(seed, Scenarios.named("everything"),
                    Bug.NONE).world.operations) {
                operations++;
                uncertain += operation.fates.stream().anyMatch(Fate.Uncertain.class::isInstance) ? 1 : 0;
                notServed += operation.fates.stream().anyMatch(Fate.NotServed.class::isInstance) ? 1 : 0;
            }
        }
        for (long seed = 1; seed <= 50; seed++) {
            for (var operation : Simulation.played(seed, Scenarios.named("repeatsInBadNetwork"),
                    Bug.NONE).world.operations) {
                repeated += operation.handled > 1 ? 1 : 0;
            }
        }
        assertThat(repeated).isGreaterThan(50);
        assertThat(operations).isGreaterThan(10_000);
        assertThat(uncertain).isBetween(operations / 50, operations / 2);
        assertThat(notServed).isBetween(operations / 100, operations / 2);
    }
}
