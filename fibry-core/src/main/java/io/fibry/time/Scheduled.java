package io.fibry.time;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that happens by a {@link Schedule}. Thread-safe.
 */
public interface Scheduled extends Cancellable {
    /**
     * Ends it: what has begun goes on, nothing else begins. After it {@link #isOver} is true.
     *
     * @return true if nothing of it begins any more: no message of it is handled, and no code of it run, that had not
     *         begun by then. False if it was over already, or if it is happening at this moment: that goes on, and may just
     *         be about to begin. Code that is called by what happens, such as the handler of a timer's message, gets true.
     */
    @Override
    boolean cancel();

    /**
     * How many times it has happened so far, one that is happening now included.
     *
     * @return the number
     */
    long fired();

    /**
     * How long it is until it happens the next time.
     *
     * @return zero if it is due or late; empty if it is over, or if the next time depends on when the present one ends
     */
    Optional<Duration> next();

    /**
     * Whether it will not begin again: it was cancelled, has happened as often as it is to, or the actor or scope
     * that it belongs to has stopped.
     *
     * @return true if it is over
     */
    boolean isOver();
}
