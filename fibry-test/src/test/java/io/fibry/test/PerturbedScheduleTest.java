package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.AskTimeoutException;
import io.fibry.dump.ScopeDump;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program on real threads, where the JVM lets no seed decide. */
class PerturbedScheduleTest {
    /** A reply that nothing refers to is lost. */
    private final List<Object> kept = new CopyOnWriteArrayList<>();

    private static void play(long seed, ScheduledBody body) {
        var schedule = new PerturbedSchedule(seed, "start the JVM otherwise");
        schedule.play(() -> body.run(schedule), "replay");
    }

    @Promise("58.8")
    @Test
    void runsOnRealThreadsWithTheSameTime() {
        for (int seed = 0; seed < 3; seed++) {
            play(seed, schedule -> {
                assertThat(schedule.isControlled()).isFalse();
                var count = new AtomicInteger();
                var actor = schedule.scope().anonymous().<String>newActor((context, message) -> {
                    if (message.equals("start")) {
                        context.timers().fixedRate("beat", Duration.ofHours(1), "beat");
                    } else {
                        count.incrementAndGet();
                    }
                });
                actor.sendMessage("start");
                schedule.advance(Duration.ofHours(24));
                assertThat(count).hasValue(24);
                var silent = schedule.scope().anonymous().newActorWithReturn((context, message) -> {
                    kept.add(context.deferReply());
                    return null;
                });
                assertThatThrownBy(() -> silent.apply("hello", Duration.ofHours(30)))
                        .hasCauseInstanceOf(AskTimeoutException.class);
                var helper = schedule.start("helper", () -> actor.sendMessage("beat"));
                helper.join();
                schedule.awaitQuiet();
                assertThat(count.get()).isGreaterThan(24);
            });
        }
    }

    @Promise("58.8")
    @Test
    void threadsThatMeetShareOneScopeAndAllOfThemAreWaitedFor() {
        for (int seed = 0; seed < 50; seed++) {
            var scopes = ConcurrentHashMap.newKeySet();
            var ended = new AtomicInteger();
            play(seed, schedule -> {
                for (int i = 0; i < 4; i++) {
                    schedule.start("first", () -> {
                        scopes.add(schedule.scope());
                        schedule.start("second", () -> {
                            schedule.pause();
                            ended.incrementAndGet();
                        });
                    });
                }
            });
            assertThat(scopes).hasSize(1);
            assertThat(ended).hasValue(4);
        }
    }

    @Promise("58.8")
    @Test
    void theClockMovesWhileTheScopeOfAScheduleIsClosed() throws Exception {
        var outcome = new CompletableFuture<Throwable>();
        play(1, schedule -> {
            var silent = schedule.scope().anonymous().newActorWithReturn((context, message) -> {
                kept.add(context.deferReply());
                return null;
            });
            schedule.scope().anonymous().newActor((String message) -> {
                try {
                    silent.apply(message, Duration.ofSeconds(5));
                } catch (RuntimeException e) {
                    outcome.complete(e);
                }
            }).sendMessage("hello");
        });
        assertThat(Waits.on(outcome)).hasCauseInstanceOf(AskTimeoutException.class);
    }

    @Promise("58.8")
    @Test
    void quietMeansThatNoStartedThreadCanGoOn() {
        for (int seed = 0; seed < 50; seed++) {
            play(seed, schedule -> {
                var count = new AtomicInteger();
                schedule.start("worker", () -> {
                    work();
                    count.incrementAndGet();
                });
                schedule.start("beside", schedule::awaitQuiet);
                if (schedule.seed() % 2 == 0) {
                    schedule.awaitQuiet();
                } else {
                    schedule.advance(Duration.ofHours(1));
                }
                assertThat(count).hasValue(1);
            });
        }
    }

    @Promise("58.8")
    @Test
    void theClockStandsWhileAStartedThreadCanGoOn() {
        for (int seed = 0; seed < 20; seed++) {
            play(seed, schedule -> {
                var hasFired = new AtomicBoolean();
                var actor = schedule.scope().anonymous().<String>newActor((context, message) -> {
                    switch (message) {
                        case "start" -> context.timers().once("timer", Duration.ofHours(1), "fire");
                        case "cancel" -> context.timers().cancel("timer");
                        default -> hasFired.set(true);
                    }
                });
                actor.sendMessage("start");
                var worker = schedule.start("worker", () -> {
                    work();
                    actor.sendMessage("cancel");
                });
                worker.join();
                schedule.awaitQuiet();
                assertThat(hasFired).isFalse();
            });
        }
    }

    @Promise({"58.8", "53.3"})
    @Test
    void aProbeWaitsForStartedThreads() {
        for (int seed = 0; seed < 20; seed++) {
            play(seed, schedule -> {
                Probe<String, Void> probe = Probe.in(schedule.scope());
                schedule.start("sender", () -> {
                    work();
                    probe.actor().sendMessage("hello");
                });
                probe.expect("hello");
                assertThat(schedule.time().nanoTime()).isZero();
                probe.expectNothing(Duration.ofHours(1));
                assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofHours(1).toNanos());
            });
        }
    }

    private static void work() {
        var end = System.nanoTime() + Duration.ofMillis(5).toNanos();
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Promise("58.8")
    @Test
    void theClockMovesWhileAThreadWaitsWithALimitOfTheJdk() {
        play(1, schedule -> {
            Probe<String, Void> probe = Probe.in(schedule.scope());
            var came = new CountDownLatch(1);
            schedule.scope().schedule(Schedule.once(Duration.ofHours(1)), came::countDown);
            schedule.start("waiter", () -> {
                assertThat(came.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
                probe.actor().sendMessage("came");
            });
            probe.expect("came", Duration.ofHours(2));
        });
    }

    @Promise("58.8")
    @Test
    void whatATaskOfTheClockThrowsFailsTheScheduleAndNothingIsLeft() {
        var thread = new CompletableFuture<Thread>();
        var scope = new CompletableFuture<ActorScope>();
        assertThatThrownBy(() -> play(4, schedule -> {
            thread.complete(Thread.currentThread());
            scope.complete(schedule.scope());
            schedule.time().schedule(1, () -> {
                throw new IllegalStateException("on purpose");
            });
            new CountDownLatch(1).await();
        })).isInstanceOf(ScheduleFailedError.class).hasMessageStartingWith("seed 4: ")
                .hasRootCauseMessage("on purpose");
        Waits.until("the end of the thread", () -> !thread.join().isAlive());
        Waits.until("the end of the scope",
                () -> scope.join().dump().scope().state() == ScopeDump.State.CLOSED);
    }

    @Promise("58.8")
    @Test
    void anInterruptFailsTheScheduleAndNothingIsLeft() {
        var playing = Thread.currentThread();
        var thread = new CompletableFuture<Thread>();
        var scope = new CompletableFuture<ActorScope>();
        assertThatThrownBy(() -> play(4, schedule -> {
            thread.complete(Thread.currentThread());
            scope.complete(schedule.scope());
            playing.interrupt();
            new CountDownLatch(1).await();
        })).isInstanceOf(ScheduleFailedError.class)
                .hasMessageStartingWith("seed 4: the thread that runs the schedule was interrupted");
        assertThat(Thread.interrupted()).isTrue();
        Waits.until("the end of the thread", () -> !thread.join().isAlive());
        Waits.until("the end of the scope",
                () -> scope.join().dump().scope().state() == ScopeDump.State.CLOSED);
    }

    @Promise("58.8")
    @Test
    void aTaskOfTheClockMayWaitForQuietAndMoveTheClock() {
        play(4, schedule -> {
            var quiet = new CompletableFuture<Boolean>();
            schedule.time().schedule(1, () -> {
                try {
                    schedule.awaitQuiet();
                    schedule.advance(Duration.ofNanos(1));
                    quiet.complete(true);
                } catch (InterruptedException e) {
                    quiet.completeExceptionally(e);
                }
            });
            Probe<String, Void> probe = Probe.in(schedule.scope());
            schedule.time().schedule(4, () -> probe.actor().sendMessage("later"));
            probe.expect("later");
            assertThat(quiet).isCompletedWithValue(true);
        });
    }

    @Promise("58.8")
    @Test
    void anInterruptEndsAWaitForQuietWhileActorsAreAtWork() {
        play(4, schedule -> {
            var begun = new CountDownLatch(1);
            var end = new AtomicBoolean();
            schedule.scope().anonymous().newActor((String message) -> {
                begun.countDown();
                while (!end.get()) {
                    Thread.onSpinWait();
                }
            }).sendMessage("work");
            Waits.on(begun);
            try {
                Thread.currentThread().interrupt();
                assertThatThrownBy(schedule::awaitQuiet).isInstanceOf(InterruptedException.class);
            } finally {
                end.set(true);
            }
        });
    }

    @Promise({"58.8", "53.3"})
    @Test
    void whatComesAtTheLimitOfAProbeComesInTime() {
        var hour = Duration.ofHours(1);
        for (int seed = 0; seed < 20; seed++) {
            play(seed, schedule -> {
                Probe<String, Void> probe = Probe.in(schedule.scope());
                schedule.start("setter", () -> {
                    while (schedule.time().pending() == 0) { // the limit of the probe is the first one
                        Thread.onSpinWait();
                    }
                    schedule.time().schedule(hour.toNanos(), PerturbedScheduleTest::work);
                    schedule.time().schedule(hour.toNanos(), () -> probe.actor().sendMessage("in time"));
                });
                probe.expect("in time", hour);
            });
        }
    }

    @Promise("58.8")
    @Test
    void theClockStandsAfterAWaitForQuiet() {
        play(4, schedule -> {
            schedule.time().schedule(Duration.ofHours(10).toNanos(), () -> {
            });
            for (int i = 0; i < 2_000; i++) {
                schedule.awaitQuiet();
                assertThat(schedule.time().nanoTime()).isZero();
            }
        });
    }

    @Promise("58.8")
    @Test
    @Tag("timing") // the limit of a schedule is real time
    void aThreadMayWaitForAsManyTimersAsItLikes() {
        play(4, schedule -> {
            var isOver = new CountDownLatch(1);
            schedule.time().schedule(Duration.ofSeconds(20_000).toNanos(), isOver::countDown);
            var count = beats(schedule);
            isOver.await();
            schedule.awaitQuiet();
            assertThat(count).hasValue(20_000);
        });
    }

    @Promise("58.8")
    @Test
    @Tag("timing") // the limit of a schedule is real time
    void theClockIsHeldUpOnceByAThreadThatWaitsWithALimitOfTheJdk() {
        play(4, schedule -> {
            var count = beats(schedule);
            var ended = new CountDownLatch(1);
            schedule.start("waiter", () -> ended.await(Patience.MILLIS, TimeUnit.MILLISECONDS));
            schedule.advance(Duration.ofSeconds(2_500));
            assertThat(count).hasValue(2_500);
            ended.countDown();
        });
    }

    /** Counts the seconds of the clock, on the thread that moves it. */
    private static AtomicInteger beats(TestSchedule schedule) {
        var count = new AtomicInteger();
        var second = Duration.ofSeconds(1).toNanos();
        schedule.time().schedule(second, new Runnable() {
            @Override
            public void run() {
                count.incrementAndGet();
                schedule.time().schedule(second, this);
            }
        });
        return count;
    }

    /** A program in a JVM that allows no control. */
    static final class Elsewhere {
        private Elsewhere() {
        }

        public static void main(String[] arguments) {
            TestSchedule.explore(3, schedule -> System.out.println("controlled: " + schedule.isControlled()));
        }
    }

    @Promise("58.8")
    @Test
    void aJvmThatAllowsNoControlIsToldOnceWhatIsMissing() throws Exception {
        for (var options : Map.of(List.of("-ea", "-Dio.fibry.interleave=true"),
                "--add-opens java.base/java.lang=ALL-UNNAMED",
                List.of("-Dio.fibry.interleave=true", "--add-opens=java.base/java.lang=ALL-UNNAMED"), "-ea",
                List.of("-ea", "--add-opens=java.base/java.lang=ALL-UNNAMED"), "-Dio.fibry.interleave=true")
                .entrySet()) {
            var command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(options.getKey());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Elsewhere.class.getName()));
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
            assertThat(printed.split("controlled: false", -1)).as(printed).hasSize(4);
            assertThat(printed.split("start the JVM with " + options.getValue() + "\\s", -1)).as(printed)
                    .hasSize(2);
        }
    }

    @Promise("58.8")
    @Test
    void aFailureSaysThatNoSeedReplaysIt() {
        assertThatThrownBy(() -> play(5, schedule -> {
            throw new IllegalStateException("on purpose");
        })).isInstanceOf(ScheduleFailedError.class).hasMessageContainingAll("seed 5: ", "on purpose",
                "the seed does not replay it, since the schedule was not controlled: start the JVM otherwise");
    }
}
