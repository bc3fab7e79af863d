package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every experiment, very small. Says that they work, nothing about speed. */
class SmokeTest {
    private static final Map<String, List<Row>> RESULTS = new HashMap<>();
    @TempDir
    Path logs;

    static List<String> names() {
        return Experiments.all().stream().map(Experiment::name).toList();
    }

    @AfterEach
    void restoreTheDefaultStrategy() {
        ActorSystem.setDefaultStrategy(CreationStrategy.fibers());
    }

    @ParameterizedTest
    @MethodSource("names")
    void anExperimentHasAResultForEachOfItsSubjects(String name) throws Exception {
        var rows = run(name);

        assertThat(rows).isNotEmpty().allSatisfy(row -> {
            assertThat(row.samples().values()).isNotEmpty().allSatisfy(
                    value -> assertThat(value).isFinite().isPositive());
        });
        assertThat(rows).extracting(row -> row.subject() + row.unit()).doesNotHaveDuplicates();
    }

    @Test
    void anIdleActorTakesTensOfBytesAndAThreadThousands() throws Exception {
        var bytes = medians("idle-bytes");

        assertThat(bytes.get(IdleActor.SINK.subject)).isBetween(24.0, 100.0);
        assertThat(bytes.get(IdleActor.USED.subject)).isBetween(24.0, 100.0);
        assertThat(bytes.get(IdleActor.BY_HAND.subject)).isBetween(500.0, 5_000.0);
    }

    @Test
    void allOfManyActorsAreAliveAndAnswer() throws Exception {
        var results = medians("hundred-million");

        assertThat(results).containsEntry("alive in 256m, Fibry, fibers", 0.02)
                .containsEntry("asked, all of which answered, Fibry, fibers", 5_000.0);
        assertThat(results.get("each of them, Fibry, fibers")).isBetween(24.0, 100.0);
    }

    /** Each runs once, whoever wants its results first. */
    private List<Row> run(String name) throws Exception {
        var before = RESULTS.get(name);
        if (before != null) {
            return before;
        }
        var report = new Report(Machine.here(), new PrintStream(OutputStream.nullOutputStream()));
        var settings = new Settings(Size.SMOKE, OptionalLong.empty(), logs);
        Experiments.find(name).orElseThrow().run(settings, report);
        RESULTS.put(name, report.rows());
        return report.rows();
    }

    private Map<String, Double> medians(String name) throws Exception {
        return run(name).stream().collect(Collectors.toMap(Row::subject, row -> row.samples().median()));
    }
}
