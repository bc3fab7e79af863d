package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.testing.SeededScheduler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scenarios find each mistake of {@link Mutants}; two are tried at a time. {@code -Dfibry.mutants} tries only those of one scenario, or with
 * that in their names.
 */
class MutantsTest {
    private static final Map<Mutant, Future<String>> RUNS = new LinkedHashMap<>();
    private static final ExecutorService TWO = Executors.newFixedThreadPool(2);

    private static Future<String> engine;

    @BeforeAll
    static void startAll() {
        assumeTrue(SeededScheduler.isAvailable(), "this JDK does not let tests carry virtual threads");
        assumeTrue(MutantRun.isPossible(), "this is a runtime without a compiler");
        engine = TWO.submit(() -> MutantRun.ofTheEngineItself(150));
        mutants().forEach(mutant -> RUNS.put(mutant, TWO.submit(() -> MutantRun.of(mutant))));
    }

    @AfterAll
    static void stopAll() {
        TWO.shutdownNow();
    }

    static List<Mutant> mutants() {
        var only = System.getProperty("fibry.mutants", "");
        return Mutants.ALL.stream()
                .filter(mutant -> mutant.scenarios().contains(only) || mutant.name().contains(only)).toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFound(Mutant mutant) throws Exception {
        assertThat(RUNS.get(mutant).get()).startsWith("FAILED");
    }

    @Test
    void theEngineItselfPasses() throws Exception {
        assertThat(engine.get()).isEqualTo("PASSED");
    }
}
