package io.fibry.work;

/**
 * How long work tells of its progress. Its receipt shows it. Objects are thread-safe; what is told after the end of the work
 * changes nothing.
 */
public interface Progress {
    /**
     * Tells how much is done.
     *
     * @param percent from 0 to 100
     */
    void percent(int percent);

    /**
     * Tells what the work does now.
     *
     * @param phase a short text
     */
    void phase(String phase);

    /**
     * Adds a note. The oldest note is dropped when there are more than the options allow.
     *
     * @param text the note
     */
    void note(String text);

    /**
     * Tells whether the work was cancelled, so that it can end early. Its thread is interrupted as well.
     *
     * @return true if the result is not wanted any more
     */
    boolean isCancelled();
}
