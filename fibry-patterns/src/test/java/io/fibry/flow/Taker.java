package io.fibry.flow;

import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** A subscriber that keeps what it gets, and that fails if two of its calls overlap or come in a wrong order. */
class Taker<T> implements Flow.Subscriber<T> {
    final List<T> values = new CopyOnWriteArrayList<>();
    final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    /** Completes with the failure, or with null. */
    final CompletableFuture<Throwable> end = new CompletableFuture<>();
    final CompletableFuture<String> wrong = new CompletableFuture<>();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final long atFirst;

    Taker(long atFirst) {
        this.atFirst = atFirst;
    }

    static <T> Taker<T> ofAll() {
        return new Taker<>(Long.MAX_VALUE);
    }

    private void alone(Runnable code) {
        if (!busy.compareAndSet(false, true)) {
            wrong.complete("two calls at a time");
        }
        try {
            code.run();
        } finally {
            busy.set(false);
        }
    }

    @Override
    public final void onSubscribe(Flow.Subscription made) {
        alone(() -> {
            if (!subscription.complete(made)) {
                wrong.complete("a second onSubscribe");
            }
            begun(made);
            if (atFirst > 0) {
                made.request(atFirst);
            }
        });
    }

    @Override
    public final void onNext(T value) {
        alone(() -> {
            if (!subscription.isDone() || end.isDone()) {
                wrong.complete("onNext outside of the stream");
            }
            values.add(value);
            got(value);
        });
    }

    @Override
    public final void onError(Throwable failure) {
        alone(() -> ended(failure));
    }

    @Override
    public final void onComplete() {
        alone(() -> ended(null));
    }

    private void ended(Throwable failure) {
        if (!subscription.isDone() || !end.complete(failure)) {
            wrong.complete("an end before the beginning, or a second end");
        }
        over();
    }

    void begun(Flow.Subscription made) {
    }

    void got(T value) {
    }

    void over() {
    }

    Flow.Subscription subscription() throws Exception {
        return Waits.on(subscription);
    }

    /** Waits for the end; what failed, or null. */
    Throwable failure() throws Exception {
        var failure = Waits.on(end);
        check();
        return failure;
    }

    void check() {
        if (wrong.isDone()) {
            throw new AssertionError(wrong.join());
        }
    }
}
