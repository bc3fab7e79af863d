package io.fibry.flow;

import io.fibry.ActorException;
import io.fibry.ActorInterruptedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The consumer's side of the {@linkplain ValueRing rings} of some producers. The consumer waits, or it is called when there is
 * something new.
 */
final class RingReader<T> implements Supply<T> {
    private final String name;
    private final List<ValueRing<T>> rings = new ArrayList<>();
    private final @Nullable Runnable wakeUp;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    private int current;
    private @Nullable T next;
    private boolean ended;

    // Guarded by the lock.
    private boolean isByProducer;

    /** Set by the consumer, which then looks once more; cleared by the thread that wakes it. */
    private volatile boolean waiting;
    /** Set by any thread, which then reads {@link #waiting}. */
    private volatile boolean cancelled;
    /** Written once, by any thread, under the lock. */
    private volatile @Nullable Throwable failure;

    /**
     * Makes the side of the consumer.
     *
     * @param wakeUp is called if there is something new after {@link #arm}; null if the consumer waits by {@link #hasNext}
     */
    RingReader(String name, int producers, int capacity, @Nullable Runnable wakeUp) {
        this.name = name;
        this.wakeUp = wakeUp;
        if (capacity < producers) {
            throw new IllegalArgumentException("'" + name + "' has " + producers
                    + " producers and a look-ahead of " + capacity + "; each producer needs a place");
        }
        for (int i = 0; i < producers; i++) {
            var share = capacity / producers + (i < capacity % producers ? 1 : 0);
            rings.add(new ValueRing<>(name, share, this));
        }
    }

    List<ValueRing<T>> rings() {
        return rings;
    }

    // ---- The consumer. ----

    /** Waits for the next value; false if there is none. Throws what a producer has thrown. */
    boolean hasNext() {
        while (true) {
            if (cancelled) {
                next = null;
                return false;
            }
            if (next != null) {
                return true;
            }
            if (ended) {
                return end();
            }
            // A producer ends after its last value, so look for the end first.
            var over = isOver();
            next = poll();
            if (next == null) {
                if (over) {
                    return end();
                }
                await();
            }
        }
    }

    /** Takes the value that {@link #hasNext} has found. */
    @Nullable T take() {
        var value = next;
        next = null;
        return value;
    }

    private boolean end() {
        ended = true;
        switch (failure) {
            case null -> {
                return false;
            }
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            case Throwable checked ->
                throw new ActorException("a producer of '" + name + "' has failed: " + checked, checked);
        }
    }

    private void await() {
        lock.lock();
        try {
            while (true) {
                waiting = true;
                assert Marks.here();
                // mutant: generator-does-not-look-for-values-again
                if (hasValue() || isOver()) {
                    waiting = false;
                    return;
                }
                news.await();
            }
        } catch (InterruptedException e) {
            waiting = false;
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException("interrupted while it waited for a value of '" + name + "'");
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable T poll() {
        for (int i = rings.size(); i > 0; i--) {
            var ring = rings.get(current);
            var value = ring.poll();
            if (value == null || ring.isBatchOver()) {
                current = current + 1 == rings.size() ? 0 : current + 1;
            }
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    @Override
    public boolean arm() {
        assert Marks.here();
        waiting = true;
        assert Marks.here();
        // mutant: subscription-does-not-look-for-values-again
        if (hasValue() || isOver()) {
            waiting = false;
            return false;
        }
        return true;
    }

    // ---- Any thread. ----

    @Override
    public Look look() {
        // A producer ends after its last value, so look for the end first.
        var over = isOver();
        return new Look(hasValue(), over, failure);
    }

    boolean hasValue() {
        for (var ring : rings) {
            if (ring.hasValue()) {
                return true;
            }
        }
        return false;
    }

    boolean isOver() {
        if (cancelled || failure != null) {
            return true;
        }
        for (var ring : rings) {
            if (!ring.isEnded()) {
                return false;
            }
        }
        return true;
    }

    boolean isWaiting() {
        return waiting;
    }

    void wake() {
        Runnable call = null;
        lock.lock();
        try {
            if (waiting) {
                waiting = false;
                call = wakeUp;
                news.signal();
            }
        } finally {
            lock.unlock();
        }
        if (call != null) {
            call.run();
        }
    }

    /** Ends all producers. The consumer gets the values that are there, and then this failure, if it is the first one. */
    @Override
    public void fail(Throwable thrown) {
        end(thrown, false);
    }

    /**
     * Ends all producers since one of them has thrown something. A further failure is kept in the first one. Returns false if
     * the values have ended for another reason, so that the consumer does not get to know the failure.
     */
    boolean failBy(Throwable thrown) {
        return end(thrown, true);
    }

    private boolean end(Throwable thrown, boolean byProducer) {
        lock.lock();
        try {
            if (isOver()) {
                var first = failure;
                if (cancelled || first == null || !byProducer || !isByProducer) {
                    return false;
                }
                Failures.add(first, thrown);
                return true;
            }
            isByProducer = byProducer;
            failure = thrown;
            assert Marks.here();
        } finally {
            lock.unlock();
        }
        rings.forEach(ValueRing::close);
        // mutant: failed-generator-does-not-wake-its-consumer
        if (waiting) {
            wake();
        }
        return true;
    }

    @Override
    public void cancel() {
        cancelled = true;
        rings.forEach(ValueRing::close);
        if (waiting) {
            wake();
        }
    }
}
