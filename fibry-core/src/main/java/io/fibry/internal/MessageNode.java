package io.fibry.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that nobody waits for. */
final class MessageNode extends Node {
    /** Null once taken. */
    private @Nullable Object message;

    MessageNode(Object message) {
        this.message = message;
    }

    @Override
    void handle(Turn turn) {
        var taken = take();
        try {
            turn.behavior.handle(turn, taken);
        } catch (Throwable failure) {
            turn.failed(taken.getClass(), failure);
            return;
        }
        turn.handled();
    }

    /** The message, which from now on the caller alone holds. */
    Object take() {
        var taken = message;
        if (taken == null) {
            throw new AssertionError("a message was handled twice");
        }
        message = null;
        return taken;
    }

    @Override
    void clear() {
        message = null;
    }

    @Override
    Object content() {
        return Objects.requireNonNull(message);
    }
}
