package io.fibry.bench.jmh;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Measures the longest pause of the collector in each round, in the JVM that is measured. */
public final class LongestPause implements InternalProfiler {
    /** The name of the result, which is in milliseconds. */
    public static final String LABEL = "longest-pause";

    private final AtomicLong longest = new AtomicLong();

    /** Listens to the collectors from now on. */
    public LongestPause() {
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // What collectors do beside the program is reported in the same way.
            if (collector instanceof NotificationEmitter emitter
                    && !collector.getName().contains("Concurrent")
                    && !collector.getName().contains("Cycles")) {
                emitter.addNotificationListener((event, nothing) -> note(event), null, null);
            }
        }
    }

    private void note(Notification event) {
        if (event.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            var info =
                    GarbageCollectionNotificationInfo.from((CompositeData) event.getUserData()).getGcInfo();
            longest.accumulateAndGet(info.getDuration(), Math::max);
        }
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        longest.set(0);
    }

    @Override
    @SuppressWarnings("rawtypes") // so declared by JMH
    public Collection<? extends Result> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
            IterationResult result) {
        return List.of(new ScalarResult(LABEL, longest.get(), "ms", AggregationPolicy.MAX));
    }

    @Override
    public String getDescription() {
        return "the longest pause of the collector";
    }
}
