package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import org.jspecify.annotations.Nullable;

/**
 * A message with an attachment.
 */
public class MessageWithAttachment extends MessageNode implements Attachment.Owner {
    private final Attachment attachment;

    MessageWithAttachment(Object message, Attachment attachment) {
        super(message);
        this.attachment = attachment;
    }

    @Override
    public void handle(Turn turn) {
        // mutant: message-without-scoped-values-is-handled-among-some
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(moved(take()), this);
        } else {
            // mutant: context-of-a-message-stays
            attachment.around(turn, this);
        }
    }

    @Override
    MessageNode moved(Object taken) {
        return new MessageWithAttachment(taken, handOver());
    }

    /** Returns the attachment for another node of the same message. */
    final Attachment handOver() {
        return attachment.handOver();
    }

    @Override
    public final void handleInside(Turn turn) {
        super.handle(turn);
    }

    @Override
    public final boolean fits() {
        return attachment.fits();
    }

    @Override
    public final @Nullable Carried carried() {
        return attachment.carried();
    }

    @Override
    public void clear() {
        super.clear();
        // mutant: lost-message-keeps-its-place
        attachment.release();
    }
}
