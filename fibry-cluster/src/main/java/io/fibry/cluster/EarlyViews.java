package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine.View;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The views that an engine tells before a node begins. Thread-safe; one thread waits at most once. */
final class EarlyViews {
    private final LinkedBlockingQueue<View> views = new LinkedBlockingQueue<>();
    /** Set by the thread that opens the cluster. */
    private volatile boolean isOver;

    void see(View view) {
        if (!isOver) {
            views.add(view);
        }
    }

    /** Waits until a view is as it should be; returns false if the time is over before. */
    boolean await(View first, Predicate<View> condition, Duration limit) throws InterruptedException {
        var end = System.nanoTime() + limit.toNanos();
        try {
            @Nullable View view = first;
            while (view != null) {
                // Those that were told before the first one are older.
                if (view.number() >= first.number() && condition.test(view)) {
                    return true;
                }
                view = views.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            return false;
        } finally {
            isOver = true;
            views.clear();
        }
    }
}
