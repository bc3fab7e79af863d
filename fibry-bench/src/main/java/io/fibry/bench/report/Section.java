package io.fibry.bench.report;

import java.util.List;

/**
 * What an experiment found.
 *
 * @param name the experiment
 * @param what what it measures
 * @param checks what it looks at before it believes its own figures
 * @param seconds how long it took
 * @param failure why it has no result, or not all; empty if it went well
 * @param notes what a reader has to know, as what was left out and why
 * @param rows the results
 */
public record Section(String name, String what, String checks, double seconds, String failure,
        List<String> notes, List<Row> rows) {
    /** Copies the lists. */
    public Section {
        notes = List.copyOf(notes);
        rows = List.copyOf(rows);
    }
}
