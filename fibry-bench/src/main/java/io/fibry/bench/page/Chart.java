package io.fibry.bench.page;

import static io.fibry.bench.page.Markup.at;
import static io.fibry.bench.page.Markup.escape;
import static io.fibry.bench.page.Markup.fill;

import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Row;
import java.util.List;
import java.util.stream.Collectors;

/** Bars for rows of one unit: the median, a whisker from the smallest to the largest sample. */
final class Chart {
    private static final int WIDTH = 760;
    private static final int LEFT = 262;
    private static final int RIGHT = 672;
    private static final int BAR = 14;
    private static final int STEP = 24;
    private static final int HEADING = 30;

    private final List<Row> rows;
    private final Scale scale;
    private final StringBuilder bars = new StringBuilder();
    private int y = 6;

    private Chart(List<Row> rows) {
        this.rows = rows;
        scale = Scale.of(rows);
    }

    /** Returns the picture of rows that have the same unit, as an element of a page. */
    static String of(String title, List<Row> rows) {
        return new Chart(rows).draw(title);
    }

    private String draw(String title) {
        var group = "";
        for (var row : rows) {
            if (!row.group().equals(group)) {
                group = row.group();
                y += HEADING;
                bars.append(
                        "<text class=\"group\" x=\"4\" y=\"%d\">%s</text>\n".formatted(y - 9, escape(group)));
            }
            bar(row);
            y += STEP;
        }
        var unit = rows.getFirst().unit();
        return fill("""
                <svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
                <g class="grid">
                ${grid}</g>
                ${bars}<text class="unit" x="${middle}" y="${bottom}">${unit}</text>
                </svg>
                """, "width", WIDTH, "height", y + 44, "grid", grid(), "bars", bars, "middle",
                (LEFT + RIGHT) / 2, "bottom", y + 36, "label", escape(title + ": " + inWords()),
                "unit", escape(unit.name() + ", " + unit.hint()
                        + (scale.isLogarithmic() ? ", logarithmic scale" : "")));
    }

    private String inWords() {
        return rows.stream().map(row -> "%s %s %s".formatted(row.subject(),
                Figures.number(row.samples().median()), row.unit().name())).collect(Collectors.joining("; "));
    }

    private double x(double value) {
        return LEFT + scale.place(value) * (RIGHT - LEFT);
    }

    private String grid() {
        return scale.ticks().stream().map(tick -> fill("""
                <line x1="${x}" y1="4" x2="${x}" y2="${y}"/><text x="${x}" y="${below}">${tick}</text>
                """, "x", at(x(tick)), "y", y + 2, "below", y + 17, "tick", tickText(tick)))
                .collect(Collectors.joining());
    }

    private static String tickText(double tick) {
        var text = tick >= 1_000_000 ? Figures.number(tick / 1e6) + "M" : Figures.number(tick);
        return tick == 0 ? "0" : text.contains(".") ? text.replaceFirst("\\.?0+(M?)$", "$1") : text;
    }

    private void bar(Row row) {
        var samples = row.samples();
        var middle = y + BAR / 2.0;
        bars.append(fill("""
                <g class="${family}"><title>${words}</title>
                <text class="peer" x="${label}" y="${text}">${peer}</text>
                <rect x="${left}" y="${y}" width="${width}" height="${bar}" rx="2"/>
                """, "family", Family.of(row.peer()).style(), "label", LEFT - 10, "text", at(middle + 4),
                "left", LEFT, "y", y, "width", at(Math.max(1, x(samples.median()) - LEFT)), "bar", BAR,
                "peer", escape(row.peer()), "words", escape("%s: %s %s%s".formatted(row.subject(),
                        Figures.number(samples.median()), row.unit().name(),
                        row.spread().isEmpty() ? "" : ", " + row.spread()))));
        if (samples.high() > samples.low()) {
            whisker(x(samples.low()), x(samples.high()), middle);
        }
        marks(row, middle);
        bars.append("<text class=\"value\" x=\"%s\" y=\"%s\">%s</text></g>\n".formatted(
                at(Math.max(x(samples.high()), articleAt(row)) + 8), at(middle + 4),
                Figures.number(samples.median())));
    }

    private double articleAt(Row row) {
        return row.article().isThere() ? x(row.article().value()) : 0;
    }

    private void whisker(double low, double high, double middle) {
        bars.append(
                "<path class=\"whisker\" d=\"M%s %sH%sM%s %sv8M%s %sv8\"/>\n".formatted(at(low), at(middle),
                        at(high), at(low), at(middle - 4), at(high), at(middle - 4)));
    }

    private void marks(Row row, double middle) {
        if (row.article().isThere()) {
            bars.append("<path class=\"article\" d=\"M%s %sl5 5l-5 5l-5 -5z\"><title>%s</title></path>\n"
                    .formatted(
                            at(articleAt(row)), at(middle - 5),
                            escape("the article: " + row.article().asText())));
        }
        if (!row.mustBe().isEmpty()) {
            var limit = Double.parseDouble(row.mustBe().substring(2).replace(",", ""));
            bars.append(
                    "<path class=\"limit\" d=\"M%s %sv%d\"><title>%s</title></path>\n".formatted(at(x(limit)),
                            at(middle - 10), 20, escape("must be " + row.mustBe())));
        }
    }
}
