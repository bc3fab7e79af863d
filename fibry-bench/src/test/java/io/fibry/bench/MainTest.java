package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(out.toString()).contains("usage:", "--list", "--quick", "--count", "--json");
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
        "flod;               there is no experiment 'flod'; experiments are: all, create,",
        "--fast;             there is no option '--fast'",
        "flood --count;      --count wants a value after it",
        "flood --count many; --count wants a number from 1 to 1000000000, not 'many'",
        "flood --count 0;    --count wants a number from 1",
        "flood --count 9999999999999; --count wants a number from 1"})
    void aBadArgumentIsNamedAndNothingRuns(String args, String message) {
        assertThat(run(args.split(" "))).isEqualTo(2);
        assertThat(err.toString()).startsWith(message).doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void resultsAreShownAsATableAndWrittenAsJson() throws Exception {
        var json = folder.resolve("new/results.json");

        assertThat(run("sleepers", "--smoke", "--count", "1_00", "--json", json.toString())).isZero();

        assertThat(out.toString()).contains("cores: ", "max heap MiB: ",
                "| sleepers | 100 x 1 ms, actors on fibers | ", "| sleepers | fibers / bare | ");
        assertThat(Files.readString(json)).contains("\"experiment\": \"sleepers\"", "\"samples\": [");
    }

    @Test
    void anExperimentThatFailsIsNamedAndMakesTheRunFail() {
        var tooMany = "1_000_000_000";

        assertThat(run("hundred-million", "--smoke", "--count", tooMany, "--json", folder + "/r.json"))
                .isEqualTo(1);

        assertThat(err.toString()).contains("hundred-million failed: ", "the child JVM ended with 3");
        assertThat(out.toString()).contains("OutOfMemoryError");
    }
}
