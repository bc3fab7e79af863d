package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** An ask with baggage. */
final class LadenAsk extends AskNode {
    private final Baggage baggage;

    LadenAsk(Object message, Answer<@Nullable Object> answer, Baggage baggage) {
        super(message, answer);
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

    /** Who gets the answer may ask again at once. */
    @Override
    void settles() {
        baggage.giveBack();
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
