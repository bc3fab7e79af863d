package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.run.Gate;
import io.fibry.time.TimeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Probe nodes that were sent to several actors, and the wait for all of them. */
final class Probes {
    private final AtomicInteger missing;
    private final Gate all = new Gate();

    private Probes(int count) {
        missing = new AtomicInteger(count);
    }

    /**
     * Waits until each of the actors has handled the nodes that it has now, or has stopped. Returns false if the
     * time was over before.
     */
    static boolean await(List<Cell> cells, TimeSource time, long nanos) throws InterruptedException {
        var probes = new Probes(cells.size());
        cells.forEach(cell -> cell.sendProbe(new ProbeNode(probes)));
        return probes.all.await(time, nanos);
    }

    void arrived() {
        if (missing.decrementAndGet() == 0) {
            all.open();
        }
    }
}
