package io.fibry.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Collects what an experiment finds, and shows it at once. Used by one thread. */
public final class Report {
    private final Machine machine;
    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

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
        out.printf("  %-64s %10s %-14s%s%s%n", row.subject(), Figures.number(row.samples().median()),
                row.unit().name(), row.spread().isEmpty() ? "" : " (" + row.spread() + ")",
                row.article().isThere() ? " [article: " + row.article().asText() + "]" : "");
    }

    /**
     * Says what a reader of the figures has to know; it stays with them.
     *
     * @param line the text
     */
    public void note(String line) {
        notes.add(line);
        progress(line);
    }

    /**
     * Shows what goes on.
     *
     * @param line the text
     */
    public void progress(String line) {
        out.println("  " + line);
        out.flush();
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
     * What has to be known of it.
     *
     * @return a copy
     */
    public List<String> notes() {
        return List.copyOf(notes);
    }
}
