package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/**
 * Starts helpers for what waits, and limits how many of them are starting at a time to the number of processors. A
 * helper that was started counts until it arrives, which is before it looks for work, or until it is certain that it
 * never will.
 */
final class HelperDispatch {
    private static final long ONE_MORE = (1L << Integer.SIZE) + 1;

    private final IntFunction<? extends Runnable> factory;
    private final Executor starter;
    private final int maxStarting;
    /**
     * How many helpers are starting, in the low 32 bits, and how many were sent so far, which decides nothing,
     * in the others. Written by CAS.
     */
    private final AtomicLong starting = new AtomicLong();

    /**
     * Creates a dispatch.
     *
     * @param factory creates a helper, given the length of the chain of helpers that have started one another before
     *      it; the helper looks for work when it runs
     * @param starter starts a helper on a thread of its own
     * @param maxStarting how many helpers may be starting at a time
     */
    HelperDispatch(IntFunction<? extends Runnable> factory, Executor starter, int maxStarting) {
        this.factory = factory;
        this.starter = starter;
        this.maxStarting = maxStarting;
    }

    /**
     * Ensures that a helper is starting. Throws nothing, unless there is no stack left for the call itself.
     *
     * @param chain the length of the chain of helpers that have started one another, up to this one
     * @param patience how often the helper yields before it looks for work
     * @return false if the helper could not be started: what waits is left to a thread that finishes its work, or to
     *      the next helper
     */
    boolean send(int chain, int patience) {
        if ((int) starting.get() >= maxStarting) {
            return true;
        }
        CountedStart helper;
        try {
            helper = new CountedStart(this, factory.apply(chain), patience); // created before it is counted
        } catch (RuntimeException | Error e) {
            return false; // no memory or stack for a helper
        }
        for (var seen = starting.get(); (int) seen < maxStarting; seen = starting.get()) {
            if (starting.compareAndSet(seen, seen + ONE_MORE)) {
                try {
                    starter.execute(helper);
                    return true;
                } catch (RuntimeException | Error e) {
                    helper.uncount();
                    return false; // a caller that needs a thread tries to start one itself, and gets the exception then
                }
            }
        }
        return true;
    }

    /** Returns how many helpers were sent. The count begins again after 4 billion. */
    long sent() {
        return starting.get() >>> Integer.SIZE;
    }

    /** Counts a helper as arrived, before it looks for work. */
    void countArrival() {
        starting.decrementAndGet();
        assert Interleave.here();
    }

    /**
     * A helper that was started and has not arrived. A start can fail after the thread has begun to run; the flag makes
     * sure that the helper is subtracted from the count once.
     */
    private static final class CountedStart implements Runnable {
        private final HelperDispatch dispatch;
        private final Runnable work;
        private final int patience;
        private final AtomicBoolean isCounted = new AtomicBoolean(true);

        CountedStart(HelperDispatch dispatch, Runnable work, int patience) {
            this.dispatch = dispatch;
            this.work = work;
            this.patience = patience;
        }

        @Override
        public void run() {
            try {
                yieldFirst();
            } finally {
                uncount();
            }
            work.run();
        }

        private void yieldFirst() {
            try {
                for (int i = 0; i < patience; i++) {
                    Thread.yield();
                }
            } catch (VirtualMachineError e) {
                return; // no memory or stack to yield: the helper goes on without
            }
        }

        void uncount() {
            if (isCounted.compareAndSet(true, false)) {
                dispatch.countArrival();
            }
        }
    }
}
