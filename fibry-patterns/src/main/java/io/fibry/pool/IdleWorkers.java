package io.fibry.pool;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The workers that have nothing to do, the latest first: so those that are not needed stay idle, and may stop.
 *
 * <p>A worker that has stopped may be anywhere in the list. To search each one would take a time that grows with the
 * square of their number when a pool is closed. So they stay, are skipped when they are taken, and are removed all at
 * once when there may be more of them than workers that live. Each removal then takes a constant time on average, and
 * the list never has more than twice as many workers as the pool.
 *
 * @param <W> the workers
 */
final class IdleWorkers<W> {
    private final Predicate<W> isGone;
    private final Deque<W> list = new ConcurrentLinkedDeque<>();
    /** How many workers have stopped since those in the list were removed. It may count some that are not in the list. */
    private final AtomicInteger gone = new AtomicInteger();

    IdleWorkers(Predicate<W> isGone) {
        this.isGone = isGone;
    }

    void add(W worker) {
        list.addFirst(worker);
    }

    /** Takes the worker that was added last, which may have stopped; returns null if there is none. */
    @Nullable W poll() {
        return list.pollFirst();
    }

    /** Returns false if no worker is idle; true if perhaps one is. */
    boolean mayHaveAny() {
        return !list.isEmpty();
    }

    /** Notes that a worker has stopped, while so many live. */
    void noteGone(int living) {
        if (gone.incrementAndGet() > living) {
            gone.set(0); // before the removal: what is counted from now on is removed later
            list.removeIf(isGone);
        }
    }

    int size() {
        var size = 0;
        for (var worker : list) {
            size += isGone.test(worker) ? 0 : 1;
        }
        return size;
    }
}
