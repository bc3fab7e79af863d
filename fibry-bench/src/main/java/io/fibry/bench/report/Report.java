package io.fibry.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Collects results and shows them: each one at once, and all in the end as Markdown and JSON. */
public final class Report {
    private final Machine machine;
    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();

    /**
     * An empty report.
     *
     * @param machine where it is measured
     * @param out where results and progress are shown
     */
    public Report(Machine machine, PrintStream out) {
        this.machine = machine;
        this.out = out;
    }

    /**
     * Where it is measured.
     *
     * @return the machine
     */
    public Machine machine() {
        return machine;
    }

    /**
     * Adds a result.
     *
     * @param row the result
     */
    public void add(Row row) {
        rows.add(row);
        out.printf("  %-56s %10s %-14s%s%s%s%n", row.subject(), row.median(), row.unit(),
                row.spread().isEmpty() ? "" : " (" + row.spread() + ")",
                row.budget().isEmpty() ? "" : " [must be " + row.budget() + "]",
                row.article().isEmpty() ? "" : " [article: " + row.article() + "]");
    }

    /**
     * Shows what goes on.
     *
     * @param line the text
     */
    public void progress(String line) {
        out.println("  " + line);
    }

    /**
     * What was measured so far.
     *
     * @return a copy
     */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /**
     * The table for docs/benchmarks.md.
     *
     * @return the text
     */
    public String asMarkdown() {
        return rows.stream()
                .map(row -> "| " + String.join(" | ", row.experiment(), row.subject(), row.median(),
                        row.unit(), row.spread(), String.valueOf(row.samples().values().size()), row.budget(),
                        row.article()) + " |")
                .collect(Collectors.joining("\n", machine.asText() + """


                        | experiment | what | median | unit | spread | samples | must be | article |
                        |---|---|---:|---|---|---:|---|---|
                        """, "\n"));
    }

    /**
     * Everything, for programs.
     *
     * @return the text
     */
    public String asJson() {
        var json = new Json();
        machine.fields().forEach(json::field);
        return json.array("results", rows, row -> new Json().field("experiment", row.experiment())
                .field("subject", row.subject())
                .field("unit", row.unit())
                .field("median", row.samples().median())
                .field("low", row.samples().low())
                .field("high", row.samples().high())
                .field("budget", row.budget())
                .field("article", row.article())
                .numbers("samples", row.samples().values())).toString();
    }
}
