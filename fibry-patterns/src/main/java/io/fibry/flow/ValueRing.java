package io.fibry.flow;

import io.fibry.ActorInterruptedException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue from one producer to one consumer. A value costs no lock: the producer writes a slot and then {@code tail},
 * the consumer reads {@code tail} and then the slots. The consumer gives slots back in batches, by {@code head}.
 *
 * <p>No wake-up is lost. The producer writes {@code tail} and then reads {@code RingReader.waiting}; the consumer writes
 * {@code waiting} and then reads {@code tail}. All four are volatile, so at least one of the two sees what the other has
 * written: either the consumer finds the value and does not wait, or the producer finds that it waits and wakes it, under the
 * lock under which the consumer goes from its last look to its wait. The same holds for {@code head} and {@code full}, with
 * the roles exchanged, and for {@code closed} instead of {@code head}.
 *
 * <p>The slots are in an array that is small at first. A producer that finds it full, and may go on, links a larger one to
 * it and goes on there. The consumer follows at the value with which the larger array begins. It compares the number of a
 * value that it has seen by {@code tail}. If the larger array begins with this value, the producer has linked it before it
 * wrote that {@code tail}, so the consumer sees the link. If not, it does not matter whether the consumer sees the link.
 */
final class ValueRing<T> {
    private static final int FIRST = 4;

    private final String name;
    private final int capacity;
    private final int batch;
    private final RingReader<T> reader;
    /** A thread waits under the lock under which it has looked for the last time. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    // Written by the producer.
    private Slots filling;
    private long put;
    private long bound;
    /** Written by the producer, which then reads whether the consumer waits. */
    private volatile long tail;
    /** Set by the producer, which then reads {@link #head}; cleared by the consumer. */
    private volatile boolean full;
    /** Set by the producer, which then reads whether the consumer waits. */
    private volatile boolean ended;

    // Written by the consumer.
    private Slots emptying;
    private long taken;
    private long limit;
    /** Written by the consumer, which then reads {@link #full}. */
    private volatile long head;

    // Written by any thread, once.
    private volatile boolean closed;

    /** The slots for the values up to the one with which larger slots begin, if there are any. */
    private static final class Slots {
        final @Nullable Object[] array;
        final int mask;

        // Written by the producer, once.
        @Nullable Slots larger;
        volatile long end = Long.MAX_VALUE;

        /** @param size a power of two */
        Slots(int size) {
            array = new Object[size];
            mask = size - 1;
        }
    }

    ValueRing(String name, int capacity, RingReader<T> reader) {
        this.name = name;
        this.capacity = capacity;
        this.batch = Math.max(1, capacity / 2);
        this.filling = new Slots(capacity < FIRST ? Integer.highestOneBit(2 * capacity - 1) : FIRST);
        this.emptying = filling;
        this.bound = most();
        this.reader = reader;
    }

    // ---- The producer. ----

    void put(T value) {
        if (closed) {
            throw notWanted();
        }
        var at = put;
        if (at == bound) {
            awaitRoom(at);
        }
        filling.array[(int) at & filling.mask] = value;
        put = at + 1;
        tail = at + 1;
        assert Marks.here();
        // mutant: generator-does-not-wake-its-consumer
        if (reader.isWaiting()) {
            reader.wake();
        }
    }

    /** Returns how many values may wait before the producer has to look. */
    private int most() {
        return Math.min(capacity, filling.array.length);
    }

    private void awaitRoom(long at) {
        bound = head + most();
        if (at < bound) {
            return;
        }
        if (filling.array.length < capacity) {
            grow(at);
            return;
        }
        lock.lock();
        try {
            while (true) {
                full = true;
                assert Marks.here();
                // mutant: generator-has-a-place-too-many
                bound = head + capacity;
                // mutant: generator-does-not-look-for-room-again
                if (at < bound || closed) {
                    full = false;
                    break;
                }
                room.await();
            }
        } catch (InterruptedException e) {
            full = false;
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException(
                    "a producer of '" + name + "' was interrupted while it waited for room");
        } finally {
            lock.unlock();
        }
        if (closed) {
            throw notWanted();
        }
    }

    /** Goes on in larger slots. */
    private void grow(long at) {
        var larger = new Slots(2 * filling.array.length);
        filling.larger = larger;
        // mutant: larger-slots-begin-one-value-late
        filling.end = at;
        filling = larger;
        bound = head + most();
    }

    private CancellationException notWanted() {
        return new CancellationException("the consumer of '" + name + "' wants no more values");
    }

    /** Says that the producer has ended. */
    void end() {
        ended = true;
        assert Marks.here();
        // mutant: producer-that-ends-does-not-wake-the-consumer
        if (reader.isWaiting()) {
            reader.wake();
        }
    }

    // ---- The consumer. ----

    @SuppressWarnings("unchecked") // the producer puts nothing else
    @Nullable T poll() {
        var at = taken;
        if (at == limit) {
            var seen = tail;
            if (seen == at) {
                return null;
            }
            limit = Math.min(seen, at + batch);
        }
        var from = emptying;
        // mutant: consumer-stays-in-the-smaller-slots
        if (at == from.end) {
            from = Objects.requireNonNull(from.larger);
            emptying = from;
        }
        var slot = (int) at & from.mask;
        var value = from.array[slot];
        from.array[slot] = null;
        taken = at + 1;
        if (at + 1 == limit) {
            head = at + 1;
            assert Marks.here();
            // mutant: generator-does-not-wake-its-producer
            if (full) {
                wakeProducer();
            }
        }
        return (T) value;
    }

    boolean hasValue() {
        return taken != tail;
    }

    boolean isFull() {
        return full;
    }

    /** Tells whether the consumer has followed the producer to larger slots. */
    boolean hasGrown() {
        return emptying.array.length > FIRST;
    }

    /** Tells whether the batch that the consumer took is used up. */
    boolean isBatchOver() {
        return taken == limit;
    }

    // ---- Any thread. ----

    boolean isEnded() {
        return ended;
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets the producer end: with its next value, or in its wait. */
    void close() {
        closed = true;
        assert Marks.here();
        // mutant: abandoned-generator-does-not-wake-its-producer
        if (full) {
            wakeProducer();
        }
    }

    private void wakeProducer() {
        lock.lock();
        try {
            full = false;
            room.signal();
        } finally {
            lock.unlock();
        }
    }
}
