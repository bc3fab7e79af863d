package io.fibry.internal.abandon;

import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.OwnThread;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Strategies;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The kinds of stand-in threads, which are those of the actors' turns, and the end of such threads.
 *
 * <p>It takes long to start a platform thread. So the stand-in threads of pools wait in a stock for a moment, as the
 * threads of the pool do, for the next turn of any actor. A thread is in the stock or belongs to one actor; the one
 * that takes it out of the stock has it. A sweep takes all threads, ends those that it finds for the second time,
 * and sets a timer for the next sweep. There is a timer as long as a thread is in the stock: a turn that adds a
 * thread does this first and then checks whether a timer is set; the sweep first records that there is none and then
 * looks for threads.
 */
enum StandInThreads {
    /** A virtual thread for each turn. */
    OF_FIBERS,
    /** A platform thread for each actor, as long as the actor lives, so that thread-locals stay. */
    OF_THREADS,
    /** Platform threads, lent for a turn. */
    OF_POOLS;

    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** The thread that removes a stand-in thread has it. */
    private static final ConcurrentLinkedDeque<StandInThread> STOCK = new ConcurrentLinkedDeque<>();
    private static final Runnable SWEEP = StandInThreads::sweep;
    private static final AtomicBoolean SWEEPS = new AtomicBoolean();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    static StandInThreads of(Placement placement) {
        return placement.boundedPool() ? OF_POOLS : placement.executor() == null ? OF_THREADS : OF_FIBERS;
    }

    /**
     * Returns a thread that works on a run. If no thread can be started this method throws an exception and the run
     * has not begun.
     */
    StandInThread begin(StandInRun run) {
        var old = this == OF_POOLS ? STOCK.pollLast() : null;
        if (old != null) {
            old.isOld = false;
            old.give(run);
            return old;
        }
        var standIn = new StandInThread();
        standIn.give(run);
        if (Interleave.tryExecute(standIn)) {
            return standIn;
        }
        var thread = switch (this) {
            case OF_FIBERS -> Strategies.fiber(standIn);
            case OF_THREADS -> OwnThread.unstarted(run.cell.name() + "-stand-in", standIn);
            case OF_POOLS -> OwnThread.unstarted("stand-in-" + NUMBERS.incrementAndGet(), standIn);
        };
        standIn.thread = thread;
        thread.start();
        return standIn;
    }

    /** Returns whether a thread stays with its actor when the actor has nothing to do. */
    boolean staysWithActor() {
        return this == OF_THREADS;
    }

    /** Takes back a thread that has nothing to do and that its actor does not need any more. */
    void takeBack(StandInThread standIn) {
        var thread = standIn.thread;
        if (this != OF_POOLS || thread == null || thread.isVirtual()) { // in tests all threads may be virtual
            standIn.letGo();
            return;
        }
        STOCK.addLast(standIn);
        setSweep();
    }

    private static void setSweep() {
        if (!STOCK.isEmpty() && SWEEPS.compareAndSet(false, true)) {
            try {
                SystemTime.INSTANCE.schedule(SWEEP_NANOS, SWEEP);
            } catch (Throwable noTimer) { // no sweep would end the threads
                SWEEPS.set(false);
                for (var standIn = STOCK.pollFirst(); standIn != null; standIn = STOCK.pollFirst()) {
                    standIn.letGo();
                }
            }
        }
    }

    private static void sweep() {
        var young = new ArrayList<StandInThread>();
        for (var standIn = STOCK.pollFirst(); standIn != null; standIn = STOCK.pollFirst()) {
            if (standIn.isOld) {
                standIn.letGo();
            } else {
                standIn.isOld = true;
                young.add(standIn);
            }
        }
        STOCK.addAll(young);
        SWEEPS.set(false);
        setSweep();
    }
}
