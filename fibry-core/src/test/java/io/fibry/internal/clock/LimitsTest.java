package io.fibry.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limits beside timers, on the thread that both share. */
class LimitsTest {
    private static final long KEEP_ALIVE = 1_000_000;

    private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final AtomicInteger over = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();

    private TimerQueue queue(long keepAliveNanos) {
        return queue(keepAliveNanos, task -> {
            var thread = Thread.ofPlatform().daemon().name("fibry-timer-test").unstarted(task);
            threads.add(thread);
            return thread;
        });
    }

    private static TimerQueue queue(long keepAliveNanos, ThreadFactory threads) {
        return new TimerQueue(System::nanoTime, threads, keepAliveNanos, 2);
    }

    private record Mine(long due, Runnable task) implements Limited {
        @Override
        public void expire() {
            task.run();
        }
    }

    private Limited in(long nanos) {
        return in(nanos, over::incrementAndGet);
    }

    private Limited in(long nanos, Runnable task) {
        var due = System.nanoTime() + nanos;
        return new Mine(due, () -> {
            wrong.addAndGet(System.nanoTime() - due < 0 ? 1 : 0);
            task.run();
        });
    }

    private static void reached(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("reached in time").isTrue();
    }

    @Test
    void noLimitIsOversleptHoweverShortTheThreadStays() throws InterruptedException {
        var random = new SplittableRandom(1);
        for (long keepAlive : new long[]{0, 20_000, 10_000_000}) {
            var timers = queue(keepAlive);
            for (int round = 0; round < 300; round++) {
                var late = timers.limit(in(TimeUnit.MINUTES.toNanos(1)));
                var timer = timers.schedule(TimeUnit.MINUTES.toNanos(2), () -> {
                });
                var done = new CountDownLatch(1);
                if (random.nextBoolean()) {
                    timers.cancel(late);
                }
                if (random.nextBoolean()) {
                    timer.cancel();
                }
                timers.limit(in(random.nextInt(400_000), done::countDown));
                reached(done);
                timers.cancel(late);
                timer.cancel();
            }
        }
        assertThat(wrong).hasValue(0);
    }

    @Test
    void eachEndsOnceOrIsCancelledWhoeverSetsIt() throws InterruptedException {
        var timers = queue(KEEP_ALIVE);
        var each = 50_000;
        var cancelled = new AtomicInteger();
        var setters = new ArrayList<Thread>();
        for (int n = 0; n < 4; n++) {
            var random = new SplittableRandom(n);
            setters.add(Thread.ofPlatform().start(() -> {
                var held = new ArrayList<Limit>();
                for (int i = 0; i < each; i++) {
                    held.add(
                            timers.limit(in(random.nextInt(random.nextBoolean() ? 2_000_000 : 400_000_000))));
                    if (held.size() > 500) {
                        held.forEach(limit -> {
                            if (random.nextInt(3) > 0 && timers.cancel(limit)) {
                                cancelled.incrementAndGet();
                            }
                        });
                        held.clear();
                    }
                }
            }));
        }
        for (var setter : setters) {
            setter.join();
        }
        await().until(() -> over.get() + cancelled.get() == 4 * each);
        assertThat(timers.pending()).isZero();
        assertThat(wrong).hasValue(0);
        assertThat(cancelled).hasPositiveValue();
        for (var thread : threads) {
            thread.join(Patience.MILLIS);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void theThreadEndsWhenTheLastLimitIsCancelledHoweverLongThatHadToGo() throws InterruptedException {
        var timers = queue(KEEP_ALIVE);
        for (int round = 0; round < 20; round++) {
            var one = timers.limit(in(TimeUnit.HOURS.toNanos(1)));
            var other = timers.limit(in(TimeUnit.HOURS.toNanos(2)));
            var thread = threads.remove();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            timers.cancel(round % 2 == 0 ? one : other);
            var timer = timers.schedule(TimeUnit.HOURS.toNanos(3), () -> {
            });
            timers.cancel(round % 2 == 0 ? other : one);
            timer.cancel();
            thread.join(Patience.MILLIS);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(timers.pending()).isZero();
    }

    @Test
    void aLimitForWhichNoThreadCanBeStartedIsNotSet() throws InterruptedException {
        var timers = queue(0, new FirstThreadFails());
        assertThatThrownBy(() -> timers.limit(in(0))).isInstanceOf(OutOfMemoryError.class);
        assertThat(timers.pending()).isZero();
        var done = new CountDownLatch(1);
        timers.limit(in(0, done::countDown));
        reached(done);
        assertThat(over).hasValue(0);
    }

    @LogsErrors
    @Test
    void whatAnEndThrowsStopsNoOther() throws InterruptedException {
        var timers = queue(KEEP_ALIVE);
        var keepsTheThread = timers.limit(in(TimeUnit.HOURS.toNanos(1)));
        var done = new CountDownLatch(1);
        timers.limit(in(100_000, () -> {
            throw new StackOverflowError("on purpose");
        }));
        timers.limit(in(2_000_000, done::countDown));
        reached(done);
        assertThat(threads).hasSize(1);
        timers.cancel(keepsTheThread);
    }

    @Test
    void anEndForWhichThereIsNoMemoryIsTriedAgain() throws InterruptedException {
        var timers = queue(KEEP_ALIVE);
        var tries = new AtomicInteger();
        var done = new CountDownLatch(1);
        timers.limit(in(100_000, () -> {
            if (tries.incrementAndGet() < 4) {
                throw new OutOfMemoryError("no memory, on purpose");
            }
            done.countDown();
        }));
        reached(done);
        await().until(() -> timers.pending() == 0);
        assertThat(tries).hasValue(4);
        assertThat(threads).hasSize(1);
    }

    @Test
    void limitsBeyondAllMeasureNeitherEndNorHoldUpOthers() throws InterruptedException {
        var timers = queue(KEEP_ALIVE);
        var never = timers.limit(in(Long.MAX_VALUE / 2));
        var done = new CountDownLatch(1);
        timers.limit(in(3_000_000, done::countDown));
        reached(done);
        await().until(() -> timers.pending() == 1); // the limit is no longer counted when its end has returned
        assertThat(timers.cancel(never)).isTrue();
        assertThat(timers.cancel(never)).isFalse();
        assertThat(over).hasValue(0);
    }
}
