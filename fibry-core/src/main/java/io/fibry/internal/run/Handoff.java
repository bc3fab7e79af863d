package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/** How a virtual thread gives its carrier to threads that have waited for one. */
@FunctionalInterface
public interface Handoff {
    /** The place of one thread among those that wait for a carrier or have got one. */
    @FunctionalInterface
    interface Ticket {
        /** Ends the use of the ticket: the thread does something else from here on. */
        void end();
    }

    /**
     * Gives the carrier of the calling virtual thread away, and returns when the thread has one again.
     *
     * @param before the ticket of the previous call by this thread; null if this is the first
     * @return the ticket to pass to the next call, or to end
     */
    Ticket pass(@Nullable Ticket before);
}
