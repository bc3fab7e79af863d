package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import org.jspecify.annotations.Nullable;

/**
 * An ask with an attachment.
 */
final class AskWithAttachment extends AskNode implements Attachment.Owner {
    private final Attachment attachment;

    AskWithAttachment(Object message, Answer<@Nullable Object> answer, Attachment attachment) {
        super(message, answer);
        this.attachment = attachment;
    }

    @Override
    public void handle(Turn turn) {
        var mine = answer();
        var content = content();
        // mutant: ask-without-scoped-values-is-handled-among-some
        if (!fits() && mine != null && content != null && turn.mayLeave(this)) {
            var moved = moved(content, mine);
            turn.leaveForAnotherStack(moved, this);
            moved.takeOver();
        } else {
            // mutant: ask-carries-nothing
            attachment.around(turn, this);
        }
    }

    @Override
    AskWithAttachment moved(Object content, Answer<@Nullable Object> mine) {
        return new AskWithAttachment(content, mine, attachment.handOver());
    }

    @Override
    public void handleInside(Turn turn) {
        super.handle(turn);
    }

    @Override
    public boolean isAsk() {
        return true;
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
        // mutant: cancelled-ask-keeps-its-place
        attachment.release();
    }
}
