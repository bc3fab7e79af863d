package io.fibry.timers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TimerCostTest {
    private static final int TIMERS = 1_000_000;
    private static final long MOST_BYTES = 100;

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Promise("20.10")
    @Test
    void aMillionPendingTimersTakeNoThreadAndLittleMemory() {
        EngineProbe.systemTimer(Duration.ofHours(1)).cancel();
        Waits.until("other tests have left no timer", () -> EngineProbe.pendingTimers() == 0);
        var timers = new Cancellable[TIMERS];
        var threads = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
        var before = usedHeap();
        for (int i = 0; i < TIMERS; i++) {
            timers[i] = EngineProbe.systemTimer(Duration.ofHours(1).plusNanos(i * 7919L % TIMERS));
        }
        var each = (usedHeap() - before) / TIMERS;
        assertThat(EngineProbe.pendingTimers()).isEqualTo(TIMERS);
        assertThat(each).as("bytes for each timer").isBetween(1L, MOST_BYTES);
        assertThat(ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - threads)
                .as("threads started, the JVM's own included").isLessThan(TIMERS / 1_000);
        for (var timer : timers) {
            assertThat(timer.cancel()).isTrue();
        }
        assertThat(EngineProbe.pendingTimers()).isZero();
        assertThat((usedHeap() - before) / TIMERS)
                .as("bytes for each that was cancelled, its handle included")
                .isLessThan(each);
    }

    private static Runnable aTask(Object with) {
        return with::hashCode;
    }

    @Promise("20.10")
    @Test
    void aCancelledTimerLetsGoOfItsTaskAtOnce() {
        Object task = new Object();
        var reference = new WeakReference<>(task);
        var timer = EngineProbe.systemTimer(Duration.ofHours(1), aTask(task));
        assertThat(timer.cancel()).isTrue();
        task = null;
        Garbage.is(reference);
        assertThat(timer.cancel()).isFalse();
    }

    /** Sets tasks, which two threads then cancel at the same time: one thread every second task, and the other one the rest. */
    private static List<WeakReference<Object>> setAndCancelled(ManualTime time, ExecutorService threads)
            throws Exception {
        var tasks = new ArrayList<WeakReference<Object>>();
        var set = new ArrayList<Cancellable>();
        for (int i = 0; i < 100; i++) {
            var task = new Object();
            tasks.add(new WeakReference<>(task));
            set.add(time.schedule(1, aTask(task)));
        }
        var begin = new CyclicBarrier(2);
        var ends = new ArrayList<Future<?>>();
        for (int thread = 0; thread < 2; thread++) {
            var first = thread;
            ends.add(threads.submit(() -> {
                begin.await();
                for (int i = first; i < set.size(); i += 2) {
                    assertThat(set.get(i).cancel()).isTrue();
                }
                return "cancelled";
            }));
        }
        for (var end : ends) {
            Waits.on(end);
        }
        return tasks;
    }

    @Promise("20.10")
    @Test
    void aManualTimeKeepsNoTaskThatWasCancelled() throws Exception {
        var clocks = new ArrayList<ManualTime>();
        var tasks = new ArrayList<WeakReference<Object>>();
        try (var threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 200; i++) {
                var time = new ManualTime();
                clocks.add(time);
                tasks.addAll(setAndCancelled(time, threads));
            }
        }
        Garbage.isEachOf(tasks);
        assertThat(clocks).allMatch(time -> time.pending() == 0);
    }
}
