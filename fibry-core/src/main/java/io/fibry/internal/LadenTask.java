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
        if (fits() || isOver() || !turn.mayLeave(this) || !leaves(turn)) {
            baggage.around(turn, () -> super.handle(turn));
        }
    }

    private boolean leaves(Turn turn) {
        var moved = moved(baggage);
        if (moved == null) {
            return false;
        }
        turn.leaves(moved, this);
        moved.takesOver();
        return true;
    }

    @Override
    boolean fits() {
        return baggage.fits();
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
