package io.fibry.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Shows results as tables, for a terminal and for docs/benchmarks.md. */
public final class Tables {
    private static final List<String> HEAD =
            List.of("case", "peer", "median", "unit", "spread", "n", "must be", "article");
    private static final List<Integer> RIGHT = List.of(2, 5);

    private Tables() {
    }

    /**
     * Returns tables for a terminal, with columns of one width.
     *
     * @param results the results
     * @return the text
     */
    public static String asText(Results results) {
        var text = new StringBuilder(machine(results)).append('\n');
        results.warnings().forEach(warning -> text.append(warning).append('\n'));
        for (var section : results.sections()) {
            text.append("\n%s: %s (%s)\n".formatted(section.name(), section.what(),
                    Figures.clock(section.seconds())));
            text.append(about(section, "  "));
            if (!section.rows().isEmpty()) {
                text.append(aligned(cells(section)));
            }
        }
        return text.toString();
    }

    /**
     * Returns tables as Markdown.
     *
     * @param results the results
     * @return the text
     */
    public static String asMarkdown(Results results) {
        var text =
                new StringBuilder(machine(results)).append("\n\n`").append(results.command()).append("`\n");
        results.warnings().forEach(warning -> text.append('\n').append(warning).append('\n'));
        for (var section : results.sections()) {
            text.append(
                    "\n### %s\n\n%s\n\n%s\n".formatted(section.name(), section.what(), about(section, "- ")));
            var cells = new ArrayList<>(cells(section));
            cells.add(1, List.of("---", "---", "---:", "---", "---", "---:", "---", "---"));
            cells.forEach(row -> text.append(row.stream().map(cell -> cell.replace("|", "\\|"))
                    .collect(Collectors.joining(" | ", "| ", " |\n"))));
        }
        return text.toString();
    }

    private static String machine(Results results) {
        return results.machine().entrySet().stream().map(field -> field.getKey() + ": " + field.getValue())
                .collect(Collectors.joining("; "));
    }

    private static String about(Section section, String indent) {
        var lines = new ArrayList<String>();
        lines.add("checked: " + section.checks());
        lines.addAll(section.notes());
        if (!section.failure().isEmpty()) {
            lines.add("FAILED: " + section.failure());
        }
        return lines.stream().map(line -> indent + line + "\n").collect(Collectors.joining());
    }

    private static List<List<String>> cells(Section section) {
        var cells = new ArrayList<List<String>>();
        cells.add(HEAD);
        section.rows().forEach(row -> cells.add(List.of(row.group(), row.peer(),
                Figures.number(row.samples().median()), row.unit().name(), row.spread(),
                String.valueOf(row.samples().values().size()), mustBe(row), row.article().asText())));
        return cells;
    }

    private static String mustBe(Row row) {
        return row.mustBe() + (row.isAsItMust() ? "" : " (missed)");
    }

    private static String aligned(List<List<String>> cells) {
        var widths = IntStream.range(0, HEAD.size())
                .map(i -> cells.stream().mapToInt(row -> row.get(i).length()).max().orElse(0)).toArray();
        return cells.stream().map(row -> IntStream.range(0, widths.length)
                .mapToObj(i -> ("%" + (RIGHT.contains(i) ? "" : "-") + Math.max(1, widths[i]) + "s")
                        .formatted(row.get(i)))
                .collect(Collectors.joining("  ", "  ", "")).stripTrailing() + "\n")
                .collect(Collectors.joining());
    }
}
