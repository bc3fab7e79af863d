package io.fibry.internal.dump;

import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.EngineDump;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes dumps. One dump is taken at a time, since each remembers for the next ones what it has seen. A thread that takes a
 * dump holds no lock of an actor.
 */
public final class Dumps {
    private final ReentrantLock lock = new ReentrantLock();
    private final Sightings sightings = new Sightings();

    /** Takes a dump of a scope and of the scopes inside it. */
    public Dump take(Scope scope, DumpOptions options) {
        lock.lock();
        try {
            return takeAlone(scope, options);
        } finally {
            lock.unlock();
        }
    }

    private Dump takeAlone(Scope scope, DumpOptions options) {
        var takenAt = Instant.now();
        var start = now();
        if (!options.over().isZero()) {
            new ScopeVisit(options.withActors(0).withFrames(0), sightings, start).visit(scope);
            pause(options.over());
        }
        var last = new ScopeVisit(options, sightings, now());
        var seen = last.visit(scope);
        var waits = last.chains();
        return new Dump(takenAt, Duration.ofNanos(now() - start), seen, waits, engine());
    }

    private static void pause(Duration time) {
        try {
            new Gate().await(SystemTime.INSTANCE, Durations.nanos(time, "over"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static EngineDump engine() {
        var lanes = Strategies.laneUse();
        return new EngineDump(Runtime.version().toString(), Runtime.getRuntime().availableProcessors(),
                lanes.filled(),
                lanes.overflow(), lanes.starting(), SystemTime.INSTANCE.pending());
    }

    private static long now() {
        return SystemTime.INSTANCE.nanoTime();
    }
}
