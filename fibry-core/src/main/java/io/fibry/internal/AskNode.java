package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import org.jspecify.annotations.Nullable;

/** A message with an answer that somebody may wait for. */
final class AskNode extends Node {
    final Answer<@Nullable Object> answer;
    private final Object message;

    AskNode(Object message, Answer<@Nullable Object> answer) {
        this.message = message;
        this.answer = answer;
    }

    @Override
    void handle(Turn turn) {
        if (answer.isDone()) {
            turn.expired();
            return;
        }
        if (turn.cell.behavior instanceof Workers workers) {
            workers.forward(turn, this);
            return;
        }
        answer.starts();
        Object result;
        try {
            result = turn.cell.behavior.handle(turn, message);
        } catch (Throwable failure) {
            turn.askFailed(answer, message.getClass(), failure);
            return;
        }
        turn.answered(answer, result);
    }

    @Override
    void lost(Cell<?, ?> cell, Cause cause, @Nullable Throwable why) {
        answer.completeExceptionally(Losses.exception(cell, message, cause, why));
    }

    @Override
    Object content() {
        return message;
    }

    @Override
    boolean isOver() {
        return answer.isDone();
    }
}
