package io.fibry.internal.dump;

import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.WaitChain;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.run.Gate;
import io.fibry.internal.scope.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes dumps. One thread looks at a time, since each look remembers for the next ones what it has seen. A thread that looks
 * holds no lock of an actor, and one that waits for its second look holds none at all.
 */
public final class Dumps {
    /** One thread looks at a time. A holder waits for no actor and for no time. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Sightings sightings = new Sightings();

    /** Takes a dump of a scope and of the scopes inside it. */
    public Dump take(Scope scope, DumpOptions options) {
        var takenAt = Instant.now();
        var start = SystemTime.INSTANCE.nanoTime();
        if (!options.over().isZero()) {
            look(scope, options.withActors(0).withFrames(0));
            pause(options.over());
        }
        var seen = look(scope, options);
        return new Dump(takenAt, Duration.ofNanos(SystemTime.INSTANCE.nanoTime() - start),
                Runtime.version().toString(), Runtime.getRuntime().availableProcessors(),
                SystemTime.INSTANCE.pending(), seen.scope, seen.waits);
    }

    /** What one look has seen. */
    private record Look(ScopeDump scope, List<WaitChain> waits) {
    }

    private Look look(Scope scope, DumpOptions options) {
        lock.lock();
        try {
            var visit = new ScopeVisit(options, sightings, SystemTime.INSTANCE.nanoTime());
            return new Look(visit.visit(scope), visit.chains());
        } finally {
            lock.unlock();
        }
    }

    private static void pause(Duration time) {
        try {
            new Gate().await(SystemTime.INSTANCE, Durations.nanos(time, "over"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
