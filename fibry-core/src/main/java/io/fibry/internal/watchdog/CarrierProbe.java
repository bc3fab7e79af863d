package io.fibry.internal.watchdog;

import io.fibry.event.CarriersStarved;
import io.fibry.internal.actor.Cell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether virtual threads get to run. One look starts a virtual thread that only records that it runs, and
 * the next looks check the record. Used by the watchdog's thread only.
 */
final class CarrierProbe {
    private static final int MOST_STACKS = 16;

    private final String scope;
    /** Starts a virtual thread. */
    private final Executor starter;
    private @Nullable Probe probe;

    private static final class Probe implements Runnable {
        private final long startedAt;
        /** Set by the probe's thread. */
        private volatile boolean runs;
        private int reports;

        Probe(long startedAt) {
            this.startedAt = startedAt;
        }

        @Override
        public void run() {
            runs = true;
        }
    }

    CarrierProbe(String scope) {
        this(scope, probe -> Thread.ofVirtual().name("fibry-probe").inheritInheritableThreadLocals(false)
                .start(probe));
    }

    CarrierProbe(String scope, Executor starter) {
        this.scope = scope;
        this.starter = starter;
    }

    /** Checks whether the last probe has run. Returns the event to report if the probe has waited for too long. */
    @Nullable CarriersStarved look(List<Cell> cells, long now, long limit) {
        var waiting = probe;
        if (waiting == null || waiting.runs) {
            var fresh = new Probe(now);
            starter.execute(fresh);
            probe = fresh;
            return null;
        }
        var age = now - waiting.startedAt;
        if (!WatchedActor.isToReport(age, limit, waiting.reports)) {
            return null;
        }
        waiting.reports++;
        return report(cells, age);
    }

    private CarriersStarved report(List<Cell> cells, long age) {
        record Worker(Cell cell, Thread thread, boolean runs) {
        }
        var workers = new ArrayList<Worker>();
        for (var cell : cells) {
            var thread = cell.worker();
            if (thread != null && thread.isVirtual()) {
                workers.add(new Worker(cell, thread, thread.getState() == Thread.State.RUNNABLE));
            }
        }
        workers.sort(Comparator.comparing(worker -> !worker.runs));
        var working = new LinkedHashMap<String, List<StackTraceElement>>();
        for (var worker : workers.subList(0, Math.min(MOST_STACKS, workers.size()))) {
            working.putIfAbsent(worker.cell.name(), List.of(worker.thread.getStackTrace()));
        }
        return new CarriersStarved(scope, Duration.ofNanos(age), working);
    }
}
