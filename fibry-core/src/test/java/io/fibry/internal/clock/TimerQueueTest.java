package io.fibry.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TimerQueueTest {
    private static final Runnable NOTHING = () -> {
    };

    private final AtomicInteger threadsMade = new AtomicInteger();
    private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();

    private TimerQueue queue(long keepAliveNanos) {
        return queue(keepAliveNanos, task -> {
            threadsMade.incrementAndGet();
            var thread = Thread.ofPlatform().daemon().name("fibry-timer-test").unstarted(task);
            threads.add(thread);
            return thread;
        });
    }

    private static TimerQueue queue(long keepAliveNanos, ThreadFactory threads) {
        return new TimerQueue(System::nanoTime, threads, keepAliveNanos, 2);
    }

    private static void reached(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("reached in time").isTrue();
    }

    /** The thread ends, or goes to sleep, while others set timers: none of those is overslept. */
    @Test
    void noTimerIsOversleptHoweverShortTheThreadStays() throws InterruptedException {
        var random = new SplittableRandom(1);
        for (long keepAlive : new long[]{0, 20_000, 10_000_000}) {
            var timers = queue(keepAlive);
            for (int round = 0; round < 500; round++) {
                var late = timers.schedule(TimeUnit.MINUTES.toNanos(1), NOTHING);
                var done = new CountDownLatch(1);
                if (random.nextBoolean()) {
                    late.cancel();
                }
                timers.schedule(random.nextInt(150_000), done::countDown);
                reached(done);
                late.cancel();
            }
        }
    }

    @Test
    void itKnowsItsThread() throws Exception {
        var timers = queue(10_000_000);
        var inside = new CompletableFuture<Boolean>();
        timers.schedule(0, () -> inside.complete(timers.firesOn(Thread.currentThread())));
        assertThat(inside.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(timers.firesOn(Thread.currentThread())).isFalse();
    }

    @Test
    void eachTimerFiresOnceOrIsCancelledWhoeverSetsIt() throws Exception {
        var timers = queue(10_000_000);
        var each = 20_000;
        var fired = new AtomicInteger();
        var cancelled = new AtomicInteger();
        var setters = new ArrayList<Thread>();
        for (int n = 0; n < 4; n++) {
            var random = new SplittableRandom(n);
            setters.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    var timer = timers.schedule(random.nextInt(200_000), fired::incrementAndGet);
                    if (random.nextBoolean() && timer.cancel()) {
                        cancelled.incrementAndGet();
                    }
                }
            }));
        }
        for (var setter : setters) {
            setter.join();
        }
        await().until(() -> timers.pending() == 0);
        await().until(() -> fired.get() + cancelled.get() == 4 * each);
        assertThat(cancelled).hasPositiveValue();
    }

    @Test
    void timersFireInOrderAndNotBeforeTheirTime() throws InterruptedException {
        var timers = queue(10_000_000);
        var fired = new ConcurrentLinkedQueue<Long>();
        var dues = new ArrayList<Long>();
        var early = new AtomicInteger();
        var count = 200;
        var done = new CountDownLatch(count);
        for (int i = count; i-- > 0;) {
            var delay = TimeUnit.SECONDS.toNanos(1) + i * 100_000L;
            var notBefore = System.nanoTime() + delay;
            var number = dues.size();
            dues.add(timers.schedule(delay, () -> {
                early.addAndGet(System.nanoTime() - notBefore < 0 ? 1 : 0);
                fired.add(dues.get(number));
                done.countDown();
            }).due);
        }
        reached(done);
        assertThat(early).hasValue(0);
        assertThat(List.copyOf(fired)).isSortedAccordingTo((a, b) -> Long.signum(a - b));
    }

    @Test
    void durationsBeyondAllMeasureNeitherFireNorHoldUpOthers() throws InterruptedException {
        var timers = queue(10_000_000);
        var never = List.of(timers.schedule(Long.MAX_VALUE, () -> threads.clear()),
                timers.schedule(Long.MAX_VALUE - 1, () -> threads.clear()));
        var done = new CountDownLatch(2);
        timers.schedule(1_000_000, done::countDown);
        timers.schedule(Long.MIN_VALUE, done::countDown);
        reached(done);
        assertThat(timers.pending()).isEqualTo(2);
        never.forEach(timer -> assertThat(timer.cancel()).isTrue());
        assertThat(threads).isNotEmpty();
    }

    /** What a task has thrown cannot be logged if its text cannot be had. */
    @Test
    void aFailureThatCannotBeLoggedStopsNoOther() throws InterruptedException {
        var uncaught = new ConcurrentLinkedQueue<Throwable>();
        var timers = queue(1_000_000, task -> {
            var thread = Thread.ofPlatform().daemon().unstarted(task);
            thread.setUncaughtExceptionHandler((dead, failure) -> uncaught.add(failure));
            return thread;
        });
        var done = new CountDownLatch(1);
        var failure = new Speechless();
        timers.schedule(0, () -> {
            throw failure;
        });
        timers.schedule(2_000_000, done::countDown);
        reached(done);
        assertThat(uncaught).containsExactly(failure);
    }

    private static final class Speechless extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text, on purpose");
        }
    }

    /** It is seen asleep after its last timer, and not only ending. */
    @Test
    void theThreadOfTheSystemsClockStaysForAMoment() throws InterruptedException {
        var isStaying = false;
        for (int round = 0; round < 50 && !isStaying; round++) {
            var fired = new CompletableFuture<Thread>();
            SystemTime.INSTANCE.schedule(0, () -> fired.complete(Thread.currentThread()));
            var thread = fired.join();
            while (!isStaying && thread.isAlive()) {
                isStaying = thread.getState() == Thread.State.TIMED_WAITING;
            }
        }
        assertThat(isStaying).isTrue();
    }

    @LogsErrors
    @Test
    void whatATaskThrowsStopsNoOtherAndIsLogged() throws InterruptedException {
        var timers = queue(1_000_000);
        var keepsTheThread = timers.schedule(TimeUnit.HOURS.toNanos(1), NOTHING);
        var done = new CountDownLatch(1);
        timers.schedule(0, () -> {
            throw new StackOverflowError("on purpose");
        });
        timers.schedule(0, Thread.currentThread()::isInterrupted);
        timers.schedule(0, () -> Thread.currentThread().interrupt());
        timers.schedule(2_000_000, done::countDown);
        reached(done);
        assertThat(threadsMade).hasValue(1);
        keepsTheThread.cancel();
    }

    @Test
    void theThreadIsThereOnlyWhileTimersAreSet() throws InterruptedException {
        var timers = queue(1_000_000);
        assertThat(threadsMade).hasValue(0);
        var timer = timers.schedule(TimeUnit.MINUTES.toNanos(1), NOTHING);
        assertThat(threads.peek().isAlive()).isTrue();
        timers.schedule(0, NOTHING);
        timer.cancel();
        threads.remove().join(Patience.MILLIS);
        assertThat(timers.pending()).isZero();
        var done = new CountDownLatch(1);
        timers.schedule(0, done::countDown);
        reached(done);
        assertThat(threadsMade).hasValue(2);
    }

    @Test
    void theThreadEndsWhenTheLastTimerIsCancelledHoweverLongThatHadToGo() throws InterruptedException {
        var timers = queue(1_000_000);
        for (int round = 0; round < 20; round++) {
            var long1 = timers.schedule(TimeUnit.HOURS.toNanos(1), NOTHING);
            var long2 = timers.schedule(TimeUnit.HOURS.toNanos(2), NOTHING);
            var thread = threads.remove();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            long1.cancel();
            long2.cancel();
            thread.join(Patience.MILLIS);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void aTimerForWhichNoThreadCanBeStartedIsNotLeft() throws InterruptedException {
        var timers = queue(0, new FirstThreadFails());
        assertThatThrownBy(() -> timers.schedule(0, NOTHING)).isInstanceOf(OutOfMemoryError.class);
        assertThat(timers.pending()).isZero();
        var done = new CountDownLatch(1);
        timers.schedule(0, done::countDown);
        reached(done);
    }

    /** No carrier is needed, and no lock is handed to somebody who has none. */
    @Test
    void timersFireWhileVirtualThreadsKeepAllCarriersAndTheHeaps() throws InterruptedException {
        var timers = queue(TimeUnit.SECONDS.toNanos(1));
        var stop = new CountDownLatch(1);
        var busy = new ArrayList<Thread>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            busy.add(Thread.ofVirtual().start(() -> {
                while (stop.getCount() > 0) {
                    timers.schedule(TimeUnit.MINUTES.toNanos(1), NOTHING).cancel();
                }
            }));
        }
        try {
            for (int i = 0; i < 50; i++) {
                var done = new CountDownLatch(1);
                timers.schedule(100_000, done::countDown);
                reached(done);
            }
        } finally {
            stop.countDown();
        }
        for (var thread : busy) {
            thread.join();
        }
    }

    @LogsErrors
    @Test
    void aFailureOfTheThreadItselfDoesNotStopTheTimers() throws InterruptedException {
        var fails = new AtomicInteger(1);
        var timers = new TimerQueue(System::nanoTime, task -> Thread.ofPlatform().daemon().unstarted(task),
                1_000_000, 2, nanos -> {
                    if (nanos > TimeUnit.SECONDS.toNanos(1) && fails.getAndDecrement() > 0) {
                        throw new IllegalStateException("on purpose");
                    }
                    LockSupport.parkNanos(nanos);
                });
        var far = timers.schedule(TimeUnit.HOURS.toNanos(1), NOTHING);
        await().until(() -> fails.get() < 1);
        var done = new CountDownLatch(1);
        timers.schedule(1_000_000, done::countDown);
        reached(done);
        far.cancel();
    }

    @LogsErrors
    @Test
    void aThreadThatFailsAgainAndAgainGoesOnAndIsLoggedRarely() throws InterruptedException {
        var logger = (Logger) LoggerFactory.getLogger("io.fibry.time");
        var lines = new ListAppender<ILoggingEvent>();
        var failures = new AtomicInteger();
        var failsUntil = 5_000;
        var timers = new TimerQueue(System::nanoTime, task -> Thread.ofPlatform().daemon().unstarted(task),
                1_000_000, 2, nanos -> {
                    if (failures.getAndIncrement() < failsUntil) {
                        throw new IllegalStateException("on purpose");
                    }
                    LockSupport.parkNanos(nanos);
                });
        lines.start();
        logger.addAppender(lines);
        var far = timers.schedule(TimeUnit.HOURS.toNanos(1), NOTHING);
        try {
            await().atMost(Patience.LIMIT).until(() -> failures.get() > failsUntil);
            var done = new CountDownLatch(1);
            timers.schedule(1_000_000, done::countDown);
            reached(done);
        } finally {
            far.cancel();
            logger.detachAppender(lines);
        }
        assertThat(lines.list).hasSizeBetween(1, 60);
    }
}
