package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
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
        var fate = attachment.fate();
        if (fate == null) {
            super.handle(turn);
            return;
        }
        var message = take();
        if (!fate.finishes(turn, this, message)) {
            Stash.of(turn.cell).keep(turn, moved(message));
        }
    }

    @Override
    final @Nullable FateAnswer fate() {
        return attachment.fate();
    }

    @Override
    final void giveBackPlaces() {
        attachment.giveBack();
    }

    @Override
    void lost(Cell cell, Object content, Cause cause, @Nullable Throwable why) {
        var fate = fateAfterPlaces();
        if (fate != null) {
            fate.lost(cell, content, cause, why);
        }
    }

    /** Returns the same attachment for another node that holds these places. */
    final Attachment with(@Nullable Permit places) {
        return attachment.with(places);
    }

    @Override
    Node counted(Permit permit) {
        return new MessageWithAttachment(content(), with(permit));
    }

    @Override
    public Node forHeir(Cell heir) {
        var mine = new MessageWithAttachment(content(), withoutPlaces(heir));
        take();
        return mine;
    }

    /** Returns the attachment of the message for the actor that inherits it, where it holds no places. */
    final Attachment withoutPlaces(Cell heir) {
        var fate = attachment.fate();
        if (fate != null) {
            fate.forwardTo(heir);
        }
        return with(null);
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
