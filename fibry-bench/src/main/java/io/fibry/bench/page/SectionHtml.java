package io.fibry.bench.page;

import static io.fibry.bench.page.Markup.escape;
import static io.fibry.bench.page.Markup.fill;

import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Section;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/** Shows the results of one experiment: a picture for each unit, and a table. */
final class SectionHtml {
    private SectionHtml() {
    }

    static String of(Section section) {
        return fill("""
                <section id="${id}" aria-labelledby="${id}-title">
                <h2 id="${id}-title">${id}</h2>
                <p class="what">${what}</p>
                <p class="checks"><b>Checked:</b> ${checks}. <span class="took">Took ${took}.</span></p>
                ${failure}${notes}<div class="both">
                <div class="charts">
                ${charts}</div>
                <div class="table">
                ${table}</div>
                </div>
                </section>
                """, "charts",
                byUnit(section).stream().map(rows -> Chart.of(section.name(), rows))
                        .collect(Collectors.joining()),
                "table",
                byUnit(section).stream().map(rows -> Table.of(section.name(), rows))
                        .collect(Collectors.joining()),
                "failure", failure(section), "notes", notes(section), "id", escape(section.name()),
                "what", escape(section.what()), "checks", escape(section.checks()),
                "took", Figures.clock(section.seconds()));
    }

    private static String failure(Section section) {
        return section.failure().isEmpty()
                ? ""
                : "<p class=\"failure\">Failed: %s</p>\n".formatted(escape(section.failure()));
    }

    private static String notes(Section section) {
        return section.notes().isEmpty()
                ? ""
                : section.notes().stream().map(note -> "<li>%s</li>\n".formatted(escape(note)))
                        .collect(Collectors.joining("", "<ul class=\"notes\">\n", "</ul>\n"));
    }

    private static Collection<List<Row>> byUnit(Section section) {
        var byUnit = new LinkedHashMap<Unit, List<Row>>();
        section.rows().forEach(row -> byUnit.computeIfAbsent(row.unit(), unit -> new ArrayList<>()).add(row));
        return byUnit.values();
    }
}
