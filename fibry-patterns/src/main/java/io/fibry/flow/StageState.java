package io.fibry.flow;

import io.fibry.function.ReplyHandler;
import org.jspecify.annotations.Nullable;

/** One stage of a pipeline that runs, and what became of its values. Guarded by the lock of the pipeline. */
final class StageState {
    final String name;
    final @Nullable ReplyHandler<Object, ?> function;
    final StageOptions options;
    long in;
    long out;
    long failed;
    long cancelled;

    /** @param function null for the place where values wait for a subscriber */
    StageState(String name, @Nullable ReplyHandler<Object, ?> function, StageOptions options) {
        this.name = name;
        this.function = function;
        this.options = options;
    }
}
