package io.fibry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private static final Row FIBERS = new Row("in pairs", "Fibry, fibers", Unit.lower("ns/ask"),
            Samples.of(300, 100, 1234), "<= 100", new Article(6_000, "1,500 ms"), "");
    private static final Row OTHER = Sample.row("a | b", 1.234);
    @TempDir
    Path folder;

    @Test
    void theTextHasColumnsOfOneWidth() {
        assertThat(Tables.asText(Sample.results(Sample.section("ask", FIBERS, OTHER))).lines())
                .contains("ask: what it does (1:05)",
                        "  checked: what it looks at",
                        "  case      peer           median  unit    spread        n  must be          article",
                        "  in pairs  Fibry, fibers     300  ns/ask  100 to 1,234  3  <= 100 (missed)  6,000 (1,500 ms)",
                        "  in pairs  a | b            1.23  ns/ask                1");
    }

    @Test
    void markdownHasARowForEachResult() {
        assertThat(Tables.asMarkdown(Sample.results(Sample.section("ask", FIBERS, OTHER))).lines())
                .contains("### ask", "`fibry-bench all`",
                        "| case | peer | median | unit | spread | n | must be | article |",
                        "| --- | --- | ---: | --- | --- | ---: | --- | --- |",
                        "| in pairs | Fibry, fibers | 300 | ns/ask | 100 to 1,234 | 3 | <= 100 (missed) | 6,000 (1,500 ms) |",
                        "| in pairs | a \\| b | 1.23 | ns/ask |  | 1 |  |  |");
    }

    @Test
    void whatFailedAndWhatHasToBeKnownIsInText() {
        var section =
                new Section("ring", "what", "checks", 1, "lost 3", List.of("pekko was left out"), List.of());

        assertThat(Tables.asText(Sample.results(section))).contains("FAILED: lost 3", "pekko was left out");
        assertThat(Sample.results(section).isComplete()).isFalse();
        assertThat(Sample.results(Sample.section("ring")).isComplete()).isTrue();
    }

    @Test
    void roughFiguresAreCalledRough() {
        var busy = Sample.machine();
        busy.put("load", 4.1);

        assertThat(Sample.results().warnings()).isEmpty();
        assertThat(new Results("quick", "", busy, List.of()).warnings()).satisfiesExactly(
                quick -> assertThat(quick).contains("rough"),
                others -> assertThat(others).contains("load 4.1 on 8 cores"));
    }

    @Test
    void whatIsWrittenAsJsonIsReadBackTheSame() throws IOException {
        var results = Sample.results(Sample.section("a \"b\" \\ \n ü", FIBERS, OTHER));
        var file = Files.writeString(folder.resolve("r.json"), JsonFile.asText(results));

        var read = JsonFile.read(file);

        assertThat(JsonFile.asText(read)).isEqualTo(JsonFile.asText(results))
                .contains("\"median\" : 300.0", "\"samples\" : [ 300.0, 100.0, 1234.0 ]", "\"low\" : 100.0");
        assertThat(read.sections().getFirst().rows().getFirst().samples().values())
                .containsExactly(300.0, 100.0, 1234.0);
    }

    @Test
    void aFileThatHasNoResultsIsNamed() throws IOException {
        var missing = folder.resolve("none.json");
        var other = Files.writeString(folder.resolve("other.json"), "{\"name\": \"x\"}");
        var broken = Files.writeString(folder.resolve("broken.json"), "{\"size\": ");

        assertThatThrownBy(() -> JsonFile.read(missing)).hasMessage("there is no file " + missing);
        assertThatThrownBy(() -> JsonFile.read(other)).hasMessageStartingWith(
                other + " has no results of this program: ").hasMessageContaining("size");
        assertThatThrownBy(() -> JsonFile.read(broken)).hasMessageStartingWith(broken + " has no results");
    }

    @Test
    void theMedianAndItsDeviationIgnoreOneWildValue() {
        var samples = Samples.of(10, 12, 11, 1_000);

        assertThat(samples.median()).isEqualTo(11.5);
        assertThat(samples.deviation()).isEqualTo(1.0);
        assertThat(samples.low()).isEqualTo(10);
        assertThat(samples.high()).isEqualTo(1_000);
        assertThat(Samples.of(10, 20, 30).dividedBy(Samples.of(5, 4)).values()).containsExactly(2.0, 5.0);
    }

    @Test
    void whatIsNoResultIsRefused() {
        var samples = new Samples();

        assertThatThrownBy(() -> samples.add(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> samples.add(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
