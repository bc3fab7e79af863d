package io.fibry.internal;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Code with baggage. */
final class LadenTask extends TaskNode {
    private final Baggage baggage;

    LadenTask(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer, Baggage baggage) {
        super(code, shown, answer);
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
