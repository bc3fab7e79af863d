package io.fibry.work;

import java.util.List;

/**
 * How far long work is. Objects are immutable.
 *
 * @param id the id of the receipt
 * @param status whether the work runs, and how it has ended
 * @param percent how much is done, from 0 to 100
 * @param phase what the work does at the moment; empty at first
 * @param notes what the work has noted, the oldest first; the latest ones, if there were many
 */
public record ReceiptState(String id, Status status, int percent, String phase, List<String> notes) {
    /** Whether work runs, and how it has ended. */
    public enum Status {
        /** The work waits to begin, or runs. */
        RUNNING,
        /** The work has returned its result. */
        DONE,
        /** The work has thrown an exception, or its scope has ended before it. */
        FAILED,
        /** The work was cancelled. */
        CANCELLED
    }

    /**
     * Makes a state.
     *
     * @param notes is copied
     */
    public ReceiptState {
        notes = List.copyOf(notes);
    }

    /**
     * Tells whether the work has ended.
     *
     * @return true if it does not run any more
     */
    public boolean isOver() {
        return status != Status.RUNNING;
    }
}
