package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Code with an attachment.
 */
final class TaskWithAttachment extends TaskNode implements Attachment.Owner {
    private final Attachment attachment;

    TaskWithAttachment(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer, Attachment attachment) {
        super(code, shown, answer);
        this.attachment = attachment;
    }

    @Override
    public void handle(Turn turn) {
        if (fits() || isOver() || !turn.mayLeave(this) || !leave(turn)) {
            attachment.around(turn, this);
        }
    }

    private boolean leave(Turn turn) {
        var moved = moved(attachment);
        if (moved == null) {
            return false;
        }
        turn.leaveForAnotherStack(moved, this);
        moved.takeOver();
        return true;
    }

    @Override
    public void handleInside(Turn turn) {
        super.handle(turn);
    }

    @Override
    public boolean isAsk() {
        return answer() != null;
    }

    @Override
    public boolean fits() {
        return attachment.fits();
    }

    /**
     * Gives the places back before the answer, since the thread that gets the answer may ask again at once.
     */
    @Override
    void giveBackPlaces() {
        attachment.giveBack();
    }

    @Override
    public @Nullable Carried carried() {
        return attachment.carried();
    }

    @Override
    public void clear() {
        super.clear();
        attachment.release();
    }
}
