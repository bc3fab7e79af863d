package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Code to be run inside the actor. */
final class TaskNode extends Node {
    private final Callable<? extends @Nullable Object> code;
    /** The user's object, to be shown in reports. */
    private final Object shown;
    private final @Nullable Answer<@Nullable Object> answer;

    TaskNode(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        this.code = code;
        this.shown = shown;
        this.answer = answer;
    }

    @Override
    void handle(Turn turn) {
        if (isOver()) {
            turn.expired();
            return;
        }
        if (answer != null) {
            answer.starts();
        }
        Object result;
        try {
            result = code.call();
        } catch (Throwable failure) {
            if (answer == null) {
                turn.failed(shown.getClass(), failure);
            } else {
                turn.askFailed(answer, shown.getClass(), failure);
            }
            return;
        }
        if (answer == null) {
            turn.handled();
        } else {
            turn.answered(answer, result);
        }
    }

    @Override
    void lost(Cell<?, ?> cell, Cause cause, @Nullable Throwable why) {
        if (answer != null) {
            answer.completeExceptionally(Losses.exception(cell, shown, cause, why));
        }
    }

    @Override
    Object content() {
        return shown;
    }

    @Override
    boolean isOver() {
        return answer != null && answer.isDone();
    }
}
