package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for something, in the order of their arrival. The first thread that waits makes the queue, since
 * each actor has such a list, and few actors are ever waited for.
 *
 * <p>A thread that waits first joins and then checks what it waits for. A thread that makes this happen does so first and
 * then reads the list. The field, the queue and what is waited for are volatile. So if the second thread finds no queue,
 * or no entry in it, the first one has yet to check, and does not wait.
 *
 * @param <W> one wait of one thread
 */
public abstract class WaitingList<W> {
    private static final VarHandle QUEUE =
            FieldAccess.of(MethodHandles.lookup(), "queue", ConcurrentLinkedQueue.class);

    /** Made once, by the first thread that waits. */
    private volatile @Nullable ConcurrentLinkedQueue<W> queue;

    /** Adds an entry at the end. */
    protected final void join(W waiter) {
        queue().add(waiter);
    }

    @SuppressWarnings("unchecked") // the handle is not generic
    private ConcurrentLinkedQueue<W> queue() {
        var known = queue;
        if (known != null) {
            return known;
        }
        var fresh = new ConcurrentLinkedQueue<W>();
        assert Interleave.here();
        // mutant: waiting-list-is-made-twice
        var other = (ConcurrentLinkedQueue<W>) QUEUE.compareAndExchange(this, (ConcurrentLinkedQueue<W>) null,
                fresh);
        return other == null ? fresh : other;
    }

    /** Removes an entry, wherever it is. Does nothing if it is not there. */
    protected final void leave(W waiter) {
        var known = queue;
        if (known != null) {
            known.remove(waiter);
        }
    }

    /** Wakes the thread that has waited for the longest time, if there is one. */
    public final void wakeOne() {
        var known = queue;
        var first = known == null ? null : known.peek();
        if (first != null) {
            wake(first);
        }
    }

    /** Wakes all threads that wait. */
    public final void wakeAll() {
        var known = queue;
        // mutant: waiters-are-not-woken-by-the-end
        if (known != null) {
            for (var waiter : known) {
                wake(waiter);
            }
        }
    }

    /** Wakes the thread of an entry. */
    protected abstract void wake(W waiter);
}
