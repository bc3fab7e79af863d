package io.fibry.bench.page;

import static io.fibry.bench.page.Markup.escape;
import static io.fibry.bench.page.Markup.fill;

import io.fibry.bench.report.Results;
import io.fibry.bench.report.Section;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Shows results as one page that needs no other file: style and pictures are in it. */
public final class ResultsPage {
    private ResultsPage() {
    }

    /**
     * Makes the page.
     *
     * @param results the results
     * @return the HTML
     */
    public static String of(Results results) {
        return fill(Markup.resource("page.html"),
                "sections", results.sections().stream().map(SectionHtml::of).collect(Collectors.joining()),
                "links", results.sections().stream().map(ResultsPage::link).collect(Collectors.joining()),
                "machine", machine(results), "warnings", warnings(results), "legend", legend(),
                "size", escape(results.size()), "command", escape(results.command()),
                "time", escape(results.machine().getOrDefault("time", "")),
                "style", Markup.resource("colours.css") + Markup.resource("page.css"));
    }

    private static String link(Section section) {
        return "<a href=\"#%s\"%s>%s</a>\n".formatted(escape(section.name()),
                section.failure().isEmpty() ? "" : " class=\"failed\"", escape(section.name()));
    }

    private static String machine(Results results) {
        return results.machine().entrySet().stream().map(field -> "<div><dt>%s</dt><dd>%s</dd></div>\n"
                .formatted(escape(field.getKey()), escape(field.getValue()))).collect(Collectors.joining());
    }

    private static String warnings(Results results) {
        var text = new StringBuilder();
        for (var warning : results.warnings()) {
            text.append("<p class=\"warning\">%s</p>\n".formatted(escape(warning)));
        }
        var failed = results.sections().stream().filter(section -> !section.failure().isEmpty())
                .map(Section::name).collect(Collectors.joining(", "));
        if (!failed.isEmpty()) {
            text.append("<p class=\"failure\" role=\"alert\">Failed: %s</p>\n".formatted(escape(failed)));
        }
        return text.toString();
    }

    private static String legend() {
        return Arrays.stream(Family.values())
                .map(family -> fill(
                        """
                                <li class="${style}"><svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" \
                                height="14" rx="3"/></svg>${title}</li>
                                """,
                        "style", family.style(), "title", family.title))
                .collect(Collectors.joining());
    }
}
