package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.testing.Seeds;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays each scenario of a module with {@value #FEW} seeds, and the profile "thorough" with those of the suite. {@code -Dfibry.scenario}
 * plays only one of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SuiteScenarios {
    /** With so many seeds, all that a scenario is about happens in some schedule. */
    static final int MANY = 1_000;

    private static final int FEW = 50;

    /** So many schedules are played again, to see that they are the same. */
    private static final int AGAIN = 20;

    /** The scopes inside a scope, and the open replies of an actor that ends, are in no particular order. */
    private static final Set<String> UNORDERED = Set.of("scope-close", "pool-cycles");

    private final Suite suite;

    SuiteScenarios(Suite suite) {
        this.suite = suite;
    }

    List<String> scenarios() {
        var only = System.getProperty("fibry.scenario");
        return suite.scenarios().stream().map(Scenario::name)
                .filter(name -> only == null || name.equals(only))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void holdsInEverySchedule(String name) {
        assumeTrue(SeededScheduler.isAvailable(), "this JDK does not let tests carry virtual threads");
        var scenario = suite.named(name);
        var seen = Scenarios.sightings();
        var seeds = Boolean.getBoolean("fibry.thorough") ? suite.seeds() : FEW;
        Seeds.playAll("-Dtest=" + getClass().getSimpleName() + " -Dfibry.scenario=" + name, seeds,
                seed -> Scenarios.play(scenario, seed, seen));
        for (long seed = 1; seed <= AGAIN && !UNORDERED.contains(name); seed++) {
            assertThat(Scenarios.play(scenario, seed, seen)).isEqualTo(Scenarios.play(scenario, seed, seen));
        }
        if (Seeds.count(seeds) >= MANY) {
            assertThat(seen).as("what must happen in some schedules, else they prove nothing")
                    .containsKeys(scenario.sometimes().toArray(String[]::new));
        }
    }
}
