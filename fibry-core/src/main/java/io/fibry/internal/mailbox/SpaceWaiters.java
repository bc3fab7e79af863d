package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.WaitingList;
import java.util.concurrent.locks.LockSupport;

/**
 * The senders that wait for space in one bounded mailbox, in the order of their arrival.
 *
 * <p>A sender first enters the queue and then looks for space; a consumer first makes space and then looks at
 * the queue. All four are volatile accesses, so one of the two sees the other. Making space wakes the first
 * sender in the queue. When that sender leaves, for whatever reason, it wakes the next one if there is still
 * space, so a wake-up is passed on and is never lost with a sender that gave up.
 */
public final class SpaceWaiters extends WaitingList<SpaceWaiters.Waiter> {
    enum Outcome {
        ADMITTED, CLOSED, TIMED_OUT, CYCLE, INTERRUPTED
    }

    /**
     * One wait of one thread. Each wait has an object of its own: an earlier wait of a thread must not be
     * mistaken for a later one.
     */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private final BlockedSend edge;

        private Waiter(BlockedSend edge) {
            this.edge = edge;
        }
    }

    /**
     * The edge of a sender that waits for space. It counts only while the sender cannot go on: not while the
     * sender looks for space itself, and not once the sender has been woken to look, though it may not have
     * run since. That there is space is not enough to end the edge: the space may be for another sender,
     * which is earlier in the queue and takes it.
     */
    private static final class BlockedSend implements Waiting {
        private final BoundedCell<?, ?> target;
        /** Written by the sender: the send is an edge only while the sender cannot go on. */
        private volatile boolean parks;
        /** Set by the thread that wakes the sender; cleared by the sender before it looks for space. */
        private volatile boolean woken;

        BlockedSend(BoundedCell<?, ?> target) {
            this.target = target;
        }

        @Override
        public Cell target() {
            return target;
        }

        @Override
        public boolean isOver() {
            // mutant: room-for-one-is-taken-for-room-for-all
            return !parks || woken || target.isStopping();
        }
    }

    @Override
    protected void wake(Waiter waiter) {
        if (!waiter.edge.woken) { // else the sender clears that, and looks for space after that
            waiter.edge.woken = true;
            LockSupport.unpark(waiter.thread);
        }
    }

    /**
     * Waits until the node is in the mailbox, or until it is known that it never will be. The calling sender
     * starts the turn if that is needed.
     */
    Outcome await(BoundedCell<?, ?> cell, MessageNode node, long limitNanos) {
        if (Current.isInside(cell)) {
            return Outcome.CYCLE;
        }
        var edge = new BlockedSend(cell);
        var waiter = new Waiter(edge);
        WaitGraph.enter(edge);
        try (var alarm = new Alarm(cell.spec().scope().time(), limitNanos)) {
            join(waiter);
            assert Interleave.here();
            return await(cell, node, alarm, edge);
        } finally {
            assert Interleave.here();
            leave(waiter);
            WaitGraph.leave();
            // mutant: wake-up-for-room-is-not-passed-on
            if (cell.hasSpace()) {
                wakeOne();
            }
        }
    }

    private Outcome await(BoundedCell<?, ?> cell, MessageNode node, Alarm alarm, BlockedSend edge) {
        while (true) {
            edge.woken = false;
            switch (cell.offer(node)) {
                case WAKE -> {
                    cell.start(node);
                    return Outcome.ADMITTED;
                }
                case QUEUED, GROWN -> {
                    return Outcome.ADMITTED;
                }
                case CLOSED -> {
                    return Outcome.CLOSED;
                }
                case FULL -> {
                }
            }
            if (alarm.hasRung() || node.isOver()) {
                return Outcome.TIMED_OUT;
            }
            if (Thread.currentThread().isInterrupted()) {
                return Outcome.INTERRUPTED;
            }
            edge.parks = true;
            if (WaitGraph.closesCycle(edge)) {
                return Outcome.CYCLE;
            }
            assert Interleave.here();
            Parking.park(this);
            edge.parks = false;
        }
    }
}
