package io.fibry.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Collects the results of an experiment, and shows them at once. Used by one thread. */
public final class Report {
    private final Machine machine;
    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Makes an empty report.
     *
     * @param machine the machine of the measurement
     * @param out shows results and progress
     */
    public Report(Machine machine, PrintStream out) {
        this.machine = machine;
        this.out = out;
    }

    /**
     * Returns the machine of the measurement.
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
     * Adds a note that a reader of the figures has to know. A note that is there is not added again.
     *
     * @param line the text
     */
    public void note(String line) {
        if (!notes.contains(line)) {
            notes.add(line);
            progress(line);
        }
    }

    /**
     * Shows a line of progress.
     *
     * @param line the text
     */
    public void progress(String line) {
        out.println("  " + line);
        out.flush();
    }

    /**
     * Returns the results so far.
     *
     * @return a copy
     */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /**
     * Returns the notes.
     *
     * @return a copy
     */
    public List<String> notes() {
        return List.copyOf(notes);
    }
}
