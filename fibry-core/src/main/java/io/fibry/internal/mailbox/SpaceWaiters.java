package io.fibry.internal.mailbox;

import io.fibry.event.PoolThreadBlocked;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.WaitGraph;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Parking;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Where senders wait for room in a bounded mailbox, first come first served.
 *
 * <p>A sender queues up first and looks for room after that; a consumer makes room first and looks at the
 * queue after that. All four are volatile accesses, so one of the two sees the other. Making room wakes the
 * first in the queue; when that one leaves, for whatever reason, it wakes the next if there is still room, so
 * a wake-up is passed on and never dies with a sender that gave up.
 */
public final class SpaceWaiters {
    enum Outcome {
        ADMITTED, CLOSED, TIMED_OUT, CYCLE, INTERRUPTED
    }

    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /** An object of its own for each wait: one thread's earlier wait must not be mistaken for a later one. */
    private static final class Waiter {
        final Thread thread = Thread.currentThread();
        final BlockedSend edge;

        Waiter(BlockedSend edge) {
            this.edge = edge;
        }

        void wake() {
            edge.woken = true;
            LockSupport.unpark(thread);
        }
    }

    /**
     * A sender waits for room. It is an edge only while the sender can truly not go on: not while it looks
     * for room itself, and not once it has been woken to look, though it may not have run since. That there
     * is room is not enough: it may be for another sender, who queued up first and takes it.
     */
    private static final class BlockedSend implements Waiting {
        private final BoundedCell<?, ?> target;
        private volatile boolean parks;
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
            return !parks || woken || target.hasClosed();
        }
    }

    void wakeOne() {
        var first = queue.peek();
        if (first != null) {
            first.wake();
        }
    }

    void wakeAll() {
        queue.forEach(Waiter::wake);
    }

    /** Waits until the node is in, or never will be. The sender starts the turn if that is needed. */
    Outcome await(BoundedCell<?, ?> cell, Node node, long limitNanos) {
        if (Current.isInside(cell)) {
            return Outcome.CYCLE;
        }
        var edge = new BlockedSend(cell);
        WaitGraph.enter(edge);
        var turn = Current.turn();
        if (turn != null && turn.cell.spec().placement().boundedPool()) {
            turn.cell.report(new PoolThreadBlocked(turn.cell.name(), cell.name()));
        }
        var waiter = new Waiter(edge);
        queue.add(waiter);
        Interleave.here();
        try (var alarm = new Alarm(cell.spec().scope().time(), limitNanos)) {
            return await(cell, node, alarm, edge);
        } finally {
            Interleave.here();
            queue.remove(waiter);
            WaitGraph.leave();
            // mutant: wake-up-for-room-is-not-passed-on
            if (cell.hasRoom()) {
                wakeOne();
            }
        }
    }

    private Outcome await(BoundedCell<?, ?> cell, Node node, Alarm alarm, BlockedSend edge) {
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
            if (WaitGraph.circle(edge).isPresent()) {
                return Outcome.CYCLE;
            }
            Interleave.here();
            Parking.park(this);
            edge.parks = false;
        }
    }
}
