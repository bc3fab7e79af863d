package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber with an actor of its own, which stops with the stream, or with an actor of the program. It counts the values
 * that are requested, queued and handled. The future of the end is complete when the stream is over and no value is queued.
 */
final class ActorSubscriber<T> implements FlowSubscriber<T> {
    private final String name;
    private final int capacity;
    private final int group;
    private final Demand demand = new Demand();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** The end of an actor of the program, which the stream does not stop; null for an actor of its own. */
    private final @Nullable CompletableFuture<StopReport> endOfOther;
    /** Set once, before the subscriber is returned. Null until then, and an actor of its own may end before. */
    private @Nullable Actor<T, ?> actor;

    // Guarded by the lock.
    private int requested;
    private int queued;
    private int handled;
    private boolean finished;
    private boolean over;
    private @Nullable Throwable failure;

    private ActorSubscriber(String name, FlowOptions options, @Nullable Actor<T, ?> other) {
        this.name = name;
        this.capacity = Objects.requireNonNull(options, "options").capacity();
        this.group = Math.max(1, capacity / 2);
        this.actor = other;
        this.endOfOther = other == null ? null : other.onStopped();
    }

    static <T> ActorSubscriber<T> open(ActorScope scope, String name, FlowOptions options,
            Handler<T> handler) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(handler, "handler");
        var subscriber = new ActorSubscriber<T>(name, options, null);
        subscriber.actor = options.actors().apply(scope.named(name))
                .onExit(() -> subscriber.lose(Production.stopped(name))).newActor(handler);
        return subscriber;
    }

    static <T> ActorSubscriber<T> of(Actor<T, ?> actor, FlowOptions options) {
        var name = Objects.requireNonNull(actor, "actor").name();
        var subscriber = new ActorSubscriber<>(name, options, actor);
        var unused = Objects.requireNonNull(subscriber.endOfOther)
                .thenRun(() -> subscriber.cancel(Production.stopped(name)));
        return subscriber;
    }

    private Actor<T, ?> actor() {
        return Objects.requireNonNull(actor);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (!demand.begin(subscription)) {
            subscription.cancel();
            return;
        }
        lock.lock();
        try {
            requested = capacity;
        } finally {
            lock.unlock();
        }
        request(capacity);
    }

    private void request(long n) {
        try {
            demand.request(n);
        } catch (Throwable thrown) {
            // By rule 3.16 a subscription throws nothing. This one cannot be relied on.
            cancel(thrown);
        }
    }

    @Override
    public void onNext(T value) {
        Objects.requireNonNull(value, "value");
        boolean isWanted;
        lock.lock();
        try {
            if (over) {
                return;
            }
            isWanted = requested > 0;
            if (isWanted) {
                requested--;
                queued++;
            }
        } finally {
            lock.unlock();
        }
        if (!isWanted) {
            cancel(new IllegalStateException(
                    "a publisher has sent '" + name
                            + "' a value that was not requested (rule 1.1 of Reactive Streams)"));
        } else {
            var unused = actor().sendTracked(value).thenAccept(this::met);
        }
    }

    /** Gives the place of a value back, whatever has become of it. */
    private void met(MessageFate fate) {
        var why = whyNot(fate);
        if (why != null) {
            cancel(why);
            miss(why);
        }
        handled();
    }

    private @Nullable Throwable whyNot(MessageFate fate) {
        return switch (fate) {
            case MessageFate.Dropped dropped -> dropped.why();
            case MessageFate.Refused refused -> refused.why();
            case MessageFate.Undelivered undelivered -> undelivered.why();
            case MessageFate.Expired expired ->
                new ActorException("a value of subscriber '" + name + "' has waited for too long");
            case MessageFate.Handled handled -> null;
            case MessageFate.Failed failed -> null;
        };
    }

    /** Says that a value was not handled. A stream that has ended as it should has then failed nevertheless. */
    private void miss(Throwable why) {
        lock.lock();
        try {
            if (!finished && failure == null) {
                failure = why;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onError(Throwable thrown) {
        end(Objects.requireNonNull(thrown, "failure"), false);
    }

    @Override
    public void onComplete() {
        end(null, false);
    }

    /** Cancels the stream, if it is not over. */
    private void cancel(Throwable why) {
        end(why, true);
    }

    private void cancel() {
        cancel(new CancellationException("subscriber '" + name + "' was closed before the stream had ended"));
    }

    /** Returns why the stream has ended; null if it has not failed. */
    private @Nullable Throwable whyEnded() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable Throwable why, boolean cancel) {
        boolean isComplete;
        lock.lock();
        try {
            if (over) {
                return;
            }
            over = true;
            failure = why;
            isComplete = queued == 0;
        } finally {
            lock.unlock();
        }
        if (cancel) {
            cancelDemand();
        } else {
            demand.end();
        }
        if (isComplete) {
            finish(true);
        }
    }

    private void cancelDemand() {
        try {
            demand.cancel();
        } catch (Throwable thrown) {
            miss(thrown);
            var first = whyEnded();
            if (first != null) {
                Failures.add(first, thrown);
            }
        }
    }

    private void handled() {
        int more = 0;
        boolean isComplete;
        lock.lock();
        try {
            if (queued == 0) {
                return; // It was lost.
            }
            queued--;
            handled++;
            if (!over && handled >= group) {
                more = handled;
                requested += handled;
                handled = 0;
            }
            isComplete = over && queued == 0;
        } finally {
            lock.unlock();
        }
        if (more > 0) {
            request(more);
        }
        if (isComplete) {
            finish(true);
        }
    }

    /** Says, inside the actor when it ends, that the values that are queued will not be handled. */
    private void lose(Throwable why) {
        cancel(why);
        lock.lock();
        try {
            if (queued > 0 && failure == null) {
                failure = why;
            }
            queued = 0;
        } finally {
            lock.unlock();
        }
        finish(false);
    }

    @SuppressWarnings("NullAway") // a Void has no other value
    private void finish(boolean actorGoesOn) {
        Throwable thrown;
        lock.lock();
        try {
            if (finished) {
                return;
            }
            finished = true;
            thrown = failure;
        } finally {
            lock.unlock();
        }
        if (actorGoesOn) {
            var mine = actor;
            if (endOfOther != null) {
                endOfOther.cancel(false);
            } else if (mine != null) {
                mine.sendPoisonPill();
            }
        }
        if (thrown == null) {
            end.complete(null);
        } else {
            end.completeExceptionally(thrown);
        }
    }

    @Override
    public CompletableFuture<Void> onEnd() {
        return end.copy();
    }

    @Override
    public StopReport stop(Duration deadline) {
        DeadlineCheck.check(deadline);
        cancel();
        return endOfOther == null ? actor().stop(deadline) : reportOfOther();
    }

    private StopReport reportOfOther() {
        return new StopReport(name, true, false, List.of(), counters());
    }

    @Override
    public void close() {
        cancel();
        if (endOfOther == null) {
            actor().close();
        }
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return endOfOther == null ? actor().onStopped()
                : onEnd().handle((nothing, failure) -> reportOfOther());
    }

    @Override
    public Counters counters() {
        return actor().counters();
    }

    @Override
    public String toString() {
        return "subscriber '" + name + "'";
    }
}
