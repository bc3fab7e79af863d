package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/** Lets a virtual thread give its carrier to threads that wait for one. */
@FunctionalInterface
public interface Handoff {
    /** The place of a thread that waits for a carrier or has been given one. */
    @FunctionalInterface
    interface Ticket {
        /** Gives up the place. The thread calls this when it goes on to other work. */
        void end();
    }

    /**
     * Gives the carrier of the calling virtual thread away, and returns when the thread has one again.
     *
     * @param before the ticket of the previous call by this thread; null if this is the first
     * @return the ticket to pass to the next call, or to {@link Ticket#end end}
     */
    Ticket pass(@Nullable Ticket before);

    /**
     * Starts the thread of a runner, at once or when there is a carrier for it. Called by any thread.
     *
     * @param runner what runs on the thread; it is given its ticket, if there is one, before the start
     * @param start starts the thread; it throws nothing. If this method throws an exception, it may still run later
     */
    default void start(Runner runner, Runnable start) {
        start.run();
    }
}
