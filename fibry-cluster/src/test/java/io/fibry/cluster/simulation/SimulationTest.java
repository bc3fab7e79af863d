package io.fibry.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.home.Fate;
import io.fibry.testing.Promise;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clusters of three to six nodes under all that may go wrong, by seeds. The profile "thorough" plays ten thousand of each,
 * {@code -Dfibry.seeds=100000} still more, and {@code -Dfibry.scenario=kills -Dfibry.seed=7} one of them.
 */
class SimulationTest {
    private static int seeds(String scenario) {
        return Integer.getInteger("fibry.seeds", Boolean.getBoolean("fibry.thorough") ? 10_000
                : Scenarios.named(scenario).leases() ? 1_000 : 100);
    }

    static List<String> scenarios() {
        var only = System.getProperty("fibry.scenario");
        return Scenarios.ALL.keySet().stream().filter(name -> only == null || name.equals(only)).toList();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    @Promise({"77.1", "77.2", "77.4", "77.5", "78.1", "78.2", "78.4", "81.1", "81.4", "92.2"})
    void nothingGoesWrong(String scenario) {
        var only = Long.getLong("fibry.seed");
        var seeds = only == null ? LongStream.rangeClosed(1, seeds(scenario)) : LongStream.of(only);
        seeds.forEach(seed -> assertThat(Simulation.run(seed, scenario))
                .as("-Dfibry.scenario=%s -Dfibry.seed=%d", scenario, seed).isEmpty());
    }

    /** Without this, the checkers could be blind. */
    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aMistakeThatIsPlantedIsFound(Bug bug) {
        var missing = new HashSet<>(bug.faults);
        for (long seed = 1; seed <= 50 && !missing.isEmpty(); seed++) {
            var found = Simulation.run(seed, Scenarios.named(bug.scenario), bug);
            missing.removeIf(fault -> fault.isIn(found));
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void eachCheckerHasAMistakeThatIsPlanted() {
        assertThat(Arrays.stream(Bug.values()).flatMap(bug -> bug.faults.stream()))
                .containsOnlyOnce(Fault.values());
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
