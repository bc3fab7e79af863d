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
        if (!fits() && turn.mayLeave(this)) {
            turn.leaves(new LadenMessage(take(), baggage.handOver()), this);
        } else {
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
        baggage.letGo();
    }
}
