package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.limit.Permit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message for which no answer is wanted.
 */
public class MessageNode extends Node {
    /** Null once taken. */
    private @Nullable Object message;

    public MessageNode(Object message) {
        this.message = message;
    }

    /** Returns a node for a message to an actor by the calling thread. */
    public static MessageNode to(ActorSpec actor, Object message) {
        return with(actor.carriers, message);
    }

    /** Returns a node for a message with what these carriers capture on the calling thread. */
    public static MessageNode with(@Nullable Carriers carriers, Object message) {
        return carrying(carriers == null ? null : carriers.capture(), message);
    }

    /** Returns a node for a message that another actor passes on; {@code fate} is null if it is not followed. */
    public static MessageNode passedOn(@Nullable Carried carried, Object message, @Nullable FateAnswer fate) {
        return fate == null ? carrying(carried, message)
                : new MessageWithAttachment(message, new Attachment(carried, null, fate));
    }

    private static MessageNode carrying(@Nullable Carried carried, Object message) {
        return carried == null
                ? new MessageNode(message)
                : new MessageWithAttachment(message, new Attachment(carried, null));
    }

    /** Returns whether this node has nothing but a message. */
    final boolean isBare() {
        return getClass() == MessageNode.class;
    }

    /** Returns an entry of a mailbox as a node: a message that has none gets one. */
    static Node of(Object entry) {
        return entry instanceof Node node ? node : new MessageNode(entry);
    }

    @Override
    public void handle(Turn turn) {
        var message = take();
        if (!finishes(turn, message)) {
            Stash.of(turn.cell).keep(turn, moved(message));
        }
    }

    /** Handles a message that has no node. */
    static void handle(Turn turn, Object message) {
        if (!finishes(turn, message)) {
            Stash.of(turn.cell).keep(turn, new MessageNode(message));
        }
    }

    /** Handles a message that was in a node of another class. */
    public static void handle(Turn turn, Object message, @Nullable Carried carried) {
        if (!finishes(turn, message)) {
            Stash.of(turn.cell).keep(turn, carrying(carried, message));
        }
    }

    /** Lets the behavior handle a message; returns false if the behavior puts it aside. */
    private static boolean finishes(Turn turn, Object message) {
        Object result;
        try {
            result = turn.behavior.handle(turn, message);
        } catch (Throwable failure) {
            turn.failed(message, WrongType.named(turn.cell, message.getClass(), failure));
            return true;
        }
        if (result == Unfinished.KEPT) {
            return false;
        }
        turn.handled();
        return true;
    }

    /** Returns a fresh node for the message that was taken out of this one, with all that belongs to it. */
    MessageNode moved(Object taken) {
        return new MessageNode(taken);
    }

    /** Returns a node for a message to an actor by the calling thread, whose fate is followed. */
    public static MessageNode tracked(ActorSpec actor, Object message, FateAnswer fate) {
        return new MessageWithAttachment(message, new Attachment(actor.capture(), null, fate));
    }

    /** Returns the future of the fate of the message; null if it is not followed. */
    @Nullable FateAnswer fate() {
        return null;
    }

    /**
     * Returns the future of the fate that the message is about to meet; null if it is not followed. The places of the message
     * are given back first, since the thread that gets the fate may send again at once.
     */
    final @Nullable FateAnswer fateAfterPlaces() {
        var followed = fate();
        if (followed != null) {
            giveBackPlaces();
        }
        return followed;
    }

    /** Gives back the places that the message holds, if any. */
    void giveBackPlaces() {
    }

    /** Returns whether the message has waited for so long that it is not to be handled any more. */
    boolean isLate(Cell cell) {
        return false;
    }

    @Override
    Node counted(Permit permit) {
        return new MessageWithAttachment(content(), new Attachment(carried(), permit));
    }

    /** Takes the message out of this node. */
    final Object take() {
        var taken = message;
        if (taken == null) {
            throw new AssertionError("a message was handled twice");
        }
        message = null;
        return taken;
    }

    @Override
    public Node forHeir(Cell heir) {
        var mine = carrying(carried(), content()); // if there is no memory for it, this node still has the message
        take();
        return mine;
    }

    @Override
    public void clear() {
        message = null;
    }

    @Override
    public final Object content() {
        return Objects.requireNonNull(message);
    }
}
