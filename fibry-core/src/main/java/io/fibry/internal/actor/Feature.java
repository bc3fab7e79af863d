package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an actor has beside its handler, and what plugs into its life. Most actors have none. Features are called in the
 * order in which the actor has got them: those of its layers come first, in the order of the list of layers, then those
 * that its handler asks for; {@link #after} in the opposite order. Where nothing else is said, the turn of the actor calls.
 */
public abstract class Feature {
    /** The actor is being made, and its mailbox is busy. Called by its maker. */
    public void making() {
    }

    // ---- Beside the mailbox. ----

    /** Takes a message that comes before what is in the mailbox; returns null if there is none. */
    public @Nullable MessageNode next() {
        return null;
    }

    /** Returns whether {@link #next} would return a message. */
    public boolean hasNext() {
        return false;
    }

    /** Returns whether a turn that begins with this node takes it before what {@link #next} returns. */
    public boolean letsBegin(Node token) {
        return true;
    }

    /** Keeps a message with which the handler is not finished: the behavior has returned this feature instead of a result. */
    public void keep(Turn turn, MessageNode node) {
        throw new AssertionError(this + " keeps no messages");
    }

    /** Returns how many messages were taken from the mailbox and are kept. Called by any thread. */
    public int kept() {
        return 0;
    }

    /** Returns how many messages wait that never were in the mailbox. Called by any thread. */
    public int waiting() {
        return 0;
    }

    /** Returns how many messages that never were in the mailbox the turn has taken. Called by any thread. */
    public long takenBeside() {
        return 0;
    }

    /** Returns how many signals of this feature are in the mailbox, as an estimate. Called by any thread. */
    public int signals() {
        return 0;
    }

    // ---- Messages, for a feature that observes them. ----

    /** Returns whether {@link #before} and {@link #after} are called. The answer never changes. */
    public boolean observes() {
        return false;
    }

    /** The turn is about to handle an entry of the mailbox: a node, or a message that has none. */
    public void before(Turn turn, Object entry) {
    }

    /** The turn has handled the entry. */
    public void after() {
    }

    /** A message for the actor was lost. Called by any thread, also after the actor's end if this feature {@link #stays}. */
    public void lost(Cause cause) {
    }

    /** An ask of the actor got no answer in time. Called by any thread. */
    public void askTimedOut() {
    }

    /** The actor was restarted. */
    public void restarted() {
    }

    /** Returns whether the actor keeps this feature after its end, when a message for it may still come, and be lost. */
    public boolean stays() {
        return false;
    }

    // ---- The handler. ----

    /** Returns the thread that runs the handler for the turn; null if the turn itself does. Called by any thread. */
    public @Nullable Thread worker() {
        return null;
    }

    /** Returns whether the actor may go on while its handler runs. Called by any thread. */
    public boolean mayAbandon() {
        return false;
    }

    /** The handler has failed, and another one is about to be made. */
    public void restarting(Throwable cause) {
    }

    /** Returns whether the actor owes a reply, so that it is not to end for want of messages. Called by any thread. */
    public boolean owes() {
        return false;
    }

    // ---- Pauses. ----

    /**
     * The actor is about to become idle, as far as the caller knows. Called by its turn, and by the thread that ends what the
     * actor owes beside its turn: a deferred reply.
     */
    public void idle() {
    }

    /** The turn has nothing to handle for now: the actor becomes idle, or pauses. */
    public void rest() {
    }

    // ---- The end. Called by the thread that ends the actor. ----

    /** Gives up the messages that are older than all in the mailbox, oldest first. The mailbox is about to be closed. */
    public void leaveOldest(Consumer<Node> leftOver) {
    }

    /** Gives up the messages that came beside the mailbox, which is closed now. */
    public void leaveLast(Consumer<Node> leftOver) {
    }

    /** The actor is stopping, and its phase shows that. */
    public void stopping() {
    }

    /** The actor has stopped, and all that belongs to its end is done. */
    public void stopped() {
    }
}
