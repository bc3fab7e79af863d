package io.fibry.internal;

import io.fibry.AskCycleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What an ask returns. To its users it is a plain {@link CompletableFuture}; it also knows whom it waits
 * for, which makes circles visible and time-outs talk.
 */
class Answer<T extends @Nullable Object> extends CompletableFuture<T> implements Waiting {
    /** Changes once at most, when the actor that was asked hands the message to a worker. */
    private volatile Cell target;

    Answer(Cell target) {
        this.target = target;
    }

    /** The handler is about to run; false if nobody wants it any more. Called on the actor's turn. */
    boolean starts() {
        return target.startsAnswer(this);
    }

    /** It was completed, by whomever; called once or a few times. */
    void settled() {
    }

    final void forwardTo(Cell worker) {
        target = worker;
    }

    @Override
    public Cell target() {
        return target;
    }

    @Override
    public boolean isOver() {
        return isDone();
    }

    @Override
    public boolean complete(T value) {
        if (!decide()) {
            return false;
        }
        var first = super.complete(value);
        settled();
        return first;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return decide() && settle(failure);
    }

    /** Completes what has been decided. */
    final boolean settle(Throwable failure) {
        var first = super.completeExceptionally(failure);
        settled();
        return first;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!decide()) {
            return isCancelled();
        }
        var first = super.cancel(mayInterruptIfRunning);
        settled();
        if (first) {
            cancelled();
        }
        return first;
    }

    /** Whether the caller may complete this. Where it is not the future itself that decides who comes first. */
    boolean decide() {
        return true;
    }

    void cancelled() {
        target.interruptAnswer(this);
    }

    @Override
    public final T get() throws InterruptedException, ExecutionException {
        if (isDone()) {
            return super.get();
        }
        startWaiting();
        try {
            runTarget();
            return await();
        } finally {
            WaitGraph.leave();
        }
    }

    @Override
    public final T join() {
        if (isDone()) {
            return super.join();
        }
        startWaiting();
        try {
            runTarget();
            return awaitUninterrupted();
        } finally {
            WaitGraph.leave();
        }
    }

    @Override
    public final T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (isDone()) {
            return super.get();
        }
        startWaiting();
        try {
            Parking.emptySlot();
            return await(timeout, unit);
        } catch (TimeoutException e) {
            var told = new TimeoutException("actor '" + target().name() + "' gave no answer within "
                    + unit.toMillis(timeout) + " ms of waiting: " + whereabouts());
            told.initCause(e);
            throw told;
        } finally {
            WaitGraph.leave();
        }
    }

    /** Before it parks, an actor lets the one that it waits for run on its own stack, if that is next here. */
    void runTarget() {
        if (Current.strand() instanceof Lane lane) {
            lane.runUntil(this);
        }
    }

    T await() throws InterruptedException, ExecutionException {
        return super.get();
    }

    T await(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return super.get(timeout, unit);
    }

    T awaitUninterrupted() {
        return super.join();
    }

    private void startWaiting() {
        try {
            WaitGraph.enter(this);
        } catch (AskCycleException e) {
            failAsk(e);
            throw e;
        }
    }

    /** Nobody will wait for it: if it is still queued it is skipped. */
    void failAsk(AskCycleException cycle) {
        completeExceptionally(cycle);
    }

    /** For time-outs: where the message is. */
    String whereabouts() {
        return target().isRunning(this)
                ? "its handler is running"
                : "it is queued, " + target().mailboxSize() + " messages wait; the actor is "
                        + target().state();
    }

    /** Futures derived from this one depend on the same actor, so waits on them are seen as well. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
    }

    private static final class Derived<T extends @Nullable Object> extends Answer<T> {
        private final Answer<?> source;

        Derived(Answer<?> source) {
            super(source.target);
            this.source = source;
        }

        /** Not a copy: the ask may be handed to a worker. */
        @Override
        public Cell target() {
            return source.target();
        }

        /** Once the actor has answered, what this still waits for is something else. */
        @Override
        public boolean isOver() {
            return isDone() || source.isOver();
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
}
