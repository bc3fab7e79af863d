package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** A message with baggage. */
final class LadenMessage extends MessageNode {
    private final Baggage baggage;

    LadenMessage(Object message, Baggage baggage) {
        super(message);
        this.baggage = baggage;
    }

    @Override
    void handle(Turn turn) {
        var undo = baggage.opens(turn);
        try {
            super.handle(turn);
        } finally {
            undo.run();
        }
    }

    @Override
    @Nullable Carried carried() {
        return baggage.carried();
    }

    @Override
    void clear() {
        super.clear();
        baggage.letGo();
    }
}
