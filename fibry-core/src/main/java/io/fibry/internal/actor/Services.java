package io.fibry.internal.actor;

import io.fibry.internal.actor.Supervision.Inheritance;
import org.jspecify.annotations.Nullable;

/** What the kernel gets from features, which it does not know. One object serves all actors. */
public interface Services {
    /** Returns the supervision of an actor that had none. */
    Supervision newSupervision();

    /**
     * Decides what happens to an actor that has failed. The decision is carried out at once, unless it is
     * returned.
     *
     * @param turn the turn of the actor
     * @param failure what it has failed with
     * @param atStart whether the handler could not be made
     * @param canGoOn whether there is a handler that could take the next message
     * @return what is to be done before the next message; null if nothing is
     */
    @Nullable Recovery decide(Turn turn, Throwable failure, boolean atStart, boolean canGoOn);

    /** Returns the places that a message needs for whose actor limits count; the sender may wait for so long. */
    Places places(Cell cell, MessageNode message, long limitNanos);

    /** Returns what finds cycles of waits. */
    CycleSearch cycles();

    /**
     * What a turn does after a message and before the next one: it restarts the actor, or leaves the actor for a while.
     */
    interface Recovery {
        /** Does the step; returns false if a later turn has to do that, or what follows it. */
        boolean run(Turn turn);
    }

    /** Finds cycles of actors that wait for each other. The kernel tells it where a wait begins and ends. */
    interface CycleSearch {
        /** Begins a wait of the calling thread for an answer; fails the ask and throws if that closes a cycle. */
        void begin(Answer<?> answer);

        /** Ends the wait of the calling thread that was begun last. */
        void end();

        /** Looks for a cycle through an actor that has ended, and whose messages its successor is to get. */
        void leftToSuccessor(Cell dead, Inheritance mail);
    }

    /** The places that one message takes in the limits of scopes. Used by its sender. */
    interface Places {
        /** Takes all places; returns false if the message is lost. The loss has then been reported. */
        boolean pass();

        /** Returns how much is left of the time that the sender may wait. */
        long nanosLeft();

        /** Gives the places back: the message did not get into the mailbox. */
        void giveBack();
    }
}
