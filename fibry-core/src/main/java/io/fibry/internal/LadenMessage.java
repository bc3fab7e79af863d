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
        // mutant: message-without-scoped-values-is-handled-among-some
        if (!fits() && turn.mayLeave(this)) {
            turn.leaves(new LadenMessage(take(), baggage.handOver()), this);
        } else {
            // mutant: context-of-a-message-stays
            baggage.around(turn, () -> super.handle(turn));
        }
    }

    @Override
    boolean fits() {
        return baggage.fits();
    }

    @Override
    @Nullable Carried carried() {
        return baggage.carried();
    }

    @Override
    void clear() {
        super.clear();
        // mutant: lost-message-keeps-its-place
        baggage.letGo();
    }
}
