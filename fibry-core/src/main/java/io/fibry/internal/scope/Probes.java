package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.handle.Stopping;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.InterruptibleWait;
import io.fibry.time.TimeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Probe nodes that were sent to several actors, and the wait for all of them. As an edge, it leads to one of them. */
final class Probes implements Waiting {
    private final Cell target;
    private final AtomicInteger missing;
    private final Gate all = new Gate();

    private Probes(List<Cell> cells) {
        target = cells.getFirst();
        missing = new AtomicInteger(cells.size());
    }

    @Override
    public Cell target() {
        return target;
    }

    @Override
    public boolean isOver() {
        return all.isOpen();
    }

    /**
     * Waits until each of the actors has handled the nodes that it has now, or has stopped. Returns false if the
     * time was over before, or if the caller is an actor for which one of them waits. The wait of an actor is an edge, so
     * an actor waits for one after the other.
     */
    static boolean await(List<Cell> cells, TimeSource time, SharedDeadline deadline)
            throws InterruptedException {
        if (Current.turn() == null) {
            return new Wait(send(cells).all, time, deadline).await();
        }
        for (var cell : cells) {
            var one = send(List.of(cell));
            if (!Stopping.awaitStopped(one, new Wait(one.all, time, deadline))) {
                return false;
            }
        }
        return true;
    }

    private record Wait(Gate gate, TimeSource time, SharedDeadline deadline) implements InterruptibleWait {
        @Override
        public boolean await() throws InterruptedException {
            return gate.await(time, deadline.nanosLeft());
        }
    }

    private static Probes send(List<Cell> cells) {
        var probes = new Probes(cells);
        for (var cell : cells) {
            cell.sendProbe(new ProbeNode(probes));
        }
        return probes;
    }

    void arrived() {
        if (missing.decrementAndGet() == 0) {
            all.open();
        }
    }
}
