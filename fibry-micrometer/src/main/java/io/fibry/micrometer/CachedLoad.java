package io.fibry.micrometer;

import io.fibry.measure.MeasuredScope;
import io.micrometer.core.instrument.Clock;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The actors and the depth of each group of some scopes. To count them means to look at each actor, so the numbers are kept for a
 * while.
 */
final class CachedLoad {
    private static final long KEPT = TimeUnit.SECONDS.toNanos(5);
    /** The numbers are kept so many times as long as it took to count them. */
    private static final int SHARE = 100;

    private final List<WeakReference<MeasuredScope>> scopes;
    private final Clock clock;
    /** One thread counts at a time, and the others take its result. */
    private final ReentrantLock counting = new ReentrantLock();
    /** Written by the thread that counts, under the lock. */
    private volatile Counted counted = new Counted(Map.of(), 0, false);

    record Load(long actors, long depth) {
        static final Load NONE = new Load(0, 0);

        Load plus(Load more) {
            return new Load(actors + more.actors, depth + more.depth);
        }
    }

    private record Counted(Map<String, Load> loads, long until, boolean isKnown) {
        boolean isGood(long now) {
            return isKnown && now - until < 0;
        }
    }

    CachedLoad(List<WeakReference<MeasuredScope>> scopes, Clock clock) {
        this.scopes = scopes;
        this.clock = clock;
    }

    Load of(String group) {
        return counted().loads.getOrDefault(group, Load.NONE);
    }

    private Counted counted() {
        if (counted.isGood(clock.monotonicTime())) {
            return counted;
        }
        // One thread counts. Others take the last numbers meanwhile, if there are any.
        if (!counting.tryLock()) {
            if (counted.isKnown) {
                return counted;
            }
            counting.lock();
        }
        try {
            if (!counted.isGood(clock.monotonicTime())) {
                counted = count();
            }
            return counted;
        } finally {
            counting.unlock();
        }
    }

    private Counted count() {
        var begin = clock.monotonicTime();
        var loads = new HashMap<String, Load>();
        for (var each : scopes) {
            var scope = each.get();
            if (scope != null) {
                scope.count();
                for (var group : scope.groups()) {
                    loads.merge(group.name(), new Load(group.actors(), group.depth()), Load::plus);
                }
            }
        }
        var end = clock.monotonicTime();
        return new Counted(Map.copyOf(loads), end + Math.max(KEPT, SHARE * (end - begin)), true);
    }
}
