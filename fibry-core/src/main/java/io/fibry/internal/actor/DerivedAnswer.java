package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import org.jspecify.annotations.Nullable;

/** A future that is derived from an answer, for example by {@code thenApply}. A wait for it is a wait for the actor. */
final class DerivedAnswer<T extends @Nullable Object> extends Answer<T> {
    private final Answer<?> source;

    DerivedAnswer(Answer<?> source) {
        super(source.target());
        this.source = source;
    }

    /** Reads the target each time, since the ask may be passed on to a worker. */
    @Override
    public Cell target() {
        return source.target();
    }

    /** Once the actor has answered, this future waits for something other than the actor. */
    @Override
    public boolean isOver() {
        return isDone() || source.isOver();
    }

    @Override
    public boolean dependsOnTarget() {
        return !isOver() && source.dependsOnTarget();
    }

    @Override
    void requireWaitable() {
        if (!isOver()) {
            source.requireWaitable();
        }
    }

    @Override
    boolean isDirect() {
        return false;
    }

    @Override
    boolean mayRunOnTop() {
        return source.mayRunOnTop();
    }

    @Override
    String details() {
        return source.isDone()
                ? "it has answered, but what was derived from the answer is not complete"
                : source.details();
    }

    @Override
    Answer<?> origin() {
        return source.origin();
    }

    @Override
    void failAsk(AskCycleException cycle) {
        source.failAsk(cycle);
    }

    @Override
    void cancelled() {
        // The ask itself goes on, as it does for the stages of any CompletableFuture.
    }
}
