package io.fibry.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.fibry.bench.report.Report;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What this process has used, which depends less than times on what else the machine does.
 *
 * @param nanos time of processors
 * @param bytes allocated in the heap
 */
record Cost(double nanos, double bytes) {
    /** Returns what was used until now. */
    static Cost untilNow() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return new Cost(system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes());
    }

    /** Returns what each of some operations has used since this moment. */
    Cost forEachOf(long operations) {
        var now = untilNow();
        return new Cost((now.nanos - nanos) / operations, (now.bytes - bytes) / operations);
    }

    /** Notes the medians. A short measurement may have used no CPU by a clock with coarse ticks, so they are no rows. */
    static void note(String subject, List<Cost> all, String operation, Report report) {
        report.note("%s: %,.0f ns of CPU and %,.0f bytes a %s".formatted(subject, median(all, Cost::nanos),
                median(all, Cost::bytes), operation));
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> which) {
        return costs.stream().mapToDouble(which).sorted().toArray()[costs.size() / 2];
    }
}
