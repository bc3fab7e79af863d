package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A chain of actors that never ends, on the one carrier there is: others still wake up in time. */
@Tag("timing")
class EndlessRingTest {
    @Promise("8.1")
    @Test
    void aRingThatRunsForEverDoesNotDelayAPlainVirtualThread() throws Exception {
        Child.run(Measured.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
    }

    /**
     * How long a virtual thread that may go on waits for the carrier, counted in the processor time that the carrier
     * spends on the ring meanwhile: so what else the machine does is not taken for the ring's doing.
     */
    static final class Measured {
        private static final int WARM_UP = 300;
        private static final int WAKE_UPS = 1_000;
        private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
        private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(700);
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
        private static volatile boolean end;

        public static void main(String[] arguments) throws Exception {
            var hops = new AtomicLong();
            startRing(503, hops);
            wakeUps(WARM_UP);
            var before = hops.get();
            var late = wakeUps(WAKE_UPS);
            var during = hops.get() - before;
            end = true;
            Arrays.sort(late);
            var p99 = late[WAKE_UPS * 99 / 100];
            var text = String.format(Locale.ROOT,
                    "a virtual thread waited for the carrier while that ran the ring for %,d ns (median), %,d ns (99th "
                            + "percentile), %,d ns (longest); the ring made %,d hops meanwhile",
                    late[WAKE_UPS / 2], p99, late[WAKE_UPS - 1], during);
            System.out.println(text);
            assertThat(during).as(text).isGreaterThan(100L * WAKE_UPS);
            assertThat(late[WAKE_UPS / 2]).as(text).isPositive();
            assertThat(p99).as(text).isLessThan(LIMIT_NANOS);
        }

        private static void startRing(int size, AtomicLong hops) {
            var ring = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < size; i++) {
                var next = (i + 1) % size;
                ring.add(ActorSystem.anonymous().newActor((Integer n) -> {
                    hops.incrementAndGet();
                    if (!end) {
                        ring.get(next).sendMessage(n);
                    }
                }));
            }
            ring.getFirst().sendMessage(1);
        }

        private static long[] wakeUps(int count) throws InterruptedException {
            var carrier = carrier();
            var late = new long[count];
            var before = new AtomicLong();
            var calls = new Semaphore(0);
            var arrivals = new Semaphore(0);
            var sleeper = Thread.ofVirtual().start(() -> {
                for (int i = 0; i < count; i++) {
                    calls.acquireUninterruptibly();
                    late[i] = THREADS.getThreadCpuTime(carrier) - before.get();
                    arrivals.release();
                }
            });
            for (int i = 0; i < count; i++) {
                LockSupport.parkNanos(PAUSE_NANOS + 7_000L * (i % 100)); // at any moment of the ring's budget
                before.set(THREADS.getThreadCpuTime(carrier));
                calls.release();
                arrivals.acquire();
            }
            sleeper.join();
            return late;
        }

        private static long carrier() {
            var carriers = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                    .filter(thread -> thread != null
                            && thread.getThreadName().startsWith("ForkJoinPool-1-worker"))
                    .map(ThreadInfo::getThreadId).toList();
            assertThat(carriers).as("carriers").hasSize(1);
            return carriers.getFirst();
        }
    }
}
