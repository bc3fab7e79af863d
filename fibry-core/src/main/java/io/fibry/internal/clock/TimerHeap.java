package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A heap of timers, ordered by time. The entries know their places, so a cancelled timer is removed at once. Each entry
 * has four children. That makes half as many levels as two children, and the four are adjacent in memory.
 *
 * <p>The heap is guarded by a lock for which no thread parks. What is done under the lock takes well under a
 * microsecond and cannot block, so the thread that holds it is running. With a lock that queues its waiters, the timer
 * thread could wait behind a virtual thread that has been given the lock and gets no carrier.
 *
 * <p>A stack may overflow in any call below a deep recursion of a user, and other threads go on with this heap.
 * Therefore all changes of the heap are made by {@link #settle}, which makes no call.
 */
public final class TimerHeap {
    private static final int CHILDREN = 4;
    private static final int SMALLEST = 16;
    private static final int SPINS = 64;
    private static final VarHandle LOCKED =
            FieldAccess.of(MethodHandles.lookup(), "locked", boolean.class);

    private final Runnable whenEmptied;
    /** The lock. Set by CAS, cleared by its holder; no code under it makes a call that could fail half-way. */
    private volatile boolean locked;
    /** The value of {@code heap[0]}, for threads that read it without the lock. Written under the lock. */
    volatile @Nullable PendingTimer first;

    // Guarded by the lock.
    private @Nullable PendingTimer[] heap = new PendingTimer[SMALLEST];
    private int size;
    private int numbers;

    /** Creates a heap. It runs {@code whenEmptied} when its last timer was cancelled. */
    TimerHeap(Runnable whenEmptied) {
        this.whenEmptied = whenEmptied;
    }

    /** Adds a timer; returns whether it is the earliest now. */
    boolean add(PendingTimer timer) {
        lock();
        try {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            settle(timer, size, size + 1);
            return timer.place == 0;
        } finally {
            locked = false;
        }
    }

    /** Removes the earliest timer if it is due by now, and returns its task; returns null otherwise. */
    @Nullable Runnable takeDue(long now) {
        lock();
        try {
            var earliest = heap[0];
            return earliest == null || earliest.due - now > 0 ? null : take(earliest);
        } finally {
            locked = false;
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

    /** Removes a timer, whose task then does not run; returns false if the timer was not in the heap any more. */
    boolean cancel(PendingTimer timer) {
        lock();
        var taken = false;
        try {
            taken = take(timer) != null;
        } finally {
            locked = false;
        }
        if (taken && first == null) {
            whenEmptied.run();
        }
        return taken;
    }

    /** Returns the number of timers. */
    int size() {
        lock();
        try {
            return size;
        } finally {
            locked = false;
        }
    }

    /**
     * Puts a timer in a place, and then moves it up or down to where it belongs. The heap has {@code newSize} entries
     * after that: one more than before; or one less, without the entry that was last.
     */
    @SuppressWarnings("NullAway") // the elements below the size are not null
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
        for (int round = 0; locked || !LOCKED.compareAndSet(this, false, true); round++) {
            if (round < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
