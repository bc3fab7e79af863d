package io.fibry.internal.limit;

import io.fibry.Bulkhead;
import io.fibry.BulkheadFullException;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Parking;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A bulkhead. One word contains the number of calls that run (low half) and the number of callers that wait (high
 * half), so both bounds are exact.
 *
 * <p>A caller that has to wait first counts itself and then joins the queue. A caller that leaves hands its place to
 * the first in the queue; only if none waits does the number of running calls decrease. Each waiting caller is
 * uncounted once: by the caller that hands it a place, or by itself if it gives up. A CAS on the state of the waiting
 * caller decides which.
 */
public final class CallGate implements Bulkhead {
    private static final long ONE_WAITING = 1L << 32;

    private final String name;
    private final int calls;
    private final int maxWaiting;
    private final AtomicLong state = new AtomicLong();
    private final ConcurrentLinkedQueue<Caller> queue = new ConcurrentLinkedQueue<>();

    private CallGate(String name, int calls, int maxWaiting) {
        this.name = name;
        this.calls = calls;
        this.maxWaiting = maxWaiting;
    }

    /**
     * See {@link Bulkhead#of}.
     *
     * @param name the name of the bulkhead
     * @param calls how many calls may run at a time
     * @param waiting how many callers may wait
     * @return the bulkhead
     */
    public static Bulkhead of(String name, int calls, int waiting) {
        Objects.requireNonNull(name, "name");
        if (calls < 1) {
            throw new IllegalArgumentException("calls must be at least 1: " + calls);
        }
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
        return new CallGate(name, calls, waiting);
    }

    private static final class Caller extends AtomicInteger {
        private static final long serialVersionUID = 1L;
        static final int WAITS = 0;
        static final int MAY_GO = 1;
        static final int GAVE_UP = 2;

        final transient Thread thread = Thread.currentThread();
    }

    @Override
    public <T extends @Nullable Object> T call(Callable<T> code) throws Exception {
        Objects.requireNonNull(code, "code");
        enter();
        try {
            return code.call();
        } finally {
            leave();
        }
    }

    private void enter() throws InterruptedException {
        while (true) {
            var seen = state.get();
            if ((int) seen < calls) {
                if (state.compareAndSet(seen, seen + 1)) {
                    return;
                }
            } else if (seen >>> 32 >= maxWaiting) {
                throw new BulkheadFullException(
                        "bulkhead '" + name + "' is full: " + calls + " calls are made and "
                                + maxWaiting + " wait; call later, or give it more room");
            } else if (state.compareAndSet(seen, seen + ONE_WAITING)) {
                await();
                return;
            }
        }
    }

    private void await() throws InterruptedException {
        var caller = new Caller();
        assert Interleave.here();
        queue.add(caller);
        while (caller.get() == Caller.WAITS) {
            if (Thread.currentThread().isInterrupted()
                    && caller.compareAndSet(Caller.WAITS, Caller.GAVE_UP)) {
                queue.remove(caller);
                state.addAndGet(-ONE_WAITING);
                Thread.interrupted();
                throw new InterruptedException("interrupted while it waited for bulkhead '" + name + "'");
            }
            if (caller.get() == Caller.WAITS) {
                Parking.park(this);
            }
        }
    }

    private void leave() {
        var backoff = new Backoff();
        while (true) {
            var next = queue.poll();
            assert Interleave.here();
            if (next != null) {
                if (next.compareAndSet(Caller.WAITS, Caller.MAY_GO)) {
                    state.addAndGet(-ONE_WAITING);
                    LockSupport.unpark(next.thread);
                    return;
                }
                continue;
            }
            var seen = state.get();
            if (seen >>> 32 != 0) {
                backoff.pause(); // a caller has counted itself and is about to join the queue, or to give up
            } else if (state.compareAndSet(seen, seen - 1)) {
                return;
            }
        }
    }

    @Override
    public int running() {
        return (int) state.get();
    }

    @Override
    public int waiting() {
        return (int) (state.get() >>> 32);
    }

    @Override
    public String toString() {
        return "Bulkhead[" + name + ", " + running() + " of " + calls + " calls, " + waiting() + " of "
                + maxWaiting
                + " waiting]";
    }
}
