package io.fibry.bench;

import io.fibry.bench.jmh.LongestPause;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * A benchmark of JMH with its parameters. Each measurement has a fresh JVM.
 *
 * @param benchmark the class and the method
 * @param params values of parameters
 * @param operations the parameter for the number of operations of an invocation; empty if there is none
 * @param quickly how many operations an invocation of a quick run has; 0 if as many as always
 * @param jvmArgs arguments for the JVM, in addition to those that all have
 * @param factor converts the figure of JMH to the unit of the experiment
 */
record JmhRun(String benchmark, Map<String, String> params, String operations, int quickly,
        List<String> jvmArgs, double factor) implements Measured {
    private static final List<String> HEAP = List.of("-Xms2g", "-Xmx2g");
    /** The heap is touched, since the first gigabytes would otherwise measure page faults. Too slow for a quick run. */
    private static final List<String> TOUCHED_HEAP = List.of("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch");
    private static final int SMOKE_OPERATIONS = 1_000;
    private static final double START_SECONDS = 0.7;

    static JmhRun of(Class<?> benchmark, String method) {
        return new JmhRun(benchmark.getName() + "." + method, Map.of(), "", 0, List.of(), 1);
    }

    JmhRun with(String name, Object value) {
        var more = new LinkedHashMap<>(params);
        more.put(name, value.toString());
        return new JmhRun(benchmark, more, operations, quickly, jvmArgs, factor);
    }

    JmhRun operations(String param, int inQuick) {
        return new JmhRun(benchmark, params, param, inQuick, jvmArgs, factor);
    }

    JmhRun jvmArgs(String... args) {
        return new JmhRun(benchmark, params, operations, quickly, List.of(args), factor);
    }

    /** Returns the same run with results in millions. */
    JmhRun inMillions() {
        return times(1e-6);
    }

    /** Returns the same run with results multiplied by a factor. */
    JmhRun times(double by) {
        return new JmhRun(benchmark, params, operations, quickly, jvmArgs, by);
    }

    @Override
    public void measure(Settings settings, Samples samples) throws IOException {
        // Otherwise one JMH on a machine prevents all others from running, including tests.
        System.setProperty("jmh.ignoreLock", "true");
        var log = Files.createDirectories(settings.logs()).resolve(logName());
        try {
            for (var result : new Runner(options(settings, log)).run()) {
                result.getBenchmarkResults().forEach(process -> process.getIterationResults().forEach(
                        iteration -> add(iteration, samples)));
            }
        } catch (RunnerException e) {
            throw new IOException(benchmark + " " + params + " failed, see " + log + whatItSaid(log), e);
        }
    }

    private void add(IterationResult iteration, Samples samples) {
        samples.add(iteration.getPrimaryResult().getScore() * factor);
        var pause = iteration.getSecondaryResults().get(LongestPause.LABEL);
        samples.pause(pause == null ? 0 : pause.getScore());
    }

    private String logName() {
        return Stream.concat(Stream.of(benchmark.replaceFirst(".*\\.jmh\\.", "")),
                Stream.concat(params.values().stream(), jvmArgs.stream()))
                .collect(Collectors.joining("-")).replaceAll("[^A-Za-z0-9.]+", "-") + ".log";
    }

    private static String whatItSaid(Path log) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("Error:") || line.contains("Exception:")).findFirst()
                    .map(line -> ": " + line.strip()).orElse("");
        }
    }

    private Options options(Settings settings, Path log) {
        var quick = quickRounds(settings);
        var options = new OptionsBuilder().include("^" + benchmark.replace(".", "\\.") + "$")
                .forks(settings.pick(1, 1, 0))
                .warmupIterations(settings.pick(3, 1, 0))
                .warmupTime(TimeValue.milliseconds(settings.pick(1000L, quick * 2, 1L)))
                .measurementIterations(settings.pick(5, 3, 1))
                .measurementTime(TimeValue.milliseconds(settings.pick(1000L, quick, 1L)))
                .addProfiler(LongestPause.class)
                .shouldFailOnError(true)
                .output(log.toString())
                .jvmArgsAppend(
                        Stream.concat(settings.pick(TOUCHED_HEAP, HEAP, HEAP).stream(), jvmArgs.stream())
                                .toArray(String[]::new));
        params.forEach(options::param);
        var fewer = settings.pick(0, quickly, SMOKE_OPERATIONS);
        if (fewer > 0 && !operations.isEmpty()) {
            options.param(operations, "" + fewer).operationsPerInvocation(fewer);
        }
        return options.build();
    }

    /**
     * Returns the time of a round of a quick run: the start of the JVM takes a part, and two warm-up rounds and three
     * more rounds follow.
     */
    private static long quickRounds(Settings settings) {
        var millis = settings.timeLeft().toMillis() - START_SECONDS * 1000;
        return Math.clamp((long) (millis / 5), 20, 500);
    }

    /** Returns turns with three JVMs for each line. */
    static Turns turns(Settings settings, Unit unit) {
        return new Turns(unit, 0, settings.timesEach());
    }
}
