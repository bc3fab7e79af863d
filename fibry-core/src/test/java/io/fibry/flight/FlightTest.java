package io.fibry.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.Watchdog;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.Condition;
import org.assertj.core.api.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Fibry tells Java Flight Recorder. */
class FlightTest {
    private static final String HANDLED = "fibry.MessageHandled";
    private static final long WORK_NANOS = 5_000_000;
    private static final Set<String> FIELDS_OF_THE_JDK =
            Set.of("startTime", "duration", "eventThread", "stackTrace");
    /** What can be made so often in a second that some is left out. */
    private static final List<String> FLOODS = List.of("fibry.MessageUndelivered", "fibry.ActorFailed",
            "fibry.AskCycle", "fibry.AskTimedOut", "fibry.TimerLate");

    /** The engine hears that Flight Recorder is there, and loads its events on a thread of its own. */
    @BeforeEach
    void awaitEvents() throws IOException {
        try (var scope = ActorSystem.open("first")) {
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

    /** Other tests load the library again, and with it other classes of these events. They have the same names, and other numbers. */
    private static List<RecordedEvent> eventsOf(Recording recording, String event)
            throws IOException, ClassNotFoundException {
        var type = Class.forName(event.replace("fibry.", "io.fibry.internal.flight.") + "Event");
        var number = EventType.getEventType(type.asSubclass(Event.class)).getId();
        var file = Files.createTempFile("fibry", ".jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(each -> each.getEventType().getId() == number).toList();
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

    /** Fails if a field of Fibry's own is not as expected, and also if nothing is expected of one. */
    private static void assertFields(RecordedEvent event, Map<String, Condition<Object>> expected) {
        var fields = event.getFields().stream().map(ValueDescriptor::getName)
                .filter(field -> !FIELDS_OF_THE_JDK.contains(field)).toList();
        assertThat(expected.keySet()).as("fields of %s", event).containsExactlyInAnyOrderElementsOf(fields);
        expected.forEach((field, condition) -> assertThat(event.<Object>getValue(field))
                .as("%s of %s", field, event).is(condition));
    }

    private static Condition<Object> is(@Nullable Object value) {
        return new Condition<>(found -> Objects.equals(found, value), "%s", value);
    }

    private static Condition<Object> contains(String text) {
        return new Condition<>(found -> found instanceof String string && string.contains(text),
                "a text with %s", text);
    }

    private static Condition<Object> atLeast(Duration time) {
        return new Condition<>(found -> found instanceof Long nanos && nanos >= time.toNanos(),
                "at least %s", time);
    }

    /** A class of this test, without the number that each class of a lambda has. */
    private static Condition<Object> ofThisTest() {
        return new Condition<>(found -> found instanceof String name
                && name.startsWith(FlightTest.class.getName()) && !name.contains("0x"),
                "a class of this test");
    }

    @EveryStrategy
    @Promise("52.1")
    void aMessageThatTakesLongerThanTheThresholdIsAnEventOfItsThread(Strategy strategy) throws Exception {
        var thread = new AtomicReference<Thread>();
        var events = record(HANDLED, Duration.ofNanos(WORK_NANOS / 2), () -> {
            try (var scope = ActorSystem.configure("mill").strategy(strategy.create()).open()) {
                scope.named("slow").newActorWithReturn((String message) -> {
                    thread.set(Thread.currentThread());
                    work();
                    return message;
                }).apply("grain");
            }
        });
        var event = of("slow", events).getFirst();
        assertThat(of("slow", events)).hasSize(1);
        assertFields(event, Map.of("actor", is("slow"), "scope", is("mill"), "handler", ofThisTest(),
                "message", is("java.lang.String")));
        assertThat(event.getDuration()).isGreaterThanOrEqualTo(Duration.ofNanos(WORK_NANOS));
        assertThat(event.getThread().getJavaThreadId()).isEqualTo(thread.get().threadId());
    }

    @Test
    @Promise("52.1")
    void messagesBelowTheThresholdAreNoEvents() throws Exception {
        assertThat(of("quick", record(HANDLED, Duration.ofHours(1), () -> {
            try (var scope = ActorSystem.open("mill")) {
                scope.named("quick").newActorWithReturn((String message) -> message).apply("grain");
            }
        }))).isEmpty();
    }

    @Test
    @Promise("52.1")
    void anActorThatWasMadeBeforeIsNotRecorded() throws Exception {
        try (var scope = ActorSystem.open("mill")) {
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
            try (var scope = ActorSystem.open("mill")) {
                scope.named("clock").newActor((ActorContext<Integer, Void> me, Integer n) -> {
                    if (n == 0) {
                        me.timers().once("tick", Duration.ZERO, 1);
                    } else {
                        ticked.countDown();
                    }
                }).sendMessage(0);
                Waits.on(ticked);
            }
        });
        assertThat(of("clock", events)).hasSize(2);
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
                try (var scope = ActorSystem.configure("mill").time(time)
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
        assertFields(event, Map.of("actor", is("stuck"), "scope", is("mill"), "handler", ofThisTest(),
                "message", is("java.lang.String"), "runningFor", atLeast(Duration.ofSeconds(4)),
                "stack", contains(FlightTest.class.getName())));
    }

    @EveryStrategy
    @Promise("52.2")
    void aLostMessageIsAnEventWithItsCause(Strategy strategy) throws Exception {
        var events = record("fibry.MessageUndelivered", () -> {
            try (var scope = ActorSystem.configure("mill").strategy(strategy.create()).open()) {
                var gone = scope.named("gone").newActor((String message) -> work());
                gone.sendPoisonPill();
                Waits.stopped(gone);
                gone.sendMessage("grain");
                scope.sendOrKeep(ActorName.of("nobody"), 1, 0);
            }
        });
        assertFields(of("gone", events).getFirst(), Map.of("actor", is("gone"), "scope", is("mill"),
                "handler", is(null), "message", is("java.lang.String"), "cause", is("STOPPED"),
                "omitted", is(0L)));
        assertFields(of("nobody", events).getFirst(), Map.of("actor", is("nobody"), "scope", is("mill"),
                "handler", is(null), "message", is("java.lang.Integer"), "cause", is("NO_SUCH_ACTOR"),
                "omitted", is(0L)));
    }

    @Test
    @Promise("52.2")
    void aFloodIsNoFloodOfEvents() throws Exception {
        try (var recording = new Recording()) {
            FLOODS.forEach(recording::enable);
            recording.start();
            flood(1_000);
            var begun = System.nanoTime();
            Waits.until("the second is over", () -> System.nanoTime() - begun > 1_100_000_000);
            flood(scope -> lateTimers(scope, "another", 1));
            flood(1);
            recording.stop();
            for (var kind : FLOODS) {
                var events = eventsOf(recording, kind);
                // The next event after those that were left out has their number, whichever actor it is about.
                var omitted = events.stream().mapToLong(event -> event.getLong("omitted")).sum();
                assertThat(of("flooded", events).size() + omitted).as(kind).isGreaterThanOrEqualTo(1_001);
                assertThat(omitted).as(kind).isPositive();
            }
        }
    }

    /** Makes as many of all these events, each of them about an actor of this name. */
    private static void flood(int times) throws Exception {
        flood(scope -> {
            var gone = scope.named("flooded").newActor((Integer message) -> work());
            gone.sendPoisonPill();
            Waits.stopped(gone);
            for (int i = 0; i < times; i++) {
                gone.sendMessage(i);
            }
        });
        flood(scope -> {
            var weak = scope.named("flooded").newActor((Integer message) -> {
                throw new IllegalStateException("no grain");
            });
            for (int i = 0; i < times; i++) {
                weak.sendMessage(i);
            }
        });
        flood(scope -> {
            var self = new AtomicReference<Actor<Integer, Integer>>();
            Actor<Integer, Integer> loop = scope.named("flooded").newActorWithReturn((Integer n) -> {
                try {
                    return self.get().apply(n);
                } catch (AskCycleException refused) {
                    return n;
                }
            });
            self.set(loop);
            for (int i = 0; i < times; i++) {
                loop.apply(i);
            }
        });
        flood(scope -> {
            var goesOn = new CountDownLatch(1);
            var late = scope.named("flooded").newActorWithReturn((Integer n) -> {
                Waits.on(goesOn);
                return n;
            });
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < times; i++) {
                answers.add(late.ask(i, Duration.ofMillis(5)));
            }
            for (var answer : answers) {
                assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
            }
            awaitTimerThread();
            goesOn.countDown();
        });
        flood(scope -> lateTimers(scope, "flooded", times));
    }

    private static void flood(ThrowingConsumer<ActorScope> code) throws Exception {
        try (var scope = ActorSystem.configure("mill").listener(event -> {
        }).open()) {
            code.accept(scope);
        }
    }

    /** What the timer thread does after it has woken another one, such as recording, is done then. */
    private static void awaitTimerThread() throws InterruptedException {
        var after = new CountDownLatch(1);
        SystemTime.INSTANCE.schedule(0, after::countDown);
        Waits.on(after);
    }

    /** Sets timers of an actor while the timer thread is held up, and another one of no actor. */
    private static void lateTimers(ActorScope scope, String name, int timers)
            throws InterruptedException {
        var begun = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        try {
            SystemTime.INSTANCE.schedule(0, () -> {
                begun.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Waits.on(begun);
            var set = new CountDownLatch(1);
            var ticked = new CountDownLatch(timers);
            scope.named(name).newActor((ActorContext<Integer, Void> me, Integer n) -> {
                if (n == 0) {
                    for (int i = 1; i <= timers; i++) {
                        me.timers().once("tick" + i, Duration.ZERO, i);
                    }
                    set.countDown();
                } else {
                    ticked.countDown();
                }
            }).sendMessage(0);
            Waits.on(set);
            var other = new CountDownLatch(1);
            SystemTime.INSTANCE.schedule(0, other::countDown);
            var now = System.nanoTime();
            Waits.until("the timers are late", () -> System.nanoTime() - now > 25_000_000);
            goesOn.countDown();
            Waits.on(ticked);
            Waits.on(other);
        } finally {
            goesOn.countDown();
        }
    }

    @EveryStrategy
    @Promise("52.2")
    void aFailureAndARestartAreEvents(Strategy strategy) throws Exception {
        Code code = () -> {
            try (var scope = ActorSystem.configure("mill").strategy(strategy.create()).listener(event -> {
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
        assertFields(failure, Map.of("actor", is("weak"), "scope", is("mill"), "handler", ofThisTest(),
                "part", is("HANDLER"), "message", is("java.lang.String"),
                "exception", is("java.lang.IllegalStateException"), "text", is("no grain"),
                "omitted", is(0L)));
        var restart = of("weak", record("fibry.ActorRestarted", code)).getFirst();
        assertFields(restart, Map.of("actor", is("weak"), "scope", is("mill"), "handler", ofThisTest(),
                "restarts", is(1), "exception", is("java.lang.IllegalStateException")));
    }

    @EveryStrategy
    @Promise("52.2")
    void anAskThatWouldWaitForItselfIsAnEvent(Strategy strategy) throws Exception {
        var events = record("fibry.AskCycle", () -> {
            try (var scope = ActorSystem.configure("mill").strategy(strategy.create()).listener(event -> {
            }).open()) {
                var self = new AtomicReference<Actor<Integer, Integer>>();
                Actor<Integer, Integer> actor =
                        scope.named("loop").newActorWithReturn((Integer n) -> self.get().apply(n));
                self.set(actor);
                assertThatThrownBy(() -> actor.apply(1)).hasRootCauseInstanceOf(AskCycleException.class);
            }
        });
        var event = of("loop", events).getFirst();
        assertFields(event, Map.of("actor", is("loop"), "scope", is("mill"), "handler", ofThisTest(),
                "cycle", contains("'loop' -> 'loop'"), "omitted", is(0L)));
    }

    @Test
    @Promise("52.2")
    void anAskThatIsNotAnsweredInTimeIsAnEvent() throws Exception {
        var events = record("fibry.AskTimedOut", () -> {
            var goesOn = new CountDownLatch(1);
            try (var scope = ActorSystem.open("mill")) {
                var actor = scope.named("late").newActorWithReturn((String message) -> {
                    Waits.on(goesOn);
                    return message;
                });
                var answer = actor.ask("grain", Duration.ofMillis(5));
                assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
                awaitTimerThread();
                goesOn.countDown();
            }
        });
        var event = of("late", events).getFirst();
        assertFields(event, Map.of("actor", is("late"), "scope", is("mill"), "handler", ofThisTest(),
                "message", is("java.lang.String"), "limit", is(5_000_000L), "omitted", is(0L)));
    }

    @Test
    @Promise("52.2")
    void aTimerThatIsCalledLateIsAnEvent() throws Exception {
        var events = record("fibry.TimerLate", () -> {
            try (var scope = ActorSystem.open("mill")) {
                lateTimers(scope, "clock", 1);
            }
        });
        var late = atLeast(Duration.ofMillis(20));
        assertFields(of("clock", events).getFirst(), Map.of("actor", is("clock"), "scope", is("mill"),
                "handler", ofThisTest(), "task", is("io.fibry.internal.timer.ActorTimers$Timer"),
                "lateBy", late, "omitted", is(0L)));
        var none = is(null);
        assertThat(events).anySatisfy(event -> assertFields(event, Map.of("actor", none, "scope", none,
                "handler", none, "task", ofThisTest(), "lateBy", late, "omitted", is(0L))));
    }

    @Test
    @Promise("52.2")
    void aRescueIsAnEventAndIsCounted() throws Exception {
        Assumptions.assumeFalse("off".equals(System.getProperty("io.fibry.lanes")));
        var number = new AtomicInteger();
        var before = new AtomicLong();
        Code rescue = () -> {
            try (var scope = ActorSystem.open("mill")) {
                Waits.until("the monitor has rescued a job", () -> {
                    var ran = new CountDownLatch(1);
                    var name = number.incrementAndGet();
                    var next = scope.named("next" + name).newActor((String message) -> ran.countDown());
                    scope.named("busy" + name).newActorWithReturn((String message) -> {
                        next.sendMessage(message);
                        while (ran.getCount() > 0) { // the next actor waits for this handler, or for the monitor
                            Thread.onSpinWait();
                        }
                        return message;
                    }).apply("grain");
                    return Strategies.rescued() > before.get();
                });
                awaitTimerThread(); // the monitor has recorded it by then
            }
        };
        var events = new ArrayList<RecordedEvent>();
        for (int round = 0; round < 2; round++) {
            try (var recording = new Recording()) {
                recording.enable("fibry.JobRescued");
                recording.enable("fibry.LaneStatistics").with("period", "endChunk");
                recording.start();
                var from = before.get();
                rescue.run();
                before.set(Strategies.rescued());
                recording.stop();
                events.addAll(eventsOf(recording, "fibry.JobRescued"));
                if (round > 0) { // the first event has what was before it
                    assertThat(eventsOf(recording, "fibry.LaneStatistics")).singleElement()
                            .satisfies(event -> assertThat(event.getLong("rescued"))
                                    .isBetween(1L, Strategies.rescued() - from));
                }
            }
        }
        assertThat(events).anySatisfy(event -> assertFields(event, Map.of("actor", contains("next"),
                "scope", is("mill"), "handler", ofThisTest(), "busyActor", contains("busy"),
                "busyHandler", ofThisTest(), "omitted", is(0L))));
    }

    @Test
    @Promise("52.2")
    void theLanesAreCountedPeriodically() throws Exception {
        var hasLanes = !"off".equals(System.getProperty("io.fibry.lanes"));
        var before = new AtomicLong(Strategies.helpers());
        for (int round = 0; round < 2; round++) {
            try (var recording = new Recording()) {
                recording.enable("fibry.LaneStatistics").with("period", "endChunk");
                recording.start();
                var from = before.get();
                try (var scope = ActorSystem.open("mill")) {
                    var sink = scope.anonymous();
                    Waits.until("an actor has overflowed", () -> {
                        scope.anonymous().newActorWithReturn((Integer n) -> {
                            for (int i = 0; i < n; i++) {
                                sink.newActor((Integer message) -> {
                                }).sendMessage(i);
                            }
                            return n;
                        }).apply(3);
                        return !hasLanes || Strategies.helpers() > before.get();
                    });
                }
                before.set(Strategies.helpers());
                recording.stop();
                var event = eventsOf(recording, "fibry.LaneStatistics");
                assertThat(event).hasSize(1);
                if (round > 0) { // the first event has what was before it
                    var most = Strategies.helpers() - from;
                    assertThat(event.getFirst().getLong("helpers")).isBetween(hasLanes ? 1L : 0L, most);
                }
            }
        }
    }
}
