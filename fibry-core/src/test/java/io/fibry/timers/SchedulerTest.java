package io.fibry.timers;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Gate;
import io.fibry.testing.JumpingTime;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class SchedulerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private final ManualTime time = new ManualTime(Instant.EPOCH, Patience.LIMIT);
    private final Recorder events = new Recorder();
    private final AtomicInteger runs = new AtomicInteger();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, events, time);
    }

    /** Moves on when the time before is dealt with: the timer is set again, or it is over. */
    private void pass(Scheduled job, int seconds) {
        for (int i = 0; i < seconds; i++) {
            soon().until(() -> job.isOver() || time.pending() > 0);
            time.advance(SECOND);
        }
    }

    @Promise("20.14")
    @EveryStrategy
    void aCalendarComesAtItsTimesAndWhatWasMissedComesOnce(Strategy strategy) throws Exception {
        var start = ZonedDateTime.of(2026, 3, 28, 1, 0, 0, 0, BERLIN);
        var clock = new ManualTime(start.toInstant(), Patience.LIMIT);
        var times = new ConcurrentLinkedQueue<String>();
        try (var scope = Scopes.on(strategy, events, clock)) {
            var actor = scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.timers().set("daily", Schedule.daily(LocalTime.of(2, 30), BERLIN).times(3),
                            "daily");
                    context.timers().set("later", Schedule.daily(LocalTime.NOON, BERLIN)
                            .startingAt(start.plusDays(3).withHour(12).toInstant()).times(1), "later");
                } else {
                    times.add(message + " " + LocalDateTime.ofInstant(clock.clock().instant(), BERLIN));
                }
            });
            actor.sendMessage("begin");
            var job = scope.schedule(Schedule.cron("0 9 * * SUN", BERLIN).startingAfter(Duration.ofDays(7)),
                    () -> times.add("job " + LocalDateTime.ofInstant(clock.clock().instant(), BERLIN)));
            clock.advance(Duration.ofMinutes(30));
            assertThat(job.next())
                    .contains(Duration.between(start.plusMinutes(30), start.plusDays(8).withHour(9)));
            clock.advance(Duration.ofDays(14));
            assertThat(times).containsExactly("daily 2026-03-28T02:30", "daily 2026-03-29T03:00",
                    "daily 2026-03-30T02:30",
                    "later 2026-03-31T12:00", "job 2026-04-05T09:00");
            times.clear();
            var late = scope.schedule(Schedule.cron("0 * * * *", BERLIN), () -> {
                times.add("late");
                clock.advance(Duration.ofHours(5)); // which is how long it takes
            });
            clock.advance(Duration.ofHours(1));
            soon().until(() -> late.fired() == 1 && clock.pending() == 2);
            assertThat(late.next()).as("it comes once, at once, for all that it has missed")
                    .contains(Duration.ZERO);
            assertThat(times).containsExactly("late");
            late.cancel();
        }
    }

    /** The clock of an operating system, which somebody sets. */
    @Test
    @Promise("20.14")
    void aClockThatIsSetBackOrAheadBringsNoTimeTwice() throws Exception {
        var clock = new JumpingTime(time, Duration.ZERO);
        try (var scope = ActorSystem.configure("test").time(clock).open()) {
            var job = scope.schedule(Schedule.daily(LocalTime.NOON, ZoneOffset.UTC), runs::incrementAndGet);
            clock.jump(Duration.ofHours(-1));
            time.advance(Duration.ofMinutes(12 * 60 + 59));
            assertThat(runs).hasValue(0);
            time.advance(Duration.ofMinutes(1));
            soon().until(() -> runs.get() == 1 && time.pending() == 1);
            clock.jump(Duration.ofHours(-3)); // it is ten o'clock again
            assertThat(job.next()).contains(Duration.ofHours(24));
            time.advance(Duration.ofHours(20));
            assertThat(runs).hasValue(1);
            clock.jump(Duration.ofDays(3));
            time.advance(Duration.ofHours(4));
            soon().until(() -> runs.get() == 2 && time.pending() == 1);
            assertThat(job.next().orElseThrow()).as("the next noon by the clock")
                    .isLessThanOrEqualTo(Duration.ofHours(24));
            assertThat(runs).hasValue(2);
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void codeRunsByItsScheduleElsewhereAndNotBesideItself(Strategy strategy) throws Exception {
        var inside = new AtomicInteger();
        var thread = new AtomicReference<Thread>();
        try (var scope = scope(strategy)) {
            var job = scope.schedule(Schedule.fixedRate(SECOND).times(5), () -> {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                thread.set(Thread.currentThread());
                Thread.yield();
                inside.decrementAndGet();
                runs.incrementAndGet();
            });
            pass(job, 9);
            soon().until(() -> runs.get() == 5);
            assertThat(job.isOver()).isTrue();
            assertThat(job.fired()).isEqualTo(5);
            assertThat(thread.get()).isNotSameAs(Thread.currentThread()); // which moves the clock
            soon().until(() -> time.pending() == 0);
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("20.6")
    @EveryStrategy
    void aTaskThatFailsIsReportedAndRunsAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var job = scope.schedule(Schedule.fixedDelay(SECOND).times(3), () -> {
                runs.incrementAndGet();
                throw new IllegalStateException("on purpose");
            });
            pass(job, 5);
            assertThat(events.await(Failed.class, 3)).hasSize(3);
            assertThat(runs).hasValue(3);
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void aRunThatHangsIsInterruptedAndTheScheduleGoesOn(Strategy strategy) throws Exception {
        var never = new CountDownLatch(1);
        var interrupted = new AtomicInteger();
        try (var scope = scope(strategy)) {
            var job = scope.schedule(Schedule.fixedDelay(SECOND).times(3), SECOND, () -> {
                if (runs.incrementAndGet() != 2) {
                    return;
                }
                try {
                    never.await();
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                    throw e;
                }
            });
            pass(job, 5);
            soon().until(() -> runs.get() == 3);
            assertThat(interrupted).hasValue(1);
            var failed = events.await(Failed.class, 1);
            assertThat(failed).singleElement().satisfies(event -> assertThat(event.cause())
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("longer than its limit of 1 s"));
            soon().until(() -> EngineProbe.footprint(scope) == 0);
        }
        assertThat(time.pending()).isZero();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                continue; // as code that does not react
            }
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void aRunThatDoesNotReactToTheInterruptIsNotOverlapped(Strategy strategy) throws Exception {
        var release = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            var job = scope.schedule(Schedule.fixedRate(SECOND).times(2), SECOND, () -> {
                if (runs.incrementAndGet() == 1) {
                    awaitUninterrupted(release);
                }
            });
            try {
                time.advance(SECOND);
                soon().until(() -> runs.get() == 1);
                time.advance(SECOND.multipliedBy(3));
                assertThat(runs).hasValue(1);
                assertThat(events.of(Failed.class)).isEmpty();
            } finally {
                release.countDown();
            }
            pass(job, 2);
            soon().until(() -> runs.get() == 2);
            assertThat(events.await(Failed.class, 1)).hasSize(1);
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void aRunWithALimitFailsAsOthersDo(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var job = scope.schedule(Schedule.fixedDelay(SECOND).times(2), SECOND, () -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                throw new AssertionError("on purpose");
            });
            pass(job, 4);
            assertThat(events.await(Failed.class, 2)).extracting(event -> event.cause().getMessage())
                    .containsExactly("on purpose", "on purpose");
            assertThatThrownBy(() -> scope.schedule(Schedule.once(SECOND), Duration.ZERO, () -> {
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("limit");
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void theEndOfTheScopeEndsARunWithALimit(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var scope = scope(strategy);
        scope.schedule(Schedule.once(SECOND), Duration.ofDays(1), () -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        time.advance(SECOND);
        Waits.on(begun);
        assertThat(Forced.stop(time, scope::stop).stopped()).isTrue();
        assertThat(time.pending()).isZero();
    }

    @Promise("20.6")
    @EveryStrategy
    void aTaskThatTakesLongHoldsUpOnlyItself(Strategy strategy) throws Exception {
        var release = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            var slow = scope.schedule(Schedule.fixedRate(SECOND), () -> {
                runs.incrementAndGet();
                release.await();
            });
            var other = new AtomicInteger();
            var fast = scope.schedule(Schedule.fixedRate(SECOND).times(3), other::incrementAndGet);
            time.advance(SECOND);
            soon().until(() -> runs.get() == 1);
            pass(fast, 4);
            soon().until(() -> other.get() == 3);
            assertThat(runs).hasValue(1);
            assertThat(slow.next()).contains(Duration.ZERO); // one is late, the others are left out
            slow.cancel();
            release.countDown();
        }
        assertThat(runs).hasValue(1);
    }

    @Promise("20.6")
    @EveryStrategy
    void allEndsWithTheScope(Strategy strategy) {
        var scope = scope(strategy);
        var job = scope.schedule(Schedule.fixedRate(SECOND), runs::incrementAndGet);
        scope.schedule(Schedule.once(SECOND), runs::incrementAndGet);
        scope.close();
        assertThat(time.pending()).isZero();
        assertThat(job.isOver()).isTrue();
        time.advance(Duration.ofDays(1));
        assertThat(runs).hasValue(0);
        assertThatThrownBy(() -> scope.schedule(Schedule.once(SECOND), runs::incrementAndGet))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("'test' is closed");
        assertThat(time.pending()).isZero();
    }

    @Test
    void aTaskThatWasCancelledDoesNotRun() {
        var scope = scope(Strategy.FIBERS);
        try (scope) {
            var job = scope.schedule(Schedule.once(SECOND), runs::incrementAndGet);
            assertThat(job.cancel()).isTrue();
            assertThat(job.cancel()).isFalse();
            assertThat(time.pending()).isZero();
            time.advance(SECOND);
        }
        assertThat(runs).hasValue(0);
    }

    @Promise("20.2")
    @EveryStrategy
    void whoCancelsWhileCodeRunsIsToldAndItIsTheLast(Strategy strategy) throws Exception {
        var release = new CountDownLatch(1);
        try (var scope = scope(strategy)) {
            var itself = new AtomicReference<Scheduled>();
            var own = new AtomicReference<Boolean>();
            itself.set(
                    scope.schedule(Schedule.fixedRate(SECOND), () -> own.set(itself.get().cancel())));
            var limited = new AtomicReference<Scheduled>();
            var ownLimited = new AtomicReference<Boolean>();
            limited.set(scope.schedule(Schedule.fixedRate(SECOND), SECOND,
                    () -> ownLimited.set(limited.get().cancel())));
            var job = scope.schedule(Schedule.fixedRate(SECOND), () -> {
                runs.incrementAndGet();
                release.await();
            });
            time.advance(SECOND);
            soon().until(() -> runs.get() == 1 && own.get() != null && ownLimited.get() != null);
            assertThat(own).hasValue(true);
            assertThat(ownLimited).hasValue(true);
            assertThat(job.cancel()).isFalse();
            assertThat(job.isOver()).isTrue();
            release.countDown();
            soon().until(() -> time.pending() == 0);
            time.advance(SECOND);
        }
        assertThat(runs).hasValue(1);
    }

    @Promise("20.6")
    @EveryStrategy
    void aMessageIsSentBySchedule(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActor((Integer n) -> runs.addAndGet(n));
            var job = scope.schedule(Schedule.fixedRate(SECOND).times(3), actor, 10);
            pass(job, 5);
            soon().until(() -> runs.get() == 30);
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void aFullMailboxDoesWithItWhatItDoesWithAnyMessage(Strategy strategy) throws Exception {
        for (var overflow : new OverflowPolicy[]{OverflowPolicy.reject(), OverflowPolicy.fail()}) {
            runs.set(0);
            var lost = events.of(Undelivered.class).size();
            try (var scope = scope(strategy)) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, overflow))
                        .newActor((Integer n) -> runs.addAndGet(n));
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage(1);
                    var job = scope.schedule(Schedule.fixedRate(SECOND).times(2), actor, 10);
                    pass(job, 3);
                    events.await(Undelivered.class, lost + 2);
                    gate.open();
                }
                actor.close();
            }
            assertThat(runs).hasValue(1);
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("20.6")
    @EveryStrategy
    void aStoppedActorEndsTheSchedule(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActor((Integer n) -> runs.addAndGet(n));
            var job = scope.schedule(Schedule.fixedDelay(SECOND), actor, 10);
            pass(job, 1);
            soon().until(() -> runs.get() == 10);
            actor.close();
            pass(job, 2);
            soon().until(job::isOver);
            assertThat(events.await(Undelivered.class).cause()).isEqualTo(Undelivered.Cause.STOPPED);
            pass(job, 2);
            assertThat(events.of(Undelivered.class)).hasSize(1);
            soon().until(() -> time.pending() == 0);
        }
    }

    /** A clock that can set no timer for a while. */
    private final class Refusing implements TimeSource {
        private volatile boolean refuses = true;

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
            if (refuses) {
                throw new IllegalStateException("no timer");
            }
            return time.schedule(delayNanos, task);
        }
    }

    @Promise("20.6")
    @Test
    void whatHasNoTimerIsNotScheduled() {
        var refusing = new Refusing();
        try (var scope = ActorSystem.configure("refusing").time(refusing).open()) {
            assertThatThrownBy(() -> scope.schedule(Schedule.once(SECOND), runs::incrementAndGet))
                    .hasMessage("no timer");
            assertThat(scope.dump().scope().jobs()).isZero();
            var actor = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, Boolean> context, String key) -> {
                        assertThatThrownBy(() -> context.timers().set(key, Schedule.once(SECOND), "tick"))
                                .hasMessage("no timer");
                        return context.timers().isSet(key);
                    });
            assertThat(actor.apply("key")).isFalse();
            refusing.refuses = false; // the close waits with a limit for an actor that is not at rest yet
        }
    }
}
