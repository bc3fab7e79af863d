package io.fibry.internal.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Who works for clients just now. Each request comes and goes, while somebody looks at all of them only now and then: so
 * each has a place that hardly another one wants, and nothing counts them, which all processors would have to share. Who
 * finds its place taken is kept in a set.
 */
final class HttpWorks {
    private static final int PLACE_BITS = 10;
    /** Spreads numbers that follow each other: neighbours share a cache line. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final AtomicReferenceArray<@Nullable HttpWork> places =
            new AtomicReferenceArray<>(1 << PLACE_BITS);
    private final Set<HttpWork> others = ConcurrentHashMap.newKeySet();

    void add(HttpWork work) {
        if (!places.compareAndSet(place(work), null, work)) {
            others.add(work);
        }
    }

    void remove(HttpWork work) {
        if (!places.compareAndSet(place(work), work, null)) {
            others.remove(work);
        }
    }

    private static int place(HttpWork work) {
        return (int) ((work.number() * GOLDEN) >>> (Long.SIZE - PLACE_BITS));
    }

    /** All that were there when this began and still are, and perhaps others. */
    List<HttpWork> all() {
        var all = new ArrayList<>(others);
        for (int i = 0; i < places.length(); i++) {
            var work = places.get(i);
            if (work != null) {
                all.add(work);
            }
        }
        return all;
    }
}
