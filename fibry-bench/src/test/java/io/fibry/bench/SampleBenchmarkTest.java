package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Smoke test: the benchmark list is there and a benchmark runs to its end. Measures nothing. */
class SampleBenchmarkTest {
    @Test
    void shouldRunOnce() throws Exception {
        var options = new OptionsBuilder().include(SampleBenchmark.class.getName())
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(10))
                .shouldFailOnError(true)
                .build();

        var results = new Runner(options).run();

        assertThat(results).hasSize(1);
    }
}
