package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Timers, the earliest first: a heap whose entries know their places, so that a cancelled one is taken out at
 * once. Each entry has four children: half as many levels as with two, and the four lie beside each other.
 *
 * <p>It is guarded by a lock that nobody parks for. What is done under it takes well under a microsecond and cannot
 * block, so whoever holds it is running. With a lock that queues, the timer thread could stand behind a
 * virtual thread that has been given the lock and gets no carrier.
 *
 * <p>A stack may overflow anywhere below a deep recursion of a user's, and others go on with this heap. So
 * {@link #settle} does all that changes it, without a call.
 */
public final class TimerHeap {
    private static final int CHILDREN = 4;
    private static final int SMALLEST = 16;
    private static final int SPINS = 64;
    private static final VarHandle HELD =
            FieldAccess.of(MethodHandles.lookup(), "held", boolean.class);

    private final Runnable whenEmptied;
    private volatile boolean held;
    /** What {@code heap[0]} is, for those who look without the lock. */
    private volatile @Nullable PendingTimer first;

    // Guarded by the lock.
    private @Nullable PendingTimer[] heap = new PendingTimer[SMALLEST];
    private int size;
    private int numbers;

    /** A heap; {@code whenEmptied} is told when the last timer was cancelled. */
    TimerHeap(Runnable whenEmptied) {
        this.whenEmptied = whenEmptied;
    }

    /** The earliest; null if there is none. */
    @Nullable PendingTimer first() {
        return first;
    }

    /** Puts a timer in; whether it is the earliest now. */
    boolean add(PendingTimer timer) {
        lock();
        try {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            settle(timer, size, size + 1);
            return timer.place == 0;
        } finally {
            held = false;
        }
    }

    /** Takes the earliest out if it is due by now; its task. */
    @Nullable Runnable takeDue(long now) {
        lock();
        try {
            var earliest = heap[0];
            return earliest == null || earliest.due - now > 0 ? null : take(earliest);
        } finally {
            held = false;
        }
    }

    private @Nullable Runnable take(PendingTimer timer) {
        var place = timer.place;
        var last = size - 1;
        var moved = place == PendingTimer.GONE ? null : heap[last];
        if (moved == null) {
            return null;
        }
        if (heap.length > SMALLEST && size < heap.length / CHILDREN) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
        settle(moved, place, last);
        var task = timer.task;
        timer.task = null;
        timer.place = PendingTimer.GONE;
        return task;
    }

    /** Takes a timer out that is not to run; false if it was not in any more. */
    boolean cancel(PendingTimer timer) {
        lock();
        var taken = false;
        try {
            taken = take(timer) != null;
        } finally {
            held = false;
        }
        if (taken && first == null) {
            whenEmptied.run();
        }
        return taken;
    }

    /** How many there are. */
    int size() {
        lock();
        try {
            return size;
        } finally {
            held = false;
        }
    }

    /**
     * Puts a timer in a place, and then up or down to where it belongs. The heap has {@code newSize} entries
     * after that: one more than before, or one less, the last.
     */
    @SuppressWarnings("NullAway") // below the size there are no nulls
    private void settle(PendingTimer timer, int start, int newSize) {
        var all = heap;
        var place = start;
        if (newSize > size) {
            timer.number = numbers++;
        } else {
            all[newSize] = null;
        }
        size = newSize;
        if (place < newSize) {
            var due = timer.due;
            var number = timer.number;
            while (place > 0) {
                var parent = all[(place - 1) / CHILDREN];
                var later = due - parent.due;
                if (later > 0 || (later == 0 && number - parent.number > 0)) {
                    break;
                }
                all[place] = parent;
                var above = parent.place;
                parent.place = place;
                place = above;
            }
            var child = CHILDREN * place + 1;
            while (child < newSize) {
                var least = all[child];
                var end = child + CHILDREN < newSize ? child + CHILDREN : newSize;
                for (var i = child + 1; i < end; i++) {
                    var other = all[i];
                    var later = other.due - least.due;
                    if (later < 0 || (later == 0 && other.number - least.number < 0)) {
                        least = other;
                    }
                }
                var later = due - least.due;
                if (later < 0 || (later == 0 && number - least.number < 0)) {
                    break;
                }
                var below = least.place;
                all[place] = least;
                least.place = place;
                place = below;
                child = CHILDREN * place + 1;
            }
            all[place] = timer;
            timer.place = place;
        }
        if (first != all[0]) {
            first = all[0];
        }
    }

    private void lock() {
        for (int round = 0; held || !HELD.compareAndSet(this, false, true); round++) {
            if (round < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
