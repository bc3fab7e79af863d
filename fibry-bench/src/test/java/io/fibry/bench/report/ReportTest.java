package io.fibry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Report report = new Report(new Machine(Map.of("cores", 2)), new PrintStream(out));

    @Test
    void aTableHasARowForEachResult() {
        report.add(new Row("ask", "fibers", "ns/ask", Samples.of(300, 100, 1234), "<= 100", "6,000"));
        report.add(new Row("ask", "threads", "ns/ask", Samples.of(1.234), "", ""));

        assertThat(report.asMarkdown().lines()).containsExactly("cores: 2", "",
                "| experiment | what | median | unit | spread | samples | must be | article |",
                "|---|---|---:|---|---|---:|---|---|",
                "| ask | fibers | 300 | ns/ask | 100 to 1,234 | 3 | <= 100 | 6,000 |",
                "| ask | threads | 1.23 | ns/ask |  | 1 |  |  |");
    }

    @Test
    void jsonHasEverySample() {
        report.add(new Row("a \"b\" \\", "x", "ms", Samples.of(2, 4), "", ""));

        assertThat(report.asJson()).isEqualTo("""
                {"cores": 2, "results": [
                {"experiment": "a \\"b\\" \\\\", "subject": "x", "unit": "ms", "median": 3.0, "low": 2.0, \
                "high": 4.0, "budget": "", "article": "", "samples": [2.0, 4.0]}
                ]}""");
    }

    @Test
    void whatIsNoResultIsRefused() {
        var samples = new Samples();

        assertThatThrownBy(() -> samples.add(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> samples.add(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
