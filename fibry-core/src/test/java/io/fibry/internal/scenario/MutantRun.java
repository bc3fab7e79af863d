package io.fibry.internal.scenario;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Context;
import io.fibry.internal.scenario.Marked.Source;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Compiles mutants and plays scenarios with them, in a JVM of its own. One thread uses it. */
final class MutantRun implements AutoCloseable {
    private static final int SEEDS = 10_000;
    private static final long LIMIT_SECONDS = 110; // less than JUnit has patience
    /** Where the mutants are that are run. Another JVM may compile all of them at the same time, elsewhere. */
    private static final Path FOLDER = Path.of("target", "mutants");

    private final Suite suite;
    private @Nullable Process worker;
    private @Nullable Path log;

    MutantRun(Suite suite) {
        this.suite = suite;
    }

    /** Whether there is a compiler: a mere runtime has none. */
    static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.compiler").isPresent();
    }

    /** As {@link #compileAll(Suite, Path)}, for runs. */
    static void compileAll(Suite suite) throws IOException {
        compileAll(suite, FOLDER);
    }

    /**
     * Finds the places of all mutants and compiles those that the suite finds into a folder, which it empties before; fails if any
     * has no place, changes nothing or does not compile.
     */
    static void compileAll(Suite suite, Path folder) throws IOException {
        var places = new LinkedHashMap<Mutant, Marked>();
        for (var each : suite.marked().entrySet()) {
            places.putAll(Markers.below(each.getKey()).placesOf(each.getValue()));
        }
        places.keySet().retainAll(suite.mutants());
        var sources = new LinkedHashMap<Mutant, Source>();
        var wrong = new ArrayList<String>();
        places.forEach((mutant, place) -> {
            try {
                sources.put(mutant, mutant.source(place));
            } catch (AssertionError doesNotFit) {
                wrong.add(doesNotFit.getMessage());
            }
        });
        if (!wrong.isEmpty()) {
            throw new AssertionError(String.join("\n", wrong));
        }
        clear(folder);
        new MutantCompiler(folder, classPath(suite)).compile(sources);
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (var old = Files.walk(folder)) {
                for (var file : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(folder);
    }

    /** The verdict on a mutant that has been compiled: PASSED, FAILED and why, or something else that went wrong. */
    String of(Mutant mutant) throws Exception {
        return verdict(FOLDER.resolve(mutant.id()).toString(), mutant.scenarios(), SEEDS, mutant.firstSeed());
    }

    /** As {@link #of}, of a scenario without a mutant. */
    String ofTheEngineItself(String scenario, int seeds) throws Exception {
        return verdict("-", scenario, seeds, 0);
    }

    private String verdict(String folder, String scenarios, int seeds, long first) throws Exception {
        var running = worker == null ? start() : worker;
        worker = running;
        var reader = running.inputReader(StandardCharsets.UTF_8);
        var writer = running.outputWriter(StandardCharsets.UTF_8);
        writer.write(
                String.join("\t", folder, scenarios, Integer.toString(seeds), Long.toString(first)) + "\n");
        writer.flush();
        var answer = answer(reader);
        if (!answer.startsWith("FAILED") && !answer.equals("PASSED")) {
            close(); // the next one begins in a new JVM
        }
        return answer;
    }

    private String answer(BufferedReader reader) throws InterruptedException {
        var line = new FutureTask<@Nullable String>(reader::readLine);
        Thread.ofVirtual().start(line);
        try {
            var answer = line.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return answer != null ? answer : "the JVM has ended: see " + log;
        } catch (TimeoutException e) {
            return "no end within " + LIMIT_SECONDS + " s, which the scheduler should have noticed: see "
                    + log;
        } catch (ExecutionException e) {
            return "no verdict can be read: " + e.getCause();
        }
    }

    private Process start() throws IOException {
        log = Files.createTempFile(Files.createDirectories(FOLDER), "run", ".log");
        return new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-ea",
                "-Dio.fibry.interleave=true",
                "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", classPath(suite),
                MutantWorker.class.getName(), suite.getClass().getName()))
                .redirectError(log.toFile()).start();
    }

    /** What the scenarios need, and nothing else of what the tests have. */
    private static String classPath(Suite suite) {
        return Stream.concat(suite.library(),
                Stream.of(MutantWorker.class, Logger.class, LoggerContext.class, Context.class,
                        NullMarked.class))
                .map(MutantRun::placeOf).collect(Collectors.joining(File.pathSeparator));
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.destroyForcibly();
            worker = null;
        }
    }
}
