package io.fibry.bench.page;

import static io.fibry.bench.page.Markup.escape;
import static io.fibry.bench.page.Markup.fill;

import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Row;
import java.util.List;

/** A table of rows that have the same unit. Empty columns are left out. */
final class Table {
    private final List<Row> rows;
    private final boolean hasLimits;
    private final boolean hasArticle;

    private Table(List<Row> rows) {
        this.rows = rows;
        hasLimits = rows.stream().anyMatch(row -> !row.mustBe().isEmpty());
        hasArticle = rows.stream().anyMatch(row -> row.article().isThere());
    }

    static String of(String title, List<Row> rows) {
        return new Table(rows).draw(title);
    }

    private String draw(String title) {
        var body = new StringBuilder();
        var group = "";
        for (var row : rows) {
            if (!row.group().equals(group)) {
                group = row.group();
                body.append(
                        "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%d\">%s</th></tr>\n".formatted(
                                5 + (hasLimits ? 1 : 0) + (hasArticle ? 1 : 0), escape(group)));
            }
            body.append(draw(row));
        }
        return fill(
                """
                        <table>
                        <caption>${title}, ${unit}</caption>
                        <thead><tr><th scope="col">peer</th><th scope="col" class="number">median</th>\
                        <th scope="col" class="number">min – max</th><th scope="col" class="number">\
                        <abbr title="median absolute deviation">MAD</abbr></th>\
                        <th scope="col" class="number"><abbr title="samples">n</abbr></th>\
                        ${limits}${article}</tr></thead>
                        <tbody>
                        ${body}</tbody>
                        </table>
                        """,
                "body", body, "title", escape(title), "unit", escape(rows.getFirst().unit().name()),
                "limits", hasLimits ? "<th scope=\"col\">must be</th>" : "",
                "article", hasArticle ? "<th scope=\"col\">article</th>" : "");
    }

    private String draw(Row row) {
        var samples = row.samples();
        return fill("""
                <tr class="${family}"><th scope="row">${peer}</th><td class="number">${median}</td>\
                <td class="number">${spread}</td><td class="number">${mad}</td><td class="number">${n}</td>\
                ${limit}${article}</tr>
                """, "family", Family.of(row.peer()).style(), "median", Figures.number(samples.median()),
                "spread", escape(row.spread().replace(" to ", " – ")),
                "mad", samples.values().size() == 1 ? "" : Figures.number(samples.deviation()),
                "n", samples.values().size(), "limit", hasLimits ? "<td>" + limit(row) + "</td>" : "",
                "article", hasArticle ? "<td>" + escape(row.article().asText()) + "</td>" : "",
                "peer", escape(row.peer()));
    }

    private static String limit(Row row) {
        if (row.mustBe().isEmpty()) {
            return "";
        }
        return "<span class=\"%s\">%s %s</span>".formatted(row.isAsItMust() ? "met" : "missed",
                escape(row.mustBe()), row.isAsItMust() ? "✓" : "✗ missed");
    }
}
