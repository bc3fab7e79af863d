package io.fibry.internal;

import io.fibry.AskTimeoutException;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
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
 * the future completed after that.
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
        Strategies.FIBER_EXECUTOR.execute(() -> settle(failure));
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
