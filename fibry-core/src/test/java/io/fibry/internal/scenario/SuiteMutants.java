package io.fibry.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scenarios of a module find each mistake of its mutants; two are tried at a time. The profile "thorough" tries all of them, and the normal
 * build one of {@value #ONE_OF}. {@code -Dfibry.mutants} tries those of one scenario, or those with this in their ids: {@code -Dfibry.mutants=-}
 * all. The tests have the order in which the runs are started, so that none waits for more
 * than its own.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SuiteMutants {
    private static final int SEEDS_WITHOUT_A_MUTANT = 40;
    private static final int ONE_OF = 40;

    private final Suite suite;
    private final Map<String, Future<String>> unchanged = new LinkedHashMap<>();
    private final Map<Mutant, Future<String>> runs = new LinkedHashMap<>();
    private final BlockingQueue<MutantRun> free;
    private final ExecutorService two = Executors.newFixedThreadPool(2);

    SuiteMutants(Suite suite) {
        this.suite = suite;
        free = new LinkedBlockingQueue<>(List.of(new MutantRun(suite), new MutantRun(suite)));
    }

    private interface Trial {
        String with(MutantRun run) throws Exception;
    }

    @BeforeAll
    void startAll() throws Exception {
        assumeTrue(SeededScheduler.isAvailable(), "this JDK does not let tests carry virtual threads");
        assumeTrue(MutantRun.isPossible(), "this is a runtime without a compiler");
        MutantRun.compileAll(suite);
        scenarios().forEach(scenario -> unchanged.put(scenario,
                start(run -> run.ofTheEngineItself(scenario, SEEDS_WITHOUT_A_MUTANT))));
        mutants().forEach(mutant -> runs.put(mutant, start(run -> run.of(mutant))));
    }

    private Future<String> start(Trial trial) {
        return two.submit(() -> {
            var run = free.take();
            try {
                return trial.with(run);
            } finally {
                free.add(run);
            }
        });
    }

    @AfterAll
    void stopAll() throws InterruptedException {
        two.shutdownNow();
        for (var left = 2; left > 0; left--) {
            free.take().close();
        }
    }

    List<Mutant> mutants() {
        var only = System.getProperty("fibry.mutants");
        var all = suite.mutants();
        if (only == null) {
            return Boolean.getBoolean("fibry.thorough") ? all : someOf(all);
        }
        return all.stream()
                .filter(mutant -> mutant.scenarios().contains(only) || mutant.id().contains(only)).toList();
    }

    /** One of {@value #ONE_OF} mutants. */
    private static List<Mutant> someOf(List<Mutant> all) {
        return IntStream.range(0, all.size()).filter(number -> number % ONE_OF == 0).mapToObj(all::get)
                .toList();
    }

    @Order(2)
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFound(Mutant mutant, TestReporter reporter) throws Exception {
        var verdict = runs.get(mutant).get();
        assertThat(verdict).startsWith("FAILED");
        if (mutant.firstSeed() > 0 && !verdict.contains(" seed " + mutant.firstSeed() + ":")) {
            reporter.publishEntry(mutant.id(),
                    "seed " + mutant.firstSeed() + " finds it no more: record this one: " + verdict);
        }
    }

    /** Those that are to find a mutant. */
    List<String> scenarios() {
        return mutants().stream().flatMap(mutant -> Stream.of(mutant.scenarios().split(","))).distinct()
                .toList();
    }

    /** Without this, a mutant could be found by a mistake of the worker that runs it. */
    @Order(1)
    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void theEngineItselfPasses(String scenario) throws Exception {
        assertThat(unchanged.get(scenario).get()).isEqualTo("PASSED");
    }
}
