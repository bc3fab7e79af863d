package io.fibry.internal;

import io.fibry.AskTimeoutException;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** An answer with a time limit. */
final class TimedAnswer<T extends @Nullable Object> extends Answer<T> {
    private static final VarHandle WAITERS;

    static {
        try {
            WAITERS = MethodHandles.lookup().findVarHandle(TimedAnswer.class, "waiters", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TimeSource time;
    private final long timeoutNanos;
    private final long sentAt;
    private final Class<?> message;
    /** Zero until the handler starts; written by the turn. */
    private volatile long startedAt;
    private volatile @Nullable Cancellable timer;
    private volatile int waiters;

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
        if (isDone()) {
            settled();
        }
    }

    @Override
    void settled() {
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

    /**
     * Runs on the timer thread. Threads that wait in {@code get} or {@code join} are woken right there, so
     * that they hear of it even if all carriers are busy. Callbacks are foreign code, which must not hold up
     * the timers of others: they get a thread.
     */
    private void expire() {
        if (isDone()) {
            return;
        }
        var failure = new AskTimeoutException("actor '" + target().name()
                + "' gave no answer to a message of "
                + message.getName() + " within " + Duration.ofNanos(timeoutNanos) + ": " + whereabouts());
        if (getNumberOfDependents() <= waiters) {
            expireWith(failure);
        } else {
            Strategies.FIBER_EXECUTOR.execute(() -> expireWith(failure));
        }
    }

    private void expireWith(AskTimeoutException failure) {
        if (completeExceptionally(failure)) {
            target().interruptAnswer(this);
        }
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        WAITERS.getAndAdd(this, 1);
        try {
            return super.get();
        } finally {
            WAITERS.getAndAdd(this, -1);
        }
    }

    @Override
    public T join() {
        WAITERS.getAndAdd(this, 1);
        try {
            return super.join();
        } finally {
            WAITERS.getAndAdd(this, -1);
        }
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
                + " and its handler has been running for "
                + Duration.ofNanos(now - started);
    }
}
