package io.fibry.time;

import java.time.Duration;
import java.util.Optional;

/** A task or timer that runs by a {@link Schedule}. Objects are thread-safe. */
public interface Scheduled extends Cancellable {
    /**
     * Ends the schedule. An occurrence that has begun goes on, and no other begins. After this call {@link #isOver} is
     * true.
     *
     * @return true if no other occurrence begins: no message is handled, and no code is run, unless it had begun by
     *     then. False if the schedule was over already, or if an occurrence takes place at this moment: it goes on, and
     *     may even be about to begin. If the occurrence itself calls this method, for example the handler of a timer's
     *     message, the method returns true.
     */
    @Override
    boolean cancel();

    /**
     * Returns how many occurrences there have been so far, including one that takes place now.
     *
     * @return the number
     */
    long fired();

    /**
     * Returns the time until the next occurrence.
     *
     * @return the time, which is zero if the occurrence is due or late; empty if the schedule is over, or if the next
     *     time depends on the end of the present occurrence
     */
    Optional<Duration> next();

    /**
     * Tells whether no occurrence will begin any more, because the schedule was cancelled, has had all its occurrences,
     * or belongs to an actor or scope that has stopped.
     *
     * @return true if the schedule is over
     */
    boolean isOver();
}
