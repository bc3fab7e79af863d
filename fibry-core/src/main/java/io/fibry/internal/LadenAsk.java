package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** An ask with baggage. */
final class LadenAsk extends AskNode {
    private final Baggage baggage;

    LadenAsk(Object message, Answer<@Nullable Object> answer, Baggage baggage) {
        super(message, answer);
        this.baggage = baggage;
    }

    @Override
    void handle(Turn turn) {
        var mine = answer();
        var content = content();
        // mutant: ask-without-scoped-values-is-handled-among-some
        if (!fits() && mine != null && content != null && turn.mayLeave(this)) {
            var moved = new LadenAsk(content, mine, baggage.handOver());
            turn.leaves(moved, this);
            moved.takesOver();
        } else {
            // mutant: ask-carries-nothing
            baggage.around(turn, () -> super.handle(turn));
        }
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
        // mutant: cancelled-ask-keeps-its-place
        baggage.letGo();
    }
}
