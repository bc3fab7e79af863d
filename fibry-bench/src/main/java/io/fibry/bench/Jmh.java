package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs benchmarks of JMH. Each round has a fresh JVM for each case, one case after the other, so that what
 * disturbs the machine for a while disturbs all of them; the values of all rounds are pooled.
 *
 * @param experiment whose results these are
 * @param unit what to show them in
 * @param factor turns what JMH gives into that unit
 * @param operations the benchmark's parameter that says how many operations an invocation has
 * @param cases what to run
 */
record Jmh(String experiment, String unit, double factor, String operations, List<Case> cases) {
    private static final String HEAP = "2g";
    private static final int SMOKE_OPERATIONS = 1_000;

    /**
     * One line of the report.
     *
     * @param subject what it is called there
     * @param method the benchmark
     * @param params its parameters
     * @param budget what must be reached
     * @param article what the article says
     */
    record Case(String subject, String method, Map<String, Object> params, String budget, String article) {
        Case(String subject, String method, Map<String, Object> params) {
            this(subject, method, params, "", "");
        }
    }

    void run(Settings settings, Report report) throws RunnerException {
        // Otherwise one JMH on a machine keeps all others from running, tests included.
        System.setProperty("jmh.ignoreLock", "true");
        if (settings.size() != Size.SMOKE) {
            report.progress("each in JVMs of its own with -Xms" + HEAP + " -Xmx" + HEAP);
        }
        var rounds = settings.pick(3, 1, 1);
        var samples = new ArrayList<Samples>();
        cases.forEach(each -> samples.add(new Samples()));
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < cases.size(); i++) {
                measure(cases.get(i), settings, samples.get(i));
            }
            if (round < rounds) {
                report.progress("round " + round + " of " + rounds + " is done");
            }
        }
        for (int i = 0; i < cases.size(); i++) {
            var each = cases.get(i);
            report.add(new Row(experiment, each.subject(), unit, samples.get(i).times(factor), each.budget(),
                    each.article()));
        }
    }

    private void measure(Case each, Settings settings, Samples samples) throws RunnerException {
        for (var result : new Runner(options(each, settings)).run()) {
            for (var process : result.getBenchmarkResults()) {
                process.getIterationResults()
                        .forEach(iteration -> samples.add(iteration.getPrimaryResult().getScore()));
            }
        }
    }

    private Options options(Case each, Settings settings) {
        var options = new OptionsBuilder().include("^" + each.method().replace(".", "\\.") + "$")
                .forks(settings.pick(1, 1, 0))
                .warmupIterations(settings.pick(3, 2, 0))
                .warmupTime(TimeValue.milliseconds(settings.pick(1000, 500, 1)))
                .measurementIterations(settings.pick(5, 3, 1))
                .measurementTime(TimeValue.milliseconds(settings.pick(1000, 500, 1)))
                .shouldFailOnError(true)
                .output(settings.logs().resolve(experiment + ".log").toString())
                .jvmArgsAppend("-Xms" + HEAP, "-Xmx" + HEAP);
        each.params().forEach((name, value) -> options.param(name, value.toString()));
        if (settings.size() == Size.SMOKE) {
            options.param(operations, "" + SMOKE_OPERATIONS).operationsPerInvocation(SMOKE_OPERATIONS);
        }
        return options.build();
    }
}
