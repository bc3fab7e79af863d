package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final Unit UNIT = Unit.lower("ms");
    private final List<String> measured = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Report report = new Report(new Machine(Map.of()), new PrintStream(out));

    private static Settings settings(Size size) {
        return new Settings(size, OptionalLong.empty(), Path.of("."));
    }

    private Line line(String peer, double... values) {
        var next = new int[1];
        return Line.of("", peer, (settings, samples) -> {
            measured.add(peer);
            samples.add(values[next[0]++ % values.length]);
        });
    }

    @Test
    void whoIsFirstChangesAndWarmUpsDoNotCount() throws Exception {
        new Turns(UNIT, 1, 2).run(List.of(line("a", 9, 1, 2), line("b", 8, 3, 4)), settings(Size.FULL),
                report);

        assertThat(measured).containsExactly("b", "a", "a", "b", "b", "a");
        assertThat(report.rows()).extracting(row -> row.samples().values())
                .containsExactly(List.of(1.0, 2.0), List.of(3.0, 4.0));
        assertThat(out.toString()).contains("warm-up, 1 of 2: b: 8.00 ms",
                "round 2 of 2, 2 of 2: a: 2.00 ms");
    }

    @Test
    void aQuickRunMeasuresEachOfItsLinesAtLeastOnceAndSaysWhatItLeavesOut() throws Exception {
        var noTime = settings(Size.QUICK).startingNow(Duration.ZERO);

        new Turns(UNIT, 1, 2).run(List.of(line("a", 1), line("b", 1).notQuick(), line("c", 1)), noTime,
                report);

        assertThat(measured).containsExactly("a", "c");
        assertThat(report.rows()).hasSize(2);
        assertThat(report.notes()).containsExactly("a quick run leaves out 1 of 3 lines");
    }

    @Test
    void aFullRunTakesTheTimeItNeeds() throws Exception {
        var settings = settings(Size.FULL).startingNow(Duration.ZERO);

        new Turns(UNIT, 0, 1).run(List.of(line("a", 1), line("b", 1).notQuick()), settings, report);

        assertThat(report.rows()).hasSize(2);
        assertThat(report.notes()).isEmpty();
    }

    @Test
    void whatIsNotInstalledIsNamedOnce() throws Exception {
        var missing = new Measured() {
            @Override
            public void measure(Settings settings, Samples samples) {
                throw new AssertionError("it is not there");
            }

            @Override
            public Optional<String> missing() {
                return Optional.of("go is not installed");
            }
        };

        new Turns(UNIT, 0, 1).run(
                List.of(Line.of("1", "go", missing), line("a", 1), Line.of("2", "go", missing)),
                settings(Size.FULL), report);

        assertThat(report.notes()).containsExactly("go is not installed");
        assertThat(report.rows()).extracting(Row::peer).containsExactly("a");
    }

    @Test
    void aRatioIsThatOfNeighbours() throws Exception {
        var ours = line("ours", 1, 4);
        var theirs = line("theirs", 2, 2);

        var rows = new Turns(UNIT, 0, 2).run(List.of(ours, theirs), settings(Size.FULL), report);
        Turns.ratio(rows, ours, theirs, "<= 1.2", report);
        Turns.ratio(Map.of(), ours, theirs, "<= 1.2", report);

        assertThat(report.rows()).hasSize(3);
        var ratio = report.rows().getLast();
        assertThat(ratio.subject()).isEqualTo("ours / theirs");
        assertThat(ratio.samples().values()).containsExactly(0.5, 2.0);
        assertThat(ratio.isAsItMust()).isFalse();
    }

    @Test
    void aLongPauseOfTheCollectorIsInTheLine() throws Exception {
        var long51 = Line.of("", "long", (settings, samples) -> {
            samples.add(1);
            samples.pause(51);
        });
        var short50 = Line.of("", "short", (settings, samples) -> {
            samples.add(1);
            samples.pause(50);
        });

        new Turns(UNIT, 0, 2).run(List.of(long51, short50), settings(Size.FULL), report);

        assertThat(report.rows()).extracting(Row::spread)
                .containsExactly("1.00 to 1.00; the collector stopped it for 51.0 ms", "1.00 to 1.00");
    }

    @Test
    void aRatioIsOfPeersOfTheSameCase() throws Exception {
        var rows = new Turns(UNIT, 0, 1).run(List.of(line("ours", 1), line("theirs", 2),
                Line.of("another case", "theirs", (settings, samples) -> samples.add(9))),
                settings(Size.FULL),
                report);
        Turns.ratio(rows, "", "ours", "theirs", "<= 1", report);
        Turns.ratio(rows, "", "ours", "nobody", "<= 1", report);

        assertThat(report.rows()).hasSize(4);
        assertThat(report.rows().getLast().samples().values()).containsExactly(0.5);
    }

    @Test
    void allQuickExperimentsTogetherHaveLessThanFourMinutes() {
        assertThat(
                Experiments.all().stream().map(Experiment::quickTime).reduce(Duration.ZERO, Duration::plus))
                .isLessThanOrEqualTo(Duration.ofSeconds(225));
    }
}
