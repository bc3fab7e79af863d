package io.fibry.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that nobody waits for. */
class MessageNode extends Node {
    /** Null once taken. */
    private @Nullable Object message;

    MessageNode(Object message) {
        this.message = message;
    }

    /** A message to an actor, by the calling thread. */
    static MessageNode to(ActorSpec actor, Object message) {
        return with(actor.carriers(), message);
    }

    /** A message with what these carriers find on the calling thread. */
    static MessageNode with(@Nullable Carriers carriers, Object message) {
        return carriers == null
                ? new MessageNode(message)
                : new LadenMessage(message, new Baggage(carriers.capture(), null));
    }

    @Override
    void handle(Turn turn) {
        var taken = take();
        try {
            turn.behavior.handle(turn, taken);
        } catch (Throwable failure) {
            turn.failed(taken.getClass(), WrongType.named(turn.cell, taken.getClass(), failure));
            return;
        }
        turn.handled();
    }

    @Override
    final Node counted(Permit permit) {
        return new LadenMessage(content(), new Baggage(carried(), permit));
    }

    /** The message, which from now on the caller alone holds. */
    final Object take() {
        var taken = message;
        if (taken == null) {
            throw new AssertionError("a message was handled twice");
        }
        message = null;
        return taken;
    }

    @Override
    Node forHeir(Cell heir) {
        var context = carried();
        return context == null ? new MessageNode(take())
                : new LadenMessage(take(), new Baggage(context, null));
    }

    @Override
    void clear() {
        message = null;
    }

    @Override
    final Object content() {
        return Objects.requireNonNull(message);
    }
}
