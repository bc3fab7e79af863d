package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Code to be run inside the actor. */
final class TaskNode extends Node {
    private @Nullable Callable<? extends @Nullable Object> code;
    /** The user's object, to be shown in reports. */
    private @Nullable Object shown;
    private @Nullable Answer<@Nullable Object> answer;

    TaskNode(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        this.code = code;
        this.shown = shown;
        this.answer = answer;
    }

    @Override
    void handle(Turn turn) {
        var mine = answer;
        if (mine != null && (mine.isOver() || !mine.starts())) {
            turn.expired();
            return;
        }
        Object result;
        try {
            if (turn.behavior instanceof Workers workers) {
                workers.forward(Objects.requireNonNull(code), content(), mine);
                turn.handled();
                return;
            }
            result = Objects.requireNonNull(code).call();
        } catch (Throwable failure) {
            if (mine == null) {
                turn.failed(content().getClass(), failure);
            } else {
                turn.askFailed(mine, content().getClass(), failure);
            }
            return;
        }
        if (mine == null) {
            turn.handled();
        } else {
            turn.answered(mine, result);
        }
    }

    @Override
    void lost(Cell cell, Cause cause, @Nullable Throwable why) {
        if (answer != null) {
            answer.completeExceptionally(Losses.exception(cell, content(), cause, why));
        }
    }

    @Override
    void clear() {
        code = null;
        shown = null;
        answer = null;
    }

    @Override
    Object content() {
        return Objects.requireNonNull(shown);
    }

    @Override
    boolean isOver() {
        return answer != null && answer.isOver();
    }
}
