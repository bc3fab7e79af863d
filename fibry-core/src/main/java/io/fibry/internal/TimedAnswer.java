package io.fibry.internal;

import io.fibry.AskTimeoutException;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An answer with a time limit.
 *
 * <p>When the time is over the timer thread wakes who waits in {@code get} or {@code join} itself, so that they
 * hear of it even if all carriers are busy. Callbacks are foreign code, which must not hold up the timers of
 * others: the completion that runs them is left to a fiber. So the outcome is decided first, by a CAS, and
 * the future completed after that: by a fiber, if there is any callback.
 */
final class TimedAnswer<T extends @Nullable Object> extends Answer<T> {
    private static final VarHandle DECIDED;

    static {
        try {
            DECIDED = MethodHandles.lookup().findVarHandle(TimedAnswer.class, "decided", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TimeSource time;
    private final long timeoutNanos;
    private final long sentAt;
    private final Class<?> message;
    /** Opens when the outcome is known. */
    private final Gate known = new Gate();
    /** Zero until the handler starts; written by the turn. */
    private volatile long startedAt;
    private volatile @Nullable Cancellable timer;
    private volatile boolean decided;
    private volatile boolean hasCallbacks;
    private volatile boolean completesHere;
    /** Set before {@code known} opens. */
    private volatile @Nullable AskTimeoutException expired;

    TimedAnswer(Cell target, Class<?> message, long timeoutNanos) {
        super(target);
        this.time = target.spec().scope().time();
        this.message = message;
        this.timeoutNanos = timeoutNanos;
        this.sentAt = time.nanoTime();
    }

    /** Starts the clock. If the answer is there by then, or comes meanwhile, the timer does not stay. */
    void arm() {
        timer = time.schedule(timeoutNanos, this::expire);
        if (decided) {
            cancelTimer();
        }
    }

    private void expire() {
        if (decided) {
            return;
        }
        var failure = new AskTimeoutException("actor '" + target().name()
                + "' gave no answer to a message of "
                + message.getName() + " within " + Duration.ofNanos(timeoutNanos) + ": " + whereabouts());
        if (!decide()) {
            return;
        }
        expired = failure;
        known.open();
        target().interruptAnswer(this);
        completesHere = true;
        if (!hasCallbacks && getNumberOfDependents() == 0) {
            settle(failure);
        } else {
            Strategies.FIBER_EXECUTOR.execute(() -> settle(failure));
        }
    }

    /**
     * Somebody is about to add a callback. It says so and then looks whether the timer thread may be completing
     * this; that looks the other way round. So either the timer thread leaves the completion to a fiber, or the
     * callback is added to a completed future and runs where it is added.
     */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        hasCallbacks = true;
        if (completesHere) {
            var backoff = new Backoff();
            while (!isDone()) {
                backoff.pause();
            }
        }
        return super.newIncompleteFuture();
    }

    /** Makes the caller the one that completes this; false if another one was first. */
    @Override
    boolean decide() {
        return DECIDED.compareAndSet(this, false, true);
    }

    @Override
    void settled() {
        cancelTimer();
        known.open();
    }

    private void cancelTimer() {
        var armed = timer;
        if (armed != null) {
            armed.cancel();
        }
    }

    @Override
    boolean starts() {
        var now = time.nanoTime();
        startedAt = now == 0 ? 1 : now;
        return super.starts();
    }

    @Override
    public boolean isOver() {
        return expired != null || isDone();
    }

    @Override
    T await() throws InterruptedException, ExecutionException {
        known.await(time, Long.MAX_VALUE);
        return outcome();
    }

    @Override
    T await(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (!known.await(time, unit.toNanos(timeout))) {
            throw new TimeoutException();
        }
        return outcome();
    }

    @Override
    T awaitUninterrupted() {
        known.awaitUninterrupted(time);
        var failure = expired;
        if (failure != null) {
            throw new CompletionException(failure);
        }
        return super.awaitUninterrupted();
    }

    private T outcome() throws InterruptedException, ExecutionException {
        var failure = expired;
        if (failure != null) {
            throw new ExecutionException(failure);
        }
        return super.await();
    }

    /** Nothing may be on top when the time is over. */
    @Override
    void runTarget() {
        Parking.emptySlot();
    }

    @Override
    String whereabouts() {
        var now = time.nanoTime();
        var started = startedAt;
        if (started == 0) {
            return "it was queued for " + Duration.ofNanos(now - sentAt) + " and is not running yet; "
                    + target().mailboxSize() + " messages wait, the actor is " + target().state();
        }
        return "it was queued for " + Duration.ofNanos(started - sentAt)
                + " and its handler has been running for " + Duration.ofNanos(now - started);
    }
}
