package io.fibry.flow;

import io.fibry.ActorInterruptedException;
import io.fibry.OverflowPolicy;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The values that any threads push to one subscriber. Everything is guarded by the lock. */
final class PushedValues<T> implements Supply<T>, FlowSink<T> {
    private final String name;
    private final int capacity;
    private final OverflowPolicy overflow;
    private final Runnable wakeUp;
    private final Runnable whenCancelled;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<T> values = new ArrayDeque<>();
    private boolean armed;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable failure;

    /**
     * Makes a buffer.
     *
     * @param wakeUp is called, without the lock, if there is something new after {@link #arm}
     * @param whenCancelled is called, without the lock, when the subscription is over
     */
    PushedValues(String name, FlowOptions options, Runnable wakeUp, Runnable whenCancelled) {
        this.name = name;
        this.capacity = Objects.requireNonNull(options, "options").capacity();
        this.overflow = options.overflow();
        this.wakeUp = wakeUp;
        this.whenCancelled = whenCancelled;
    }

    @Override
    public boolean offer(T value) {
        Objects.requireNonNull(value, "value");
        boolean accepted;
        boolean wake;
        lock.lock();
        try {
            accepted = makeRoom();
            if (accepted) {
                values.add(value);
            }
            wake = disarm();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wakeUp.run();
        }
        return accepted;
    }

    private boolean makeRoom() {
        while (!ended && !cancelled && values.size() >= capacity) {
            switch (overflow) {
                case OverflowPolicy.Block block -> awaitRoom();
                case OverflowPolicy.DropOldest drop -> values.poll();
                case OverflowPolicy.DropNewest drop -> {
                    return false;
                }
                case OverflowPolicy.Reject reject -> {
                    return false;
                }
                case OverflowPolicy.Fail fail -> {
                    ended = true;
                    failure = new IllegalStateException("a subscriber of '" + name + "' was too slow: "
                            + capacity
                            + " values waited for it, and there was one more; request sooner, or choose another "
                            + "capacity or policy");
                }
            }
        }
        return !ended && !cancelled;
    }

    private void awaitRoom() {
        try {
            while (!ended && !cancelled && values.size() >= capacity) {
                room.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException(
                    "interrupted while it waited for room for a subscriber of '" + name + "'");
        }
    }

    private boolean disarm() {
        var was = armed && (!values.isEmpty() || ended || cancelled);
        armed &= !was;
        return was;
    }

    @Override
    public void complete() {
        end(null);
    }

    @Override
    public void fail(Throwable thrown) {
        end(Objects.requireNonNull(thrown, "failure"));
    }

    private void end(@Nullable Throwable thrown) {
        boolean wake;
        lock.lock();
        try {
            if (ended || cancelled) {
                return;
            }
            ended = true;
            failure = thrown;
            room.signalAll();
            wake = disarm();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wakeUp.run();
        }
    }

    @Override
    public @Nullable T poll() {
        lock.lock();
        try {
            var value = values.poll();
            if (value != null) {
                room.signal();
            }
            return value;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isWanted() {
        return !look().isOver();
    }

    @Override
    public Look look() {
        lock.lock();
        try {
            return new Look(!values.isEmpty(), ended || cancelled, failure);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean arm() {
        lock.lock();
        try {
            armed = values.isEmpty() && !ended && !cancelled;
            return armed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            values.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        whenCancelled.run();
    }
}
