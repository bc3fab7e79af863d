package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import org.jspecify.annotations.Nullable;

/** An ask with baggage. */
final class AskWithAttachment extends AskNode {
    private final Attachment baggage;

    AskWithAttachment(Object message, Answer<@Nullable Object> answer, Attachment baggage) {
        super(message, answer);
        this.baggage = baggage;
    }

    @Override
    public void handle(Turn turn) {
        var mine = answer();
        var content = content();
        // mutant: ask-without-scoped-values-is-handled-among-some
        if (!fits() && mine != null && content != null && turn.mayLeave(this)) {
            var moved = new AskWithAttachment(content, mine, baggage.handOver());
            turn.leaveForAnotherStack(moved, this);
            moved.takeOver();
        } else {
            // mutant: ask-carries-nothing
            baggage.around(turn, () -> super.handle(turn));
        }
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
        // mutant: cancelled-ask-keeps-its-place
        baggage.letGo();
    }
}
