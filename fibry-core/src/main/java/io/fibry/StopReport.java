package io.fibry;

import java.util.List;

/**
 * How a stop went.
 *
 * @param name the actor or scope that was stopped
 * @param stopped whether everything had stopped when the report was made
 * @param forced whether the deadline passed, so that running handlers were interrupted
 * @param stuck names of the actors that were still running when the report was made
 * @param counters what became of the messages
 */
public record StopReport(String name, boolean stopped, boolean forced, List<String> stuck,
        Counters counters) {
    /**
     * Makes a report.
     *
     * @param stuck is copied
     */
    public StopReport {
        stuck = List.copyOf(stuck);
    }
}
