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
 * What threads hands are, and when they end: the same kind that the actor's turns run on.
 *
 * <p>Platform threads are slow to make, so those of pools wait for a moment, as the pool's own do, for the next turn of any
 * actor. Each is in the stock or somebody's; who takes it out has it. A sweep takes all, lets go of those that it finds
 * for the second time, and sets a timer for the next one; as long as there is any hand in the stock there is a timer:
 * who adds one does so and then looks whether one is set, the sweep says that there is none and then looks for hands.
 */
enum StandInThreads {
    /** A virtual thread for each turn. */
    OF_FIBERS,
    /** A platform thread for each actor, as long as that lives: thread-locals stay. */
    OF_THREADS,
    /** Platform threads, lent for a turn. */
    OF_POOLS;

    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final ConcurrentLinkedDeque<StandInThread> STOCK = new ConcurrentLinkedDeque<>();
    private static final AtomicBoolean SWEEPS = new AtomicBoolean();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    static StandInThreads of(Placement placement) {
        return placement.boundedPool() ? OF_POOLS : placement.executor() == null ? OF_THREADS : OF_FIBERS;
    }

    /** A hand that works on this. If no thread can be made this throws, and nothing has begun. */
    StandInThread begin(StandInRun grasp) {
        var old = this == OF_POOLS ? STOCK.pollLast() : null;
        if (old != null) {
            old.isOld = false;
            old.give(grasp);
            return old;
        }
        var hand = new StandInThread();
        hand.give(grasp);
        if (Interleave.tryExecute(hand)) {
            return hand;
        }
        var thread = switch (this) {
            case OF_FIBERS -> Strategies.fiber(hand);
            case OF_THREADS -> OwnThread.unstarted(grasp.cell.name() + "-hand", hand);
            case OF_POOLS -> OwnThread.unstarted("hand-" + NUMBERS.incrementAndGet(), hand);
        };
        hand.thread = thread;
        thread.start();
        return hand;
    }

    /** Whether a hand stays with its actor when that has nothing to do. */
    boolean stay() {
        return this == OF_THREADS;
    }

    /** A hand has nothing to do, and its actor does not need it any more. */
    void takeBack(StandInThread hand) {
        var thread = hand.thread;
        if (this != OF_POOLS || thread == null || thread.isVirtual()) { // tests have virtual ones everywhere
            hand.letGo();
            return;
        }
        STOCK.addLast(hand);
        setSweep();
    }

    private static void setSweep() {
        if (!STOCK.isEmpty() && SWEEPS.compareAndSet(false, true)) {
            try {
                SystemTime.INSTANCE.schedule(SWEEP_NANOS, StandInThreads::sweep);
            } catch (Throwable noTimer) { // nobody would see to them
                SWEEPS.set(false);
                for (var hand = STOCK.pollFirst(); hand != null; hand = STOCK.pollFirst()) {
                    hand.letGo();
                }
            }
        }
    }

    private static void sweep() {
        var young = new ArrayList<StandInThread>();
        for (var hand = STOCK.pollFirst(); hand != null; hand = STOCK.pollFirst()) {
            if (hand.isOld) {
                hand.letGo();
            } else {
                hand.isOld = true;
                young.add(hand);
            }
        }
        STOCK.addAll(young);
        SWEEPS.set(false);
        setSweep();
    }
}
