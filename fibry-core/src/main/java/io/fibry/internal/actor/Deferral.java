package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/** A reply that the handler of an ask has deferred, as the kernel sees it. */
public interface Deferral {
    /** Returns the actor that owes the reply. */
    Cell cell();

    /** Returns whether the handler has returned. */
    boolean isReleased();

    /** Notes that the handler has returned. Called by the turn. */
    void release();

    /** Notes that the answer is over. Called once or a few times, by any thread. */
    void close();

    /** Returns the question to the outside of this process that the reply answers; null if it is none. */
    @Nullable RemoteQuestion question();

    /** A reply as its user sees it. The turn refers to it while the handler runs. */
    interface Handle {
        Deferral open();
    }

    /** A question to the outside of this process, for which an actor stands and which time-outs name instead. Thread-safe. */
    interface RemoteQuestion {
        /** Returns the one that was asked, such as "the group 'bank'". */
        String asked();

        /** Returns how far the question has come by now. */
        String progress();
    }
}
