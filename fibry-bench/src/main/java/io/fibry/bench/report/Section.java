package io.fibry.bench.report;

import java.util.List;

/**
 * The results of an experiment.
 *
 * @param name the name of the experiment
 * @param what what the experiment measures
 * @param checks what the experiment checks before it reports its figures
 * @param seconds how long it took
 * @param failure why there are no results, or not all; empty if the experiment succeeded
 * @param notes what a reader has to know, for example what was left out and why
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
