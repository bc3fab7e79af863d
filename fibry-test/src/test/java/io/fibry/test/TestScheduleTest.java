package io.fibry.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A program under schedules. */
class TestScheduleTest {
    /** A reply that nothing refers to is lost. */
    private final List<Object> kept = new CopyOnWriteArrayList<>();

    private static final List<CreationStrategy> STRATEGIES =
            List.of(CreationStrategy.fibers(), CreationStrategy.threads(),
                    CreationStrategy.pool(2), CreationStrategy.caller());

    /** Otherwise a program that hangs would hang here. */
    @BeforeAll
    static void needsControl() {
        TestSchedule.replay(0, schedule -> assertThat(schedule.isControlled()).isTrue());
    }

    private static List<String> played(long seed) {
        var steps = new ArrayList<String>();
        TestSchedule.replay(seed, schedule -> {
            var scope = schedule.scope();
            Actor<String, Void> log = scope.anonymous().newActor((String step) -> {
                steps.add(step);
            });
            for (var strategy : STRATEGIES) {
                var echo = scope.named(strategy.toString()).strategy(strategy)
                        .newActorWithReturn((Integer number) -> log.sendMessage(strategy + " " + number));
                schedule.start("sender of " + strategy, () -> {
                    for (int i = 0; i < 3; i++) {
                        echo.apply(i);
                    }
                });
            }
            Thread.startVirtualThread(() -> log.sendMessage("virtual"));
            log.sendMessage("number " + schedule.random().nextInt());
            schedule.awaitQuiet();
            assertThat(steps).hasSize(3 * STRATEGIES.size() + 2);
        });
        return steps;
    }

    @Promise("58.1")
    @Test
    void aSeedGivesTheSameScheduleAgainAndOthersGiveOthers() {
        var all = new HashSet<List<String>>();
        for (int seed = 0; seed < 50; seed++) {
            var once = played(seed);
            assertThat(played(seed)).isEqualTo(once);
            all.add(once);
        }
        assertThat(all).hasSizeGreaterThan(25);
    }

    @Promise("58.3")
    @Test
    void theScopeOfAScheduleIsClosedWhenTheProgramHasEnded() {
        var scopes = new ArrayList<ActorScope>();
        var ends = new AtomicInteger();
        TestSchedule.replay(1, schedule -> {
            scopes.add(schedule.scope());
            schedule.scope().named("last").onExit(ends::incrementAndGet).newActor((String message) -> {
            });
        });
        assertThat(scopes.getFirst().dump().scope().state()).isEqualTo(ScopeDump.State.CLOSED);
        assertThat(ends).hasValue(1);
    }

    @Promise("58.3")
    @Test
    void aThreadThatIsWokenFromOutsideGoesOnWhenNoOtherCan() {
        for (int seed = 0; seed < 10; seed++) {
            var order = new ArrayList<String>();
            TestSchedule.replay(seed, schedule -> {
                var asleep = new CountDownLatch(1);
                var wake = new CountDownLatch(1);
                var sleeper = schedule.start("sleeper", () -> {
                    asleep.countDown();
                    wake.await();
                    order.add("sleeper");
                });
                asleep.await();
                var isWoken = new AtomicBoolean();
                Thread.ofPlatform().start(() -> {
                    Waits.parked(sleeper);
                    wake.countDown();
                    isWoken.set(true);
                });
                while (!isWoken.get()) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 20; i++) {
                    Thread.yield(); // the other one could go on here
                }
                order.add("worker");
            });
            assertThat(order).as("seed %d", seed).containsExactly("worker", "sleeper");
        }
    }

    private interface Cell {
        int get();

        void set(int value);
    }

    private static final class SharedCell implements Cell {
        private int value;

        @Override
        public int get() {
            return value;
        }

        @Override
        public void set(int value) {
            this.value = value;
        }
    }

    @Promise({"58.1", "58.3"})
    @Test
    void aLostUpdateOfASharedObjectIsFoundAndReplayed() {
        ScheduledBody program = schedule -> {
            var shared = schedule.paused(Cell.class, new SharedCell());
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 2; i++) {
                var actor = schedule.scope().anonymous().newActorWithReturn((String message) -> {
                    shared.set(shared.get() + 1);
                    return shared.get();
                });
                threads.add(schedule.start("asker" + i, () -> actor.apply("add")));
            }
            for (var thread : threads) {
                thread.join();
            }
            if (shared.get() != 2) {
                throw new IllegalStateException("lost an update: " + shared.get());
            }
        };
        var failure = failure(() -> TestSchedule.explore(1_000, program));
        assertThat(failure).hasMessageStartingWith("seed " + failure.seed() + ": ")
                .hasMessageContainingAll("lost an update: 1",
                        "replay it: -Dfibry.seed=" + failure.seed())
                .hasCauseInstanceOf(IllegalStateException.class);
        for (int i = 0; i < 3; i++) {
            assertThat(failure(() -> TestSchedule.replay(failure.seed(), program)))
                    .hasMessage(failure.getMessage()
                            .replace("explore", "replay"));
        }
    }

    private static ScheduleFailedError failure(Runnable program) {
        try {
            program.run();
        } catch (ScheduleFailedError expected) {
            return expected;
        }
        throw new AssertionError("the program did not fail");
    }

    @Promise("58.4")
    @Test
    void whatCanNeverGoOnIsFoundAtOnceAndShown() {
        var failure = failure(() -> TestSchedule.replay(1, schedule -> {
            var never = new CountDownLatch(1);
            var bank = schedule.scope().named("bank").newActorWithReturn((String message) -> {
                never.await();
                return message;
            });
            var till = schedule.scope().named("till")
                    .newActorWithReturn((String message) -> bank.apply(message));
            till.apply("pay");
        }));
        assertThat(failure).hasMessageContainingAll("nothing can go on", "'test' WAITING", "'till' -> 'bank'",
                "TestScheduleTest.lambda$whatCanNeverGoOnIsFoundAtOnceAndShown$").hasNoCause();
        TestSchedule.replay(1, schedule -> schedule.scope().anonymous()
                .newActorWithReturn((String message) -> message).apply("again"));
    }

    @Promise("58.4")
    @Test
    void whatNeverRestsIsFound() {
        var failure = failure(() -> TestSchedule.replay(1, schedule -> {
            var ping = new CompletableFuture<Actor<String, Void>>();
            ping.complete(schedule.scope().named("ping").newActor((String message) -> {
                ping.join().sendMessage(message);
            }));
            ping.join().sendMessage("for ever");
            schedule.awaitQuiet();
        }));
        assertThat(failure).hasMessageContainingAll("no rest after 100000 steps, in which the clock stood",
                "'ping'");
    }

    @Promise("58.4")
    @Test
    void twoActorsThatWaitForEachOtherThroughAnExecutorAreFound() {
        var found = 0;
        for (int seed = 0; seed < 200 && found == 0; seed++) {
            try {
                TestSchedule.replay(seed, schedule -> {
                    var others = new ArrayList<Actor<String, String>>();
                    for (int i = 0; i < 2; i++) {
                        var other = 1 - i;
                        others.add(
                                schedule.scope().named("actor" + i).newActorWithReturn((String message) -> {
                                    if (message.equals("inner")) {
                                        return "done";
                                    }
                                    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) { // hides who asks
                                        return executor.submit(() -> others.get(other).apply("inner")).get();
                                    }
                                }));
                    }
                    var first = schedule.start("first", () -> others.get(0).apply("outer"));
                    var second = schedule.start("second", () -> others.get(1).apply("outer"));
                    first.join();
                    second.join();
                });
            } catch (ScheduleFailedError deadlock) {
                assertThat(deadlock).hasMessageContainingAll("nothing can go on", "actor0", "actor1");
                found++;
            }
        }
        assertThat(found).isOne();
    }

    @Promise("58.4")
    @Test
    void timeMovesWhenNothingElseCanGoOn() {
        TestSchedule.explore(20, schedule -> {
            var scope = schedule.scope();
            var silent = scope.anonymous().newActorWithReturn((context, message) -> {
                kept.add(context.deferReply());
                return null;
            });
            assertThatThrownBy(() -> silent.apply("hello", Duration.ofDays(30)))
                    .hasCauseInstanceOf(AskTimeoutException.class);
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofDays(30).toNanos());
            try (var own = ActorSystem.open("opened by the program")) {
                var also = own.anonymous().newActorWithReturn((context, message) -> {
                    kept.add(context.deferReply());
                    return null;
                });
                assertThatThrownBy(() -> also.apply("hello", Duration.ofDays(30)))
                        .hasCauseInstanceOf(AskTimeoutException.class);
            }
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofDays(60).toNanos());
        });
    }

    @Promise("58.4")
    @Test
    void anAdvanceBeyondTheClockEndsAtItsLastMoment() {
        for (var duration : List.of(Duration.ofNanos(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE))) {
            TestSchedule.replay(0, schedule -> {
                schedule.advance(Duration.ofHours(1));
                var fired = new AtomicInteger();
                schedule.time().schedule(Duration.ofDays(400).toNanos(), fired::incrementAndGet);
                schedule.advance(duration);
                assertThat(fired).hasValue(1);
                assertThat(schedule.time().nanoTime()).isEqualTo(Long.MAX_VALUE);
            });
        }
    }

    @Promise("58.4")
    @Test
    void advanceRunsAllThatIsDueInOrderAndReturnsWhenAllIsQuiet() {
        TestSchedule.explore(20, schedule -> {
            var ticks = new ArrayList<String>();
            var actor = schedule.scope().anonymous().<String>newActor((context, message) -> {
                switch (message) {
                    case "start" -> {
                        context.timers().fixedRate("slow", Duration.ofSeconds(3), "slow");
                        context.timers().fixedRate("fast", Duration.ofSeconds(2), "fast");
                    }
                    default -> ticks.add(message + " " + schedule.time().nanoTime() / 1_000_000_000);
                }
            });
            actor.sendMessage("start");
            schedule.advance(Duration.ofSeconds(7));
            assertThat(ticks).containsExactly("fast 2", "slow 3", "fast 4", "slow 6", "fast 6");
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofSeconds(7).toNanos());
        });
    }

    @Promise("58.4")
    @Test
    void aMillionSecondsPassInSeconds() {
        TestSchedule.replay(0, schedule -> {
            var ticks = new AtomicInteger();
            var actor = schedule.scope().anonymous().<String>newActor((context, message) -> {
                if (message.equals("start")) {
                    context.timers().fixedRate("beat", Duration.ofSeconds(200), "beat");
                } else {
                    ticks.incrementAndGet();
                }
            });
            actor.sendMessage("start");
            schedule.advance(Duration.ofSeconds(1_000_000));
            assertThat(ticks).hasValue(5_000);
        });
    }

    @Promise("58.3")
    @Test
    void whatTheJdkBlocksIsScheduledToo() {
        TestSchedule.explore(20, schedule -> {
            var queue = new LinkedBlockingQueue<Integer>();
            var sum = new AtomicInteger();
            try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 4; i++) {
                    executor.submit(() -> sum.addAndGet(queue.take()));
                }
                for (int i = 0; i < 4; i++) {
                    queue.put(1);
                }
            }
            assertThat(sum).hasValue(4);
            Thread.sleep(2);
            assertThat(queue.poll(1, TimeUnit.MILLISECONDS)).isNull();
        });
    }

    /** It takes longer than a thread outside of the schedule may take when nothing can go on. */
    @Promise("58.4")
    @Test
    void aWaitOfTheLibraryInRealTimeIsNoEnd() {
        TestSchedule.explore(3, schedule -> {
            var scope = schedule.scope();
            scope.named("ann").newActor((String message) -> {
            });
            assertThat(scope.dump(DumpOptions.defaults().over(Duration.ofMillis(100))).text())
                    .contains("'ann'");
            assertThat(schedule.time().nanoTime()).isZero();
        });
    }

    @Promise("58.1")
    @Test
    void actorsOfTheRootScopeAreAPartOfIt() {
        var before = ActorSystem.anonymous();
        TestSchedule.explore(20, schedule -> {
            var square = ActorSystem.anonymous().newActorWithReturn((Integer number) -> number * number);
            Stereotypes.def().runOnceSilent(() -> {
                for (int i = 0; i < 20; i++) {
                    assertThat(square.sendMessageReturn(i).get()).isEqualTo(i * i);
                }
            }).closeOnExit(square).waitForExit();
        });
        var after = ActorSystem.anonymous().newActorWithReturn((Integer number) -> number * number);
        assertThat(after.apply(2)).isEqualTo(4);
        assertThat(ActorSystem.anonymous()).isNotSameAs(before);
    }

    @Promise({"58.4", "53.3"})
    @Test
    void probesAndAssertionsWaitByTheClockOfTheSchedule() {
        TestSchedule.explore(20, schedule -> {
            var scope = schedule.scope();
            Probe<String, Integer> prices = Probe.in(scope, "prices");
            prices.willAnswer(3);
            var shop =
                    scope.named("shop").newActorWithReturn((String item) -> 2 * prices.actor().apply(item));
            var two = shop.sendMessageReturn("tea");
            prices.expect("tea");
            assertThat(two.get()).isEqualTo(6);
            prices.expectNothing();
            Probe<String, Void> inbox = Probe.in(scope);
            scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("order")) {
                    context.timers().once("reminder", Duration.ofHours(20), "remind");
                } else {
                    inbox.actor().sendMessage("please pay");
                }
            }).sendMessage("order");
            inbox.expectNothing(Duration.ofHours(19));
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofHours(19).toNanos());
            inbox.expect("please pay", Duration.ofHours(2));
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofHours(20).toNanos());
            ScopeAssertions.awaitIdle(scope);
            ScopeAssertions.assertNothingLost(scope);
            assertThatThrownBy(() -> inbox.expect("more", Duration.ofDays(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("PT24H");
        });
    }

    @Promise({"58.4", "53.3"})
    @Test
    void whatComesAtTheLimitOfAProbeComesInTime() {
        TestSchedule.explore(100, schedule -> {
            Probe<String, Void> inbox = Probe.in(schedule.scope());
            schedule.scope().anonymous().<String>newActor((context, message) -> {
                if (message.equals("order")) {
                    context.timers().fixedRate("reminder", Duration.ofHours(20), "remind");
                } else {
                    inbox.actor().sendMessage("please pay");
                }
            }).sendMessage("order");
            schedule.awaitQuiet();
            inbox.expectNothing(Duration.ofHours(19));
            inbox.expect("please pay", Duration.ofHours(1));
            assertThatThrownBy(() -> inbox.expectNothing(Duration.ofHours(20)))
                    .isInstanceOf(AssertionError.class).hasMessageContaining("there came: please pay");
        });
    }

    @Promise({"58.4", "53.3"})
    @Test
    void aProbeMovesAClockThatIsNotTheSchedules() {
        TestSchedule.explore(5, schedule -> {
            var time = new ManualTime();
            try (var scope = schedule.configure("own").time(time).open()) {
                Probe<String, Void> inbox = Probe.in(scope);
                scope.schedule(Schedule.once(Duration.ofHours(1)), () -> inbox.actor().sendMessage("over"));
                inbox.expect("over", Duration.ofHours(1));
                inbox.expectNothing(Duration.ofHours(1));
            }
            assertThat(time.nanoTime()).isEqualTo(Duration.ofHours(2).toNanos());
            assertThat(schedule.time().nanoTime()).isZero();
        });
    }

    @Promise({"58.4", "53.7"})
    @Test
    void whatABodyHasYetToHandleIsNotLeft() {
        TestSchedule.explore(20, schedule -> {
            var scope = schedule.scope();
            Probe<String, Void> probe = Probe.in(scope);
            var body = scope.anonymous().newReceivingActor((ReceivingContext<String> inbox) -> {
                for (var message = inbox.receive(); !message.equals("last"); message = inbox.receive()) {
                    schedule.pause();
                    probe.actor().sendMessage(message);
                }
                new CountDownLatch(1).await(); // until the actor is to end
            });
            for (var message : List.of("a", "b", "c")) {
                body.sendMessage(message);
            }
            ScopeAssertions.assertNothingLost(scope);
            probe.expectInOrder(List.of("a", "b", "c"));
            body.sendMessage("last");
            body.sendMessage("left");
            assertThatThrownBy(() -> ScopeAssertions.assertNothingLost(scope, Duration.ofMillis(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("messages that still wait in scope 'test': ");
            body.stop(Duration.ZERO);
        });
    }

    /** An actor tells of its failure before its restart. */
    @Promise({"58.4", "53.8"})
    @Test
    void aRecorderThatExpectsNoEventWaitsForBusyActors() {
        TestSchedule.explore(50, schedule -> {
            try (var scope = schedule.configure("test").onFailure(FailurePolicy.restart()).open();
                    var recorder = Recorder.of(scope)) {
                scope.anonymous().of(String.class).newActorFrom(context -> {
                    schedule.pause();
                    return item -> {
                        throw new IllegalStateException("no " + item);
                    };
                }).sendMessage("tea");
                recorder.expect(Failed.class);
                assertThatThrownBy(() -> recorder.expectNone(Restarted.class))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("expected no event Restarted");
            }
        });
    }

    @Promise({"58.4", "53.8"})
    @Test
    void theLimitOfAProbeIsNoTimerThatIsMadeLate() {
        TestSchedule.replay(0, schedule -> {
            var late = LateTime.of(schedule.time());
            try (var scope = schedule.configure("late").time(late).open()) {
                late.nextIsLateBy(Duration.ofHours(3));
                Probe.in(scope).expectNothing(Duration.ofHours(1));
            }
            assertThat(schedule.time().nanoTime()).isEqualTo(Duration.ofHours(1).toNanos());
        });
    }

    @Promise("58.4")
    @Test
    void aClockThatIsAdvancedDoesNotStand() {
        TestSchedule.replay(1, schedule -> {
            for (int i = 0; i < 110_000; i++) {
                schedule.advance(Duration.ofSeconds(1));
            }
        });
        var failure = failure(() -> TestSchedule.replay(1, schedule -> {
            for (int i = 0; i < 110_000; i++) {
                schedule.advance(Duration.ZERO);
            }
        }));
        assertThat(failure).hasMessageContaining("in which the clock stood");
    }

    @Promise("58.1")
    @Test
    void anInterruptFailsTheScheduleAndNothingIsLeft() {
        var playing = Thread.currentThread();
        var threads = new ArrayList<Thread>();
        var scopes = new ArrayList<ActorScope>();
        var failure = failure(() -> TestSchedule.replay(4, schedule -> {
            threads.add(Thread.currentThread());
            scopes.add(schedule.scope());
            Thread.ofPlatform().start(() -> {
                Waits.until("nothing can go on", () -> playing.getState() == Thread.State.TIMED_WAITING);
                playing.interrupt();
            });
            Thread.sleep(Duration.ofDays(1));
        }));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure)
                .hasMessageStartingWith("seed 4: the thread that runs the schedule was interrupted");
        playing.interrupt();
        failure(() -> TestSchedule.replay(0, schedule -> {
        }));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads.getFirst().isAlive()).isFalse();
        assertThat(scopes.getFirst().dump().scope().state()).isEqualTo(ScopeDump.State.CLOSED);
    }

    @Promise("58.4")
    @Test
    void anActorOfTheRootScopeThatAScheduleHasMadeGoesOnAfterIt() throws Exception {
        var made = new CompletableFuture<Actor<Integer, Integer>>();
        TestSchedule.replay(0, schedule -> made
                .complete(ActorSystem.anonymous().newActorWithReturn((Integer number) -> number + 1)));
        assertThat(Waits.on(made.join().sendMessageReturn(1))).isEqualTo(2);
    }

    @Promise("58.1")
    @Test
    void aSystemPropertyChoosesTheSeed() {
        var seeds = new ArrayList<Long>();
        try {
            System.setProperty(Seeds.PROPERTY, "17");
            TestSchedule.explore(5, schedule -> seeds.add(schedule.seed()));
            assertThat(seeds).containsExactly(17L);
            System.setProperty(Seeds.PROPERTY, "many");
            assertThatThrownBy(() -> TestSchedule.explore(5, schedule -> seeds.add(schedule.seed())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "the system property fibry.seed must be the seed of a schedule, a number: 'many'");
        } finally {
            System.clearProperty(Seeds.PROPERTY);
        }
        TestSchedule.explore(3, schedule -> seeds.add(schedule.seed()));
        assertThat(seeds).containsExactly(17L, 0L, 1L, 2L);
    }

    @Promise("58.3")
    @Test
    void aViewPausesBeforeAndAfterEachCall() {
        var orders = new HashSet<List<String>>();
        TestSchedule.explore(200, schedule -> {
            var steps = new ArrayList<String>();
            var view = schedule.paused(Runnable.class, () -> steps.add("called"));
            schedule.start("other", () -> steps.add("other"));
            schedule.start("caller", () -> {
                steps.add("before");
                view.run();
                steps.add("after");
            });
            schedule.awaitQuiet();
            orders.add(steps);
        });
        assertThat(orders).contains(List.of("before", "other", "called", "after"),
                List.of("before", "called", "other", "after"));
    }

    @Promise("58.1")
    @Test
    void whatAnyThreadThrowsFailsTheSchedule() {
        var failure = failure(() -> TestSchedule.replay(3, schedule -> {
            schedule.start("bad", () -> {
                throw new IllegalStateException("from another thread");
            });
            schedule.start("worse", () -> {
                throw new IllegalStateException("from a third thread");
            });
            schedule.awaitQuiet();
        }));
        assertThat(failure.getCause()).hasMessageContaining("thread");
        assertThat(failure.getSuppressed()).hasSize(1);
    }

    @Promise("58.4")
    @Test
    void theEngineIsAsBeforeAfterASchedule() throws Exception {
        failure(() -> TestSchedule.replay(0, schedule -> {
            throw new IllegalStateException("at once");
        }));
        try (var scope = ActorSystem.open("after")) {
            var thread = scope.anonymous()
                    .newActorWithReturn((String message) -> Thread.currentThread().getName());
            assertThat(thread.apply("which")).startsWith("fibry");
            var silent = scope.anonymous().newActorWithReturn((context, message) -> {
                kept.add(context.deferReply());
                return null;
            });
            assertThatThrownBy(() -> silent.apply("hello", Duration.ofMillis(1)))
                    .hasCauseInstanceOf(AskTimeoutException.class);
        }
    }

    @Test
    void wrongUseIsRefused() {
        assertThatThrownBy(() -> TestSchedule.explore(0, schedule -> {
        })).isInstanceOf(IllegalArgumentException.class).hasMessage("seeds must be at least 1: 0");
        TestSchedule.replay(0, schedule -> {
            assertThatThrownBy(() -> schedule.paused(String.class, "text"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("only an interface can have a view, and java.lang.String is none");
            assertThatThrownBy(() -> schedule.advance(Duration.ofNanos(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> schedule.start(null, () -> {
            })).isInstanceOf(NullPointerException.class).hasMessage("name");
        });
    }
}
