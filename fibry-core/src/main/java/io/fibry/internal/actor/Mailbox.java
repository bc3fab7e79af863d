package io.fibry.internal.actor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of an actor, which also knows whether the actor is idle, busy or closed. Many threads offer; one
 * at a time, the turn, consumes.
 */
public abstract class Mailbox {
    /** What a mailbox says to a new node. */
    public enum Offer {
        /** It is in, and the mailbox was idle: the sender starts a turn with it. */
        WAKE,
        /** It is in. */
        QUEUED,
        /** It is in, and so are very many others: whoever can run foreign code now calls {@link #grows}. */
        GROWN,
        /** It is not in: there is no room. */
        FULL,
        /** It is not in: the actor has stopped. */
        CLOSED
    }

    /** Puts a node in. Called by any thread; {@code hasReserve} if that has looked at its stack for this. */
    public abstract Offer offer(Node node, boolean hasReserve);

    /** Puts a node in. Called by any thread. */
    public final Offer offer(Node node) {
        return offer(node, false);
    }

    /** A node is in, and its turn is started if that was needed: now foreign code may run. By its sender. */
    public void admitted() {
    }

    /** Tells that there are very many nodes, if that is news. Runs foreign code. By the sender of the newest. */
    public void grows() {
    }

    /** Puts a node in, whatever the bound. Called by any thread. */
    public Offer offerPastBound(Node node) {
        return offer(node);
    }

    /** Puts the very first node in, which takes up no room. Called by the maker of the actor. */
    public abstract void begin(Node node);

    /** The node a turn begins with, given the one it was started with. Like all that follow: by the turn. */
    public abstract @Nullable Node first(Node token);

    /** Whether {@link #poll} is {@link Node#pollNext} of {@code last}, for who keeps away from what senders write. */
    public abstract boolean followsLinks();

    /** Takes the node after {@code last}; null if none is linked yet. */
    public abstract @Nullable Node poll(@Nullable Node last);

    /** Whether there is a node after {@code last}, as far as it is linked. */
    public abstract boolean hasNext(@Nullable Node last);

    /** Waits for the sender that is between announcing its node and linking it. */
    public abstract void awaitLink(@Nullable Node last);

    /** Makes the mailbox idle, so that the next sender starts a turn; false if there is another node. */
    public abstract boolean becomeIdle(@Nullable Node last);

    /** Takes an idle mailbox back; the new {@code last}, or null if a sender was faster. */
    public abstract @Nullable Node reclaim(@Nullable Node last);

    /** The node to go on with after a sender has handed one over; null if it is still in the mailbox. */
    public abstract @Nullable Node handedOver(Node node);

    /** Closes the mailbox and hands what is in it to the consumer, in order. */
    public abstract void closeMailbox(@Nullable Node last, Consumer<Node> leftOver);

    /** Closes the mailbox if it is idle. By any thread. */
    public abstract boolean closeIfIdle();

    /** Closes the mailbox if nothing comes after the node that was taken last. By the turn. */
    public abstract boolean closeIfLast(@Nullable Node last);

    /** Deals with a node that found no room; false if it is lost. By any thread. */
    public abstract boolean overflow(Node node, long limitNanos);

    /** A node that may still be in the mailbox is not wanted any more, and empty. By any thread. */
    public void tookBack() {
    }

    /** How many nodes a selective receive has taken and put aside; they still wait. By the turn. */
    public void passedOver(int now) {
    }

    /** Whether nothing waits and nothing runs. By any thread. */
    public abstract boolean isIdle();

    /**
     * Whether nothing waits, and nothing is known to be at work: the turn may be about to make the actor idle. An estimate.
     * By any thread.
     */
    public abstract boolean mayBecomeIdle();

    /**
     * How many nodes are before this one, the one in work included; less than zero if it is in work itself, or was. An
     * estimate. By any thread.
     */
    public abstract int before(Node node);

    /** The number of the node taken last, or more: at most that of the one in work. An estimate. By any thread. */
    public abstract int taken();

    /** The number of the newest node; that of the one taken last if none waits. An estimate. By any thread. */
    public abstract int newest();

    /** How many nodes wait: exact if the mailbox is bounded, an estimate if not. By any thread. */
    public abstract int mailboxSize();
}
