package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message with an answer that somebody may wait for. */
final class AskNode extends Node {
    private @Nullable Object message;
    private @Nullable Answer<@Nullable Object> answer;

    AskNode(Object message, Answer<@Nullable Object> answer) {
        this.message = message;
        this.answer = answer;
    }

    @Override
    void handle(Turn turn) {
        var mine = answer();
        var forwards = turn.behavior instanceof Workers;
        if (mine.isOver() || (!forwards && !mine.starts())) {
            turn.expired();
            return;
        }
        var content = content();
        Object result;
        try {
            if (turn.behavior instanceof Workers workers) {
                workers.forward(content, mine);
                turn.handled();
                return;
            }
            result = turn.behavior.handle(turn, content);
        } catch (Throwable failure) {
            turn.askFailed(mine, content.getClass(), failure);
            return;
        }
        turn.answered(mine, result);
    }

    @Override
    void lost(Cell cell, Cause cause, @Nullable Throwable why) {
        answer().completeExceptionally(Losses.exception(cell, content(), cause, why));
    }

    @Override
    void clear() {
        message = null;
        answer = null;
    }

    /**
     * Lets whoever waits for the answer run the turn, if that is wanted; true if the turn is left to them. The
     * node may have been dropped from a bounded mailbox meanwhile: then there is nobody to leave it to.
     */
    boolean leavesToWaiter(Turn turn) {
        return answer instanceof SharedTurnAnswer<?> shared && shared.share(turn);
    }

    Answer<@Nullable Object> answer() {
        return Objects.requireNonNull(answer);
    }

    @Override
    Object content() {
        return Objects.requireNonNull(message);
    }

    @Override
    boolean isOver() {
        return answer().isOver();
    }
}
