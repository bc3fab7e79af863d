package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * Sends fresh helpers for what waits for one, and knows how many of them are on their way: no more than there are
 * processors. One that is sent counts until it arrives, which is before it looks at anything, or until it is certain
 * that it never will.
 */
public final class HelperDispatch {
    private final IntFunction<? extends Runnable> helpers;
    private final Executor starter;
    private final int processors;
    private final AtomicInteger onTheirWay = new AtomicInteger();

    /**
     * Makes it.
     *
     * @param helpers makes one, given how many have sent for one another before it; it looks for what waits as it runs
     * @param starter starts one on a thread of its own
     * @param processors how many may be on their way
     */
    public HelperDispatch(IntFunction<? extends Runnable> helpers, Executor starter, int processors) {
        this.helpers = helpers;
        this.starter = starter;
        this.processors = processors;
    }

    /**
     * Makes sure that somebody comes. Throws nothing, but where there is no stack left to begin with.
     *
     * @param chain how many have sent for one another up to the one that is sent
     * @param patience how often that one steps aside before it looks
     * @return false if it could not be started: what waits, waits for somebody who is done, or for the next helper
     */
    public boolean send(int chain, int patience) {
        if (onTheirWay.get() >= processors) {
            return true;
        }
        OnItsWay helper;
        try {
            helper = new OnItsWay(this, helpers.apply(chain), patience); // before it counts
        } catch (RuntimeException | Error e) {
            return false; // no memory, or stack, for one
        }
        for (var seen = onTheirWay.get(); seen < processors; seen = onTheirWay.get()) {
            if (onTheirWay.compareAndSet(seen, seen + 1)) {
                try {
                    starter.execute(helper);
                    return true;
                } catch (RuntimeException | Error e) {
                    helper.uncount();
                    return false; // who cannot do without a thread tries to get one next, and hears why there is none
                }
            }
        }
        return true;
    }

    /** One of them has arrived, and is about to look. */
    void countArrival() {
        onTheirWay.decrementAndGet();
        Interleave.here();
    }

    /** A start can fail after the thread has begun to run: whoever of the two comes first takes it from the count. */
    private static final class OnItsWay implements Runnable {
        private final HelperDispatch help;
        private final Runnable work;
        private final int patience;
        private final AtomicBoolean counts = new AtomicBoolean(true);

        OnItsWay(HelperDispatch help, Runnable work, int patience) {
            this.help = help;
            this.work = work;
            this.patience = patience;
        }

        @Override
        public void run() {
            try {
                stepsAside();
            } finally {
                uncount();
            }
            work.run();
        }

        private void stepsAside() {
            try {
                for (int i = 0; i < patience; i++) {
                    Thread.yield();
                }
            } catch (VirtualMachineError e) {
                return; // no memory, or stack, for that: it does without
            }
        }

        void uncount() {
            if (counts.compareAndSet(true, false)) {
                help.countArrival();
            }
        }
    }
}
