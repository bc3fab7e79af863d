package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.report.JsonFile;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Sample;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    @TempDir
    Path folder;

    private int run(String... args) {
        return new Main(new PrintStream(out), new PrintStream(err)).run(List.of(args));
    }

    @Test
    void withoutArgumentsItSaysHowItIsUsed() {
        assertThat(run()).isZero();
        assertThat(out.toString()).contains("usage:", "--list", "--quick", "--count", "--out",
                "--compare", "--render").contains(Experiments.all().stream().map(Experiment::name).toList());
    }

    @Test
    void theListHasEveryExperimentWithWhatItMeasures() {
        assertThat(run("--list")).isZero();
        assertThat(out.toString().lines()).hasSameSizeAs(Experiments.all());
        assertThat(Experiments.all()).allSatisfy(
                each -> assertThat(out.toString()).contains(each.name()).contains(each.what()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "flod;               there is no experiment 'flod', there are: all, create,",
        "--fast;             there is no option '--fast', there are: --list,",
        "--quick;            no experiment is named: 'all' runs every one",
        "flood --count;      --count wants a number after it",
        "flood --out --quick; --out wants a folder after it",
        "--compare a.json;   --compare wants two files of results after it",
        "--compare a.json b.json flood; --list, --compare and --render measure nothing",
        "--compare none.json b.json; there is no file none.json",
        "--render none.json; there is no file none.json",
        "flood --count many; --count wants a number from 1 to 1000000000, not 'many'",
        "flood --count 0;    --count wants a number from 1",
        "flood --rounds 0;   --rounds wants a number from 1",
        "flood --processors all; --processors wants a number from 1",
        "flood --processors 1000000; --processors ",
        "flood --count 9999999999999; --count wants a number from 1"})
    void aBadArgumentIsNamedAndNothingRuns(String args, String message) {
        assertThat(run(args.split(" "))).isEqualTo(2);
        assertThat(err.toString()).startsWith(message).contains("--help says more").doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void resultsAreShownAndWrittenAndCanBeReadAgain() throws Exception {
        assertThat(run("sleepers", "--smoke", "--count", "1_00", "--out", folder + "/new")).isZero();

        assertThat(out.toString()).contains("cores: ", "max heap MiB: ", "a line there and back: ",
                "1 of 1, sleepers: ",
                "Smoke figures",
                "round 1 of 1, 1 of ", "bare virtual threads");
        var results = JsonFile.read(folder.resolve("new/results.json"));
        assertThat(results.size()).isEqualTo("smoke");
        assertThat(results.command()).startsWith("fibry-bench sleepers --smoke");
        assertThat(results.sections()).singleElement().satisfies(
                section -> assertThat(section.rows()).extracting(Row::peer).contains(Peers.FIBERS));
        assertThat(folder.resolve("new")).isDirectoryContaining("glob:**index.html")
                .isDirectoryContaining("glob:**summary.svg").isDirectoryContaining("glob:**results.txt")
                .isDirectoryContaining("glob:**results.md");
    }

    @Test
    void twoRunsAreComparedAndAWorseOneMakesItFail() throws Exception {
        var before = Files.writeString(folder.resolve("a.json"), JsonFile.asText(
                Sample.results(Sample.section("ask", Sample.row("a", 10, 11, 12)))));
        var after = Files.writeString(folder.resolve("b.json"), JsonFile.asText(
                Sample.results(Sample.section("ask", Sample.row("a", 20, 22, 24)))));

        assertThat(run("--compare", before.toString(), after.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("x 2.00 (1.67 to 2.40)  WORSE");
        assertThat(run("--compare", after.toString(), before.toString())).isZero();
    }

    @Test
    void aPageIsMadeOfOldResults() throws Exception {
        var results = Files.writeString(folder.resolve("a.json"), JsonFile.asText(
                Sample.results(Sample.section("ask", Sample.row("a", 10)))));

        assertThat(run("--render", results.toString(), "--out", folder + "/page")).isZero();
        assertThat(folder.resolve("page/index.html")).content().contains("<section id=\"ask\"");
    }

    @Test
    void anExperimentThatFailsIsNamedAndMakesTheRunFail() throws Exception {
        var tooMany = "1_000_000_000";

        assertThat(run("hundred-million", "--smoke", "--count", tooMany, "--out", folder.toString()))
                .isEqualTo(1);

        assertThat(err.toString()).contains("hundred-million failed: ", "the child JVM ended with 3");
        assertThat(out.toString()).contains("OutOfMemoryError");
        assertThat(JsonFile.read(folder.resolve("results.json")).isComplete()).isFalse();
    }
}
