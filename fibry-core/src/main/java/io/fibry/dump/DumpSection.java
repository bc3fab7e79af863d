package io.fibry.dump;

import java.util.List;
import java.util.Objects;

/**
 * A table of texts that a program, or another module of the library, adds to the dump of a scope. Immutable.
 *
 * @see io.fibry.ActorScope#addToDumps
 * @param title what the table shows, in one line
 * @param columns the titles of the columns; there may be none
 * @param rows the rows, each with one text for each column
 */
public record DumpSection(String title, List<String> columns, List<List<String>> rows) {
    /**
     * Copies the lists.
     *
     * @param title what the table shows
     * @param columns the titles of the columns
     * @param rows the rows
     */
    public DumpSection {
        Objects.requireNonNull(title, "title");
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        for (var row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("a row of the section '" + title + "' has " + row.size()
                        + " texts and there are " + columns.size() + " columns: " + row
                        + "; give each row one text for each column");
            }
        }
    }
}
