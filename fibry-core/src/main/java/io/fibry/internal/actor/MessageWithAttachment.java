package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import org.jspecify.annotations.Nullable;

/** A message with baggage. */
public final class MessageWithAttachment extends MessageNode {
    private final Attachment baggage;

    MessageWithAttachment(Object message, Attachment baggage) {
        super(message);
        this.baggage = baggage;
    }

    @Override
    public void handle(Turn turn) {
        // mutant: message-without-scoped-values-is-handled-among-some
        if (!fits() && turn.mayLeave(this)) {
            turn.leaveForAnotherStack(new MessageWithAttachment(take(), baggage.handOver()), this);
        } else {
            // mutant: context-of-a-message-stays
            baggage.around(turn, () -> super.handle(turn));
        }
    }

    @Override
    public boolean fits() {
        return baggage.fits();
    }

    @Override
    public @Nullable Carried carried() {
        return baggage.carried();
    }

    @Override
    public void clear() {
        super.clear();
        // mutant: lost-message-keeps-its-place
        baggage.letGo();
    }
}
