package io.fibry.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.Watchdog;
import io.fibry.WhenAbsent;
import io.fibry.event.Stuck;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.run.Strategies;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Fibry tells Java Flight Recorder. */
class FlightTest {
    private static final String HANDLED = "fibry.MessageHandled";
    private static final long WORK_NANOS = 5_000_000;

    /** The engine hears that Flight Recorder is there, and loads its events on a thread of its own. */
    @BeforeEach
    void awaitEvents() throws IOException {
        try (var scope = ActorScope.open("first")) {
            scope.anonymous().newActorWithReturn((Integer n) -> n).apply(1);
        }
        Waits.until("the events are registered",
                () -> FlightRecorder.getFlightRecorder().getEventTypes().stream()
                        .anyMatch(type -> type.getName().equals("fibry.LaneStatistics")));
    }

    private interface Code {
        void run() throws Exception;
    }

    /** Runs code while a recording has this event, and returns the events of this kind. */
    private static List<RecordedEvent> record(String event, Duration threshold, Code code) throws Exception {
        try (var recording = new Recording()) {
            recording.enable(event).withThreshold(threshold);
            recording.start();
            code.run();
            recording.stop();
            return eventsOf(recording, event);
        }
    }

    private static List<RecordedEvent> eventsOf(Recording recording, String event) throws IOException {
        var file = Files.createTempFile("fibry", ".jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(each -> each.getEventType().getName().equals(event)).toList();
        } finally {
            Files.delete(file);
        }
    }

    private static List<RecordedEvent> record(String event, Code code) throws Exception {
        return record(event, Duration.ZERO, code);
    }

    private static List<RecordedEvent> of(String actor, List<RecordedEvent> events) {
        return events.stream().filter(event -> actor.equals(event.getString("actor"))).toList();
    }

    private static void work() {
        var begun = System.nanoTime();
        while (System.nanoTime() - begun < WORK_NANOS) {
            Thread.onSpinWait();
        }
    }

    private static void assertAbout(RecordedEvent event, String actor, String scope) {
        assertThat(event.getString("actor")).isEqualTo(actor);
        assertThat(event.getString("scope")).isEqualTo(scope);
        assertThat(event.getString("handler")).startsWith(FlightTest.class.getName()).doesNotContain("0x");
    }

    @EveryStrategy
    @Promise("52.1")
    void aMessageThatTakesLongerThanTheThresholdIsAnEventOfItsThread(Strategy strategy) throws Exception {
        var thread = new AtomicReference<Thread>();
        var events = record(HANDLED, Duration.ofNanos(WORK_NANOS / 2), () -> {
            try (var scope = ActorScope.configure("mill").strategy(strategy.create()).open()) {
                scope.named("slow").newActorWithReturn((String message) -> {
                    thread.set(Thread.currentThread());
                    work();
                    return message;
                }).apply("grain");
            }
        });
        var event = of("slow", events).getFirst();
        assertThat(of("slow", events)).hasSize(1);
        assertAbout(event, "slow", "mill");
        assertThat(event.getString("message")).isEqualTo("java.lang.String");
        assertThat(event.getDuration()).isGreaterThanOrEqualTo(Duration.ofNanos(WORK_NANOS));
        assertThat(event.getThread().getJavaThreadId()).isEqualTo(thread.get().threadId());
    }

    @Test
    @Promise("52.1")
    void messagesBelowTheThresholdAreNoEvents() throws Exception {
        assertThat(of("quick", record(HANDLED, Duration.ofHours(1), () -> {
            try (var scope = ActorScope.open("mill")) {
                scope.named("quick").newActorWithReturn((String message) -> message).apply("grain");
            }
        }))).isEmpty();
    }

    @Test
    @Promise("52.1")
    void anActorThatWasMadeBeforeIsNotRecorded() throws Exception {
        try (var scope = ActorScope.open("mill")) {
            var early = scope.named("early").newActorWithReturn((String message) -> message);
            var events = record(HANDLED, () -> {
                early.apply("grain");
                try (var inner = scope.child("inner").open()) { // its end waits for the end of the turn
                    inner.named("late").newActorWithReturn((String message) -> message).apply("grain");
                }
            });
            assertThat(of("early", events)).isEmpty();
            assertThat(of("late", events)).hasSize(1);
        }
    }

    @Test
    @Promise("52.1")
    void messagesOfTimersAndMessagesInsideOthersAreEventsAndBodiesAreNot() throws Exception {
        var events = record(HANDLED, () -> {
            var ticked = new CountDownLatch(1);
            try (var scope = ActorScope.open("mill")) {
                scope.named("clock").newActor((ActorContext<Integer, Void> me, Integer n) -> {
                    if (n == 0) {
                        me.timers().once("tick", Duration.ZERO, 1);
                    } else {
                        ticked.countDown();
                    }
                }).sendMessage(0);
                Waits.on(ticked);
                var self = new AtomicReference<Actor<Integer, Integer>>();
                Actor<Integer, Integer> actor = scope.named("inside").reentrant()
                        .newActorWithReturn((Integer n) -> n == 0 ? 0 : self.get().apply(n - 1));
                self.set(actor);
                actor.apply(1);
            }
        });
        assertThat(of("clock", events)).hasSize(2);
        assertThat(of("inside", events)).hasSize(2);
    }

    /** The watchdog and the recording both observe the actor. */
    @Test
    @Promise("52.2")
    void aStuckActorIsAnEventWithItsStack() throws Exception {
        var time = new ManualTime();
        var events = record("fibry.ActorStuck", () -> {
            try (var wanted = new Recording()) {
                wanted.enable(HANDLED);
                wanted.start();
                var begun = new CountDownLatch(1);
                var goesOn = new CountDownLatch(1);
                var heard = new AtomicBoolean();
                try (var scope = ActorScope.configure("mill").time(time)
                        .watchdog(Watchdog.none().stuckAfter(Duration.ofSeconds(4)))
                        .listener(event -> heard.compareAndSet(false, event instanceof Stuck)).open()) {
                    scope.named("stuck").newActor((String message) -> {
                        begun.countDown();
                        Waits.on(goesOn);
                    }).sendMessage("grain");
                    Waits.on(begun);
                    Waits.until("the watchdog has found it", () -> {
                        time.advance(Duration.ofSeconds(1));
                        return heard.get();
                    });
                    goesOn.countDown();
                }
            }
        });
        var event = of("stuck", events).getFirst();
        assertAbout(event, "stuck", "mill");
        assertThat(event.getDuration("runningFor")).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
        assertThat(event.getString("stack")).contains(FlightTest.class.getName());
        assertThat(event.getString("message")).isEqualTo("java.lang.String");
    }

    @EveryStrategy
    @Promise("52.2")
    void aLostMessageIsAnEventWithItsCause(Strategy strategy) throws Exception {
        var events = record("fibry.MessageUndelivered", () -> {
            try (var scope = ActorScope.configure("mill").strategy(strategy.create()).open()) {
                var gone = scope.named("gone").newActor((String message) -> work());
                gone.sendPoisonPill();
                Waits.stopped(gone);
                gone.sendMessage("grain");
                scope.sendMessage("nobody", 1, WhenAbsent.refuse());
            }
        });
        var event = of("gone", events).getFirst();
        assertThat(event.getString("scope")).isEqualTo("mill");
        assertThat(event.getString("cause")).isEqualTo("STOPPED");
        assertThat(event.getString("message")).isEqualTo("java.lang.String");
        assertThat(of("nobody", events).getFirst().getString("cause")).isEqualTo("NO_SUCH_ACTOR");
    }

    @Test
    @Promise("52.3")
    void aFloodOfLostMessagesIsNoFloodOfEvents() throws Exception {
        var events = record("fibry.MessageUndelivered", () -> {
            try (var scope = ActorScope.configure("mill").listener(event -> {
            }).open()) {
                var gone = scope.named("gone").newActor((Integer message) -> work());
                gone.sendPoisonPill();
                Waits.stopped(gone);
                var begun = System.nanoTime();
                for (int i = 0; i < 1000; i++) {
                    gone.sendMessage(i);
                }
                Waits.until("the second is over", () -> System.nanoTime() - begun > 1_100_000_000);
                gone.sendMessage(0);
            }
        });
        var recorded = of("gone", events);
        var omitted = recorded.stream().mapToLong(event -> event.getLong("omitted")).sum();
        assertThat(recorded.size() + omitted).isGreaterThanOrEqualTo(1001);
        assertThat(omitted).isPositive();
    }

    @EveryStrategy
    @Promise("52.2")
    void aFailureAndARestartAreEvents(Strategy strategy) throws Exception {
        Code code = () -> {
            try (var scope = ActorScope.configure("mill").strategy(strategy.create()).listener(event -> {
            }).open()) {
                var actor = scope.named("weak").onFailure(FailurePolicy.restart())
                        .newActorWithReturn((String message) -> {
                            if (message.isEmpty()) {
                                throw new IllegalStateException("no grain");
                            }
                            return message;
                        });
                actor.sendMessage("");
                actor.apply("grain");
            }
        };
        var failure = of("weak", record("fibry.ActorFailed", code)).getFirst();
        assertAbout(failure, "weak", "mill");
        assertThat(failure.getString("part")).isEqualTo("HANDLER");
        assertThat(failure.getString("exception")).isEqualTo("java.lang.IllegalStateException");
        assertThat(failure.getString("text")).isEqualTo("no grain");
        var restart = of("weak", record("fibry.ActorRestarted", code)).getFirst();
        assertAbout(restart, "weak", "mill");
        assertThat(restart.getInt("restarts")).isEqualTo(1);
    }

    @EveryStrategy
    @Promise("52.2")
    void anAskThatWouldWaitForItselfIsAnEvent(Strategy strategy) throws Exception {
        var events = record("fibry.AskCycle", () -> {
            try (var scope = ActorScope.configure("mill").strategy(strategy.create()).listener(event -> {
            }).open()) {
                var self = new AtomicReference<Actor<Integer, Integer>>();
                Actor<Integer, Integer> actor =
                        scope.named("loop").newActorWithReturn((Integer n) -> self.get().apply(n));
                self.set(actor);
                assertThatThrownBy(() -> actor.apply(1)).hasRootCauseInstanceOf(AskCycleException.class);
            }
        });
        var event = of("loop", events).getFirst();
        assertAbout(event, "loop", "mill");
        assertThat(event.getString("cycle")).contains("'loop' -> 'loop'");
    }

    @Test
    @Promise("52.2")
    void anAskThatIsNotAnsweredInTimeIsAnEvent() throws Exception {
        var events = record("fibry.AskTimedOut", () -> {
            var goesOn = new CountDownLatch(1);
            try (var scope = ActorScope.open("mill")) {
                var actor = scope.named("late").newActorWithReturn((String message) -> {
                    Waits.on(goesOn);
                    return message;
                });
                var answer = actor.sendMessageReturn("grain", Duration.ofMillis(5));
                assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
                // The timer thread wakes the one that waits before it records: what it does after that comes later.
                var after = new CountDownLatch(1);
                SystemTime.INSTANCE.schedule(0, after::countDown);
                Waits.on(after);
                goesOn.countDown();
            }
        });
        var event = of("late", events).getFirst();
        assertAbout(event, "late", "mill");
        assertThat(event.getDuration("limit")).isEqualTo(Duration.ofMillis(5));
        assertThat(event.getString("message")).isEqualTo("java.lang.String");
    }

    @Test
    @Promise("52.4")
    void aTimerThatIsCalledLateIsAnEvent() throws Exception {
        var events = record("fibry.TimerLate", () -> {
            var begun = new CountDownLatch(1);
            var goesOn = new CountDownLatch(1);
            var ticked = new CountDownLatch(1);
            SystemTime.INSTANCE.schedule(0, () -> {
                begun.countDown();
                try {
                    goesOn.await(); // the timer thread is held up
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Waits.on(begun);
            try (var scope = ActorScope.open("mill")) {
                var set = new CountDownLatch(1);
                scope.named("clock").newActor((ActorContext<Integer, Void> me, Integer n) -> {
                    if (n == 0) {
                        me.timers().once("tick", Duration.ZERO, 1);
                        set.countDown();
                    } else {
                        ticked.countDown();
                    }
                }).sendMessage(0);
                Waits.on(set);
                var now = System.nanoTime();
                Waits.until("the timer is late", () -> System.nanoTime() - now > 25_000_000);
                goesOn.countDown();
                Waits.on(ticked);
            } finally {
                goesOn.countDown();
            }
        });
        var event = of("clock", events).getFirst();
        assertAbout(event, "clock", "mill");
        assertThat(event.getDuration("lateBy")).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    }

    @Test
    @Promise("52.5")
    void aRescueIsAnEventAndIsCounted() throws Exception {
        Assumptions.assumeFalse("off".equals(System.getProperty("io.fibry.lanes")));
        var rescuedBefore = Strategies.rescued();
        var events = record("fibry.JobRescued", () -> {
            try (var scope = ActorScope.open("mill")) {
                Waits.until("the monitor has rescued a job", () -> {
                    var ran = new CountDownLatch(1);
                    var next = scope.anonymous().newActor((String message) -> ran.countDown());
                    scope.anonymous().newActorWithReturn((String message) -> {
                        next.sendMessage(message);
                        while (ran.getCount() > 0) { // the next actor waits for this handler, or for the monitor
                            Thread.onSpinWait();
                        }
                        return message;
                    }).apply("grain");
                    return Strategies.rescued() > rescuedBefore;
                });
                var after = new CountDownLatch(1);
                SystemTime.INSTANCE.schedule(0, after::countDown); // the monitor has recorded it by then
                Waits.on(after);
            }
        });
        assertThat(events).anySatisfy(event -> {
            assertThat(event.getString("scope")).isEqualTo("mill");
            assertThat(event.getString("busyHandler")).startsWith(FlightTest.class.getName());
        });
    }

    @Test
    @Promise("52.5")
    void theLanesAreCountedPeriodically() throws Exception {
        var hasLanes = !"off".equals(System.getProperty("io.fibry.lanes"));
        var before = Strategies.helpers();
        try (var recording = new Recording()) {
            recording.enable("fibry.LaneStatistics").with("period", "endChunk");
            recording.start();
            try (var scope = ActorScope.open("mill")) {
                var sink = scope.anonymous();
                Waits.until("an actor has overflowed", () -> {
                    scope.anonymous().newActorWithReturn((Integer n) -> {
                        for (int i = 0; i < n; i++) {
                            sink.newActor((Integer message) -> {
                            }).sendMessage(i);
                        }
                        return n;
                    }).apply(3);
                    return !hasLanes || Strategies.helpers() > before;
                });
            }
            recording.stop();
            var events = eventsOf(recording, "fibry.LaneStatistics");
            assertThat(events).hasSize(1);
            assertThat(events.getFirst().getLong("rescued")).isNotNegative();
            if (hasLanes) {
                assertThat(events.getFirst().getLong("helpers")).isPositive();
            }
        }
    }
}
