package io.fibry.internal.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The works of all threads that work for clients at the moment, one for each thread. Works come and go often, and
 * all of them are read seldom. So each thread has a place that few other threads share, and there is no counter, on
 * which all processors would contend. A work whose place is taken is kept in a map.
 */
final class HttpWorks {
    private static final int PLACE_BITS = 10;
    /** Spreads consecutive numbers, since neighbors share a cache line. */
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

    /** Returns the work of a thread; null if it works for no client. */
    @Nullable HttpWork of(Thread thread) {
        var work = places.get(place(thread));
        return work != null && work.fiber() == thread ? work : others.get(thread);
    }

    /** Returns all works that are there from the begin of this call to its end, and perhaps others. */
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
