package io.fibry.internal.actor;

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
        return carriers == null
                ? new MessageNode(message)
                : new MessageWithAttachment(message, new Attachment(carriers.capture(), null));
    }

    /** Returns an entry of a mailbox as a node: a message that has none gets one. */
    static Node of(Object entry) {
        return entry instanceof Node node ? node : new MessageNode(entry);
    }

    @Override
    public void handle(Turn turn) {
        handle(turn, take());
    }

    /** Handles a message, which may have no node. */
    static void handle(Turn turn, Object message) {
        try {
            turn.behavior.handle(turn, message);
        } catch (Throwable failure) {
            turn.failed(message.getClass(), WrongType.named(turn.cell, message.getClass(), failure));
            return;
        }
        turn.handled();
    }

    @Override
    final Node counted(Permit permit) {
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
        var context = carried();
        return context == null ? new MessageNode(take())
                : new MessageWithAttachment(take(), new Attachment(context, null));
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
