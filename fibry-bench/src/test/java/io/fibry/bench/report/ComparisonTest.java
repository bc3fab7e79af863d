package io.fibry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.report.Comparison.Change;
import io.fibry.bench.report.Comparison.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {
    private static Results of(Row... rows) {
        return Sample.results(Sample.section("ask", rows));
    }

    private static double[] around(double median) {
        return new double[]{median * 0.9, median, median * 1.1};
    }

    @Test
    void ratiosHaveTheirSpread() {
        var changes = Comparison.of(of(Sample.row("a", 90, 100, 120)), of(Sample.row("a", 180, 200, 210)))
                .changes();

        assertThat(changes).singleElement().satisfies(change -> {
            assertThat(change.subject()).isEqualTo("ask: in pairs, a [ns/ask]");
            assertThat(change.ratio()).isEqualTo(2.0);
            assertThat(change.low()).isEqualTo(1.5);
            assertThat(change.high()).isEqualTo(210.0 / 90);
        });
    }

    @ParameterizedTest
    @CsvSource({"LOWER, 100, 200, WORSE", "LOWER, 200, 100, BETTER", "HIGHER, 100, 200, BETTER",
        "HIGHER, 200, 100, WORSE", "LOWER, 100, 115, SAME", "HIGHER, 100, 100, SAME"})
    void theVerdictDependsOnWhatIsBetter(Unit.Better better, double before, double after, Verdict verdict) {
        var unit = new Unit("x", better);

        assertThat(new Change("s", new Row("", "a", unit, Samples.of(around(before))),
                new Row("", "a", unit, Samples.of(around(after)))).verdict()).isEqualTo(verdict);
    }

    @Test
    void steadySamplesThatHardlyDifferAreTheSame() {
        assertThat(new Change("s", Sample.row("a", 100, 100, 100), Sample.row("a", 105, 105, 105)).verdict())
                .isEqualTo(Verdict.SAME);
    }

    @Test
    void ofTooFewSamplesNothingIsSaid() {
        var comparison = Comparison.of(of(Sample.row("a", 100)), of(Sample.row("a", 900)));

        assertThat(comparison.changes().getFirst().verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(comparison.isWorse()).isFalse();
    }

    @Test
    void theTextNamesWhatIsWorseWhatIsMissingAndOtherMachines() {
        var machine = Sample.machine();
        machine.put("cores", 2);
        var before = of(Sample.row("a", around(100)), Sample.row("gone", 1));
        var after = new Results("quick", "", machine,
                List.of(Sample.section("ask", Sample.row("a", around(300)), Sample.row("new", 1))));

        var comparison = Comparison.of(before, after);

        assertThat(comparison.isWorse()).isTrue();
        assertThat(ComparisonText.of(comparison).lines()).containsExactly(
                "WARNING: one is a full run, the other a quick run",
                "WARNING: not the same cores: 8, then 2",
                "ask: in pairs, a [ns/ask]         100 ->        300  x 3.00 (2.45 to 3.67)  WORSE",
                "only in the first: ask: in pairs, gone [ns/ask]",
                "only in the second: ask: in pairs, new [ns/ask]",
                "1 compared, 0 better, 1 worse, 0 same within the spread, 0 too few samples to say");
    }
}
