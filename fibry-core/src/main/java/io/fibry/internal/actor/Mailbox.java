package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of an actor. It also holds whether the actor is idle, busy or closed. Many threads offer nodes;
 * one thread at a time, which runs the turn, consumes them.
 */
public abstract class Mailbox {
    /** The result of offering a node. */
    public enum Offer {
        /** The node is in, and the mailbox was idle: the sender starts a turn with the node. */
        WAKE,
        /** The node is in. */
        QUEUED,
        /**
         * The node is in, and so are very many others: the sender calls {@link #grows} as soon as it can run
         * foreign code.
         */
        GROWN,
        /** The node is not in: there is no space. */
        FULL,
        /** The node is not in: the actor has stopped. */
        CLOSED
    }

    /**
     * Puts a node in. Called by any thread; {@code hasReserve} is true if the thread has checked its stack
     * for this call.
     */
    public abstract Offer offer(Node node, boolean hasReserve);

    /** Puts a node in. Called by any thread. */
    public final Offer offer(Node node) {
        return offer(node, false);
    }

    /**
     * Puts a message in without a node; returns false if this message needs one, or there is no room for messages
     * without one. Called by any thread.
     */
    protected boolean putMessage(Object message) {
        return false;
    }

    /**
     * Reports that there are very many nodes, if that was not reported before. Runs foreign code. Called by
     * the sender of the newest node.
     */
    public void grows() {
    }

    /**
     * Puts a node in, whatever the bound. Called by any thread that has checked its stack before it took the node: a
     * second check could find too little stack, and the node would be in no mailbox.
     */
    public Offer offerPastBound(Node node) {
        return offer(node, true);
    }

    /** Puts the first node in, which takes no space. Called by the maker, which may call {@link #becomeIdle} with it. */
    public abstract void begin(Node node);

    /**
     * Returns the node that a turn begins with, given the one that its sender has offered. Called by the turn, as all
     * methods that follow and name no other caller.
     */
    public abstract @Nullable Node first(Node token);

    /**
     * Returns whether {@link #first} is its argument and {@link #poll} is {@link Node#advance} of {@code last}: what the
     * turn takes is what is in the queue. A turn may then call that, and keep away from the fields that senders write.
     */
    public abstract boolean followsLinks();

    /**
     * Returns the position after {@code last}, which is not null unless the mailbox is bounded; null if nothing is there
     * yet. The caller takes what is there by {@link Node#entry}, or by {@link Node#entryAsNode}.
     */
    public abstract @Nullable Node poll(@Nullable Node last);

    /**
     * Takes the oldest entry: a node, or a message without one; returns null if nothing is there yet. Called for mailboxes
     * that are not followed by their links.
     */
    public @Nullable Object pollEntry() {
        throw new AssertionError("a turn follows the links of this mailbox");
    }

    /** Returns whether anything is there after {@code last}. */
    public abstract boolean hasNext(@Nullable Node last);

    /**
     * Returns whether nothing comes after {@code last}, not even what a sender has announced and not linked yet, or has
     * claimed a slot for. Called by the turn.
     */
    public abstract boolean isNewest(@Nullable Node last);

    /** Waits for a sender that has announced its node and not linked it yet, or has claimed a slot and not filled it. */
    public abstract void awaitLink(@Nullable Node last);

    /** Makes the mailbox idle, so that the next sender starts a turn; returns false if there is another node. */
    public abstract boolean becomeIdle(@Nullable Node last);

    /** Returns a node for {@link #reclaim}, which must not fail for want of memory: no turn runs an idle actor. */
    public Node newMark() {
        return new StopNode(Reason.EXIT);
    }

    /** Takes an idle mailbox back; returns the new {@code last}, which is the mark, or null if a sender was faster. */
    public abstract @Nullable Node reclaim(@Nullable Node last, Node mark);

    /**
     * Returns the node to go on with after a sender has handed over {@code node}; null if it is still in the
     * mailbox.
     */
    public abstract @Nullable Node handedOver(Node node);

    /** Closes the mailbox and passes the nodes that are left in it to the consumer, in order. */
    public abstract void closeMailbox(@Nullable Node last, Consumer<Node> leftOver);

    /** Closes the mailbox if it is idle. Called by any thread. */
    public abstract boolean closeIfIdle();

    /** Closes the mailbox if nothing comes after the node that was taken last. Called by the turn. */
    public abstract boolean closeIfLast(@Nullable Node last);

    /**
     * Applies the overflow policy to a message that found no space; returns false if the message is lost. Called by
     * any thread.
     */
    public abstract boolean overflow(MessageNode node, long limitNanos);

    /**
     * Notes that a node which may still be in the mailbox is not wanted any more, and empty. Called by any
     * thread.
     */
    public void tookBack() {
    }

    /**
     * Sets how many nodes a selective receive has taken and put aside; they still wait. Called by the turn.
     *
     * @param isTaking whether the receive is about to take one more. Until its next call other threads may count that one twice
     */
    public void passedOver(int waiting, boolean isTaking) {
    }

    /** Returns whether nothing waits and nothing runs. Called by any thread. */
    public abstract boolean isIdle();

    /**
     * Returns whether nothing waits and no message is known to be worked on: the turn may be about to make
     * the actor idle. An estimate. Called by any thread.
     */
    public abstract boolean mayBecomeIdle();

    /**
     * Returns how many nodes are before this one, including the one that is worked on; less than zero if this
     * node is, or was, worked on itself. An estimate. Called by any thread.
     */
    public abstract int before(Node node);

    /**
     * Returns the number of the node taken last, or more, but at most that of the node that is worked on. An
     * estimate. Called by any thread.
     */
    public abstract int taken();

    /**
     * Returns the number of the newest node, or that of the node taken last if none waits. An estimate.
     * Called by any thread.
     */
    public abstract int newest();

    /**
     * Returns how many nodes wait: exact if the mailbox is bounded, an estimate if it is not. Called by any
     * thread.
     */
    public abstract int mailboxSize();

    /**
     * {@return what texts about a message that waits tell of those who are to take it; empty if the actor itself takes it}
     */
    public String takerOfWaiting() {
        return "";
    }
}
