package io.fibry.internal.scenario;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Context;
import io.fibry.Actor;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;

/** Compiles mutants and plays scenarios with them, in JVMs of their own. */
final class MutantRun {
    static final int SEEDS = 10_000;
    private static final long LIMIT_SECONDS = 110; // less than JUnit has patience
    private static final Path FOLDER = Path.of("target", "mutants");

    private MutantRun() {
    }

    /** Whether there is a compiler: a mere runtime has none. */
    static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.compiler").isPresent();
    }

    /** The last line of a run with a mutant: PASSED, FAILED and why, or something else that went wrong. */
    static String of(Mutant mutant) throws Exception {
        var sources = Files.createDirectories(FOLDER.resolve(mutant.folder()).resolve("source"));
        var classes = Files.createDirectories(FOLDER.resolve(mutant.folder()).resolve("classes"));
        compile(Files.writeString(sources.resolve(mutant.file()), mutant.source()), classes);
        return play(mutant.scenarios(), SEEDS, classes.toString(), classPath());
    }

    /** As {@link #of}, without a mutant. */
    static String ofTheEngineItself(int seeds) throws Exception {
        return play("all", seeds, classPath());
    }

    private static void compile(Path source, Path classes) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var output = new StringWriter();
            var options = List.of("--release", "21", "-proc:none", "-nowarn", "-d", classes.toString(), "-cp",
                    classPath());
            if (!compiler.getTask(output, files, null, options, null, files.getJavaFileObjects(source))
                    .call()) {
                throw new AssertionError("a mutant must compile:\n" + output);
            }
        }
    }

    private static String play(String scenarios, int seeds, String... classPath) throws Exception {
        var command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dio.fibry.interleave=true",
                        "--add-opens",
                        "java.base/java.lang=ALL-UNNAMED", "-cp", String.join(File.pathSeparator, classPath),
                        ScenarioMain.class.getName(), scenarios, Integer.toString(seeds)));
        var log = Files.createTempFile(Files.createDirectories(FOLDER), "run", ".log");
        var process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return "no end within " + LIMIT_SECONDS + " s, which the scheduler should have noticed: see "
                        + log;
            }
        } finally {
            process.destroyForcibly();
        }
        var verdict = Files.readAllLines(log).stream()
                .filter(line -> line.startsWith("FAILED") || line.startsWith("PASSED")).findFirst();
        return verdict.orElse("neither passed nor failed: see " + log);
    }

    /** What the scenarios need, and nothing else of what the tests have. */
    private static String classPath() {
        return Stream.of(Actor.class, ScenarioMain.class, Logger.class, LoggerContext.class, Context.class,
                NullMarked.class).map(MutantRun::placeOf).collect(Collectors.joining(File.pathSeparator));
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
