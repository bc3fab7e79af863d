package io.fibry.internal.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Who works for clients just now: one work at a time for each thread. Each comes and goes, while somebody looks at all of
 * them only now and then: so each has a place that hardly another one wants, and nothing counts them, which all processors
 * would have to share. Who finds its place taken is kept in a map.
 */
final class HttpWorks {
    private static final int PLACE_BITS = 10;
    /** Spreads numbers that follow each other: neighbours share a cache line. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final AtomicReferenceArray<@Nullable HttpWork> places =
            new AtomicReferenceArray<>(1 << PLACE_BITS);
    private final Map<Thread, HttpWork> others = new ConcurrentHashMap<>();

    void add(HttpWork work) {
        if (!places.compareAndSet(place(work.fiber()), null, work)) {
            var before = others.put(work.fiber(), work);
            if (before != null) {
                throw new AssertionError(work.fiber() + " works for two clients at a time");
            }
        }
    }

    void remove(HttpWork work) {
        if (!places.compareAndSet(place(work.fiber()), work, null)) {
            others.remove(work.fiber(), work);
        }
    }

    private static int place(Thread thread) {
        return (int) ((thread.threadId() * GOLDEN) >>> (Long.SIZE - PLACE_BITS));
    }

    /** What this thread works at; null if it does nothing for a client. */
    @Nullable HttpWork of(Thread thread) {
        var work = places.get(place(thread));
        return work != null && work.fiber() == thread ? work : others.get(thread);
    }

    /** All that were there when this began and still are, and perhaps others. */
    List<HttpWork> all() {
        var all = new ArrayList<>(others.values());
        for (int i = 0; i < places.length(); i++) {
            var work = places.get(i);
            if (work != null) {
                all.add(work);
            }
        }
        return all;
    }
}
