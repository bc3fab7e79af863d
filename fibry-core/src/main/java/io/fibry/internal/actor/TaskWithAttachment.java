package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Code with baggage. */
final class TaskWithAttachment extends TaskNode {
    private final Attachment baggage;

    TaskWithAttachment(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer, Attachment baggage) {
        super(code, shown, answer);
        this.baggage = baggage;
    }

    @Override
    public void handle(Turn turn) {
        if (fits() || isOver() || !turn.mayLeave(this) || !leaves(turn)) {
            baggage.around(turn, () -> super.handle(turn));
        }
    }

    private boolean leaves(Turn turn) {
        var moved = moved(baggage);
        if (moved == null) {
            return false;
        }
        turn.leaveForAnotherStack(moved, this);
        moved.takeOver();
        return true;
    }

    @Override
    public boolean fits() {
        return baggage.fits();
    }

    /** Who gets the answer may ask again at once. */
    @Override
    void settles() {
        baggage.giveBack();
    }

    @Override
    public @Nullable Carried carried() {
        return baggage.carried();
    }

    @Override
    public void clear() {
        super.clear();
        baggage.letGo();
    }
}
