package io.fibry.bench.report;

import io.fibry.bench.report.Comparison.Change;
import io.fibry.bench.report.Comparison.Verdict;
import java.util.Locale;

/** The text of a comparison for a terminal. */
public final class ComparisonText {
    private ComparisonText() {
    }

    /**
     * Returns a line for each change, the lines that only one run has, and a summary.
     *
     * @param comparison the comparison
     * @return the text
     */
    public static String of(Comparison comparison) {
        var text = new StringBuilder();
        comparison.warnings().forEach(warning -> text.append("WARNING: ").append(warning).append('\n'));
        var width =
                comparison.changes().stream().mapToInt(change -> change.subject().length()).max().orElse(1);
        comparison.changes().forEach(change -> text.append(line(change, width)));
        comparison.onlyBefore().forEach(subject -> text.append("only in the first: ").append(subject)
                .append('\n'));
        comparison.onlyAfter().forEach(subject -> text.append("only in the second: ").append(subject)
                .append('\n'));
        return text.append(sum(comparison)).toString();
    }

    private static String line(Change change, int width) {
        return ("%-" + width + "s  %10s -> %10s  x %.2f (%.2f to %.2f)  %s%n").formatted(change.subject(),
                Figures.number(change.before().samples().median()),
                Figures.number(change.after().samples().median()), change.ratio(), change.low(),
                change.high(),
                words(change.verdict()));
    }

    private static String words(Verdict verdict) {
        return switch (verdict) {
            case BETTER -> "better";
            case WORSE -> "WORSE";
            case SAME -> "same within the spread";
            case UNKNOWN -> "too few samples to say";
        };
    }

    private static String sum(Comparison comparison) {
        var text = new StringBuilder("%d compared".formatted(comparison.changes().size()));
        for (var verdict : Verdict.values()) {
            text.append(", %d %s".formatted(
                    comparison.changes().stream().filter(change -> change.verdict() == verdict).count(),
                    words(verdict).toLowerCase(Locale.ROOT)));
        }
        return text.append('\n').toString();
    }
}
