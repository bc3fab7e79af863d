package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fibry.Actor;
import io.fibry.event.HighWater;
import io.fibry.test.HeldHandlers;
import io.fibry.test.History;
import io.fibry.test.Model;
import io.fibry.test.Probe;
import io.fibry.test.Recorder;
import io.fibry.test.ScheduleFailedError;
import io.fibry.test.ScheduledBody;
import io.fibry.test.ScopeAssertions;
import io.fibry.test.TestSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Programs with one mistake each, of the kinds that programs with actors have. The test kit finds each one, names it, and replays the
 * schedule in which it was found.
 */
class PlantedBugsTest {
    private static final int SEEDS = 200;

    /** Finds the mistake, replays it, and returns the message of the failure. */
    private static String found(ScheduledBody program) {
        var first = catchThrowableOfType(ScheduleFailedError.class,
                () -> TestSchedule.explore(SEEDS, program));
        assertThat(first).as("the failure under one of %d schedules", SEEDS).isNotNull();
        var again = catchThrowableOfType(ScheduleFailedError.class,
                () -> TestSchedule.replay(first.seed(), program));
        assertThat(again).isNotNull();
        assertThat(withoutTimes(again)).isEqualTo(withoutTimes(first));
        return first.getMessage();
    }

    /** A dump begins with the time at which it was taken, and how long that took. */
    private static String withoutTimes(Throwable failure) {
        return failure.getMessage().replaceAll("(?m)^(Dump of scope|taken in) .*$", "");
    }

    /** An account that nothing guards. */
    private static final class Purse {
        private long cents;

        long cents() {
            return cents;
        }

        void set(long now) {
            cents = now;
        }
    }

    /** The purse that does one thing at a time. */
    private record Sum() implements Model<Long, Long, Long> {
        @Override
        public Long initial() {
            return 0L;
        }

        @Override
        public Step<Long, Long> apply(Long cents, Long more) {
            return new Step<>(cents + more, cents + more);
        }
    }

    /** Two actors share one object, and each of them reads it before it writes. */
    @Test
    void anUpdateIsLost() {
        assertThat(found(schedule -> {
            var purse = new Purse();
            var history = new History<Long, Long>();
            var clerks = new ArrayList<Actor<Long, Void>>();
            for (int n = 0; n < 2; n++) {
                clerks.add(schedule.scope().named("clerk-" + n).newActor((Long more) -> {
                    history.record(more, () -> {
                        long read = purse.cents();
                        schedule.pause(); // the code of a program has no marks where another thread may come in
                        purse.set(read + more);
                        return read + more;
                    });
                }));
            }
            clerks.forEach(clerk -> clerk.sendMessage(10L));
            schedule.awaitQuiet();
            history.assertLinearizable(new Sum());
        })).contains("no order of the calls explains", "the call: 10 -> 10", "-Dfibry.seed=");
    }

    /** A worker reports to a log that may have been stopped by then. */
    @Test
    void aMessageComesAfterTheStop() {
        assertThat(found(schedule -> {
            var scope = schedule.scope();
            var log = scope.named("log").newActor((String line) -> {
            });
            var worker = scope.named("worker").newActor((String task) -> log.sendMessage(task + " is done"));
            worker.sendMessage("task");
            schedule.start("closing", () -> log.stop(Duration.ofSeconds(5))).join();
            schedule.awaitQuiet();
            ScopeAssertions.assertNothingLost(scope);
        })).contains("messages lost in scope 'test': 1, by cause: {STOPPED=1}");
    }

    /** Each of two actors asks the other one on a thread of an executor, where the library cannot see that they wait in a circle. */
    @Test
    void twoAsksWaitForEachOther() {
        assertThat(found(schedule -> {
            var scope = schedule.scope();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var actors = new ArrayList<Actor<String, String>>();
                for (var name : List.of("left", "right")) {
                    int other = name.equals("left") ? 1 : 0;
                    actors.add(
                            scope.named(name).newActorWithReturn((String ask) -> ask.equals("fork") ? "fork"
                                    : threads.submit(() -> actors.get(other).apply("fork")).get()));
                }
                var meals = actors.stream().map(actor -> actor.sendMessageReturn("eat")).toList();
                for (var meal : meals) {
                    meal.get();
                }
            }
        })).contains("nothing can go on", "'left'", "'right'", "PlantedBugsTest");
    }

    /** A reminder is to come within an hour. It is set a minute too late. */
    @Test
    void aTimerFiresLate() {
        assertThat(found(schedule -> {
            var scope = schedule.scope();
            Probe<String, Void> inbox = Probe.in(scope, "inbox");
            scope.named("clock").<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.timers().once("reminder", Duration.ofMinutes(61), "remind");
                } else {
                    inbox.actor().sendMessage(message);
                }
            }).sendMessage("begin");
            inbox.expect("remind", Duration.ofHours(1));
        })).contains("probe 'inbox' expected remind", "waited for PT1H", "1 timer");
    }

    /** A slow actor has a mailbox without a bound. */
    @Test
    void aMailboxGrowsWithoutBound() {
        assertThat(found(schedule -> {
            var scope = schedule.scope();
            try (var recorder = Recorder.of(scope)) {
                var slow = new HeldHandlers();
                slow.hold();
                var writer = scope.named("writer").newActor(slow.around((Integer number) -> {
                }));
                for (int number = 0; number < 20_000; number++) {
                    writer.sendMessage(number);
                }
                slow.release();
                recorder.expectNone(HighWater.class);
            }
        })).contains("expected no event HighWater", "actor=writer");
    }
}
