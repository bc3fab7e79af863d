package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RestartTest {
    private static final FailurePolicy RESTART = FailurePolicy.restart(100, Duration.ofMinutes(1));

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy, FailurePolicy policy) {
        return ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).time(time)
                .onFailure(policy).open();
    }

    /** Counts what it has handled since it was made; fails on zero. */
    private static final class Counting implements Handler<Integer>, AutoCloseable {
        final List<Integer> handled = new CopyOnWriteArrayList<>();
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public void handle(Integer n) {
            if (n == 0) {
                throw new IllegalStateException("zero");
            }
            handled.add(n);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Promise({"19.1", "19.3"})
    @EveryStrategy
    void theHandlerIsMadeAnewAndTheRestStays(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var made = new CopyOnWriteArrayList<Counting>();
            Actor<Integer, Void> actor = scope.named("tom").newActorFrom(() -> {
                made.add(new Counting());
                return made.getLast();
            });
            try (var gate = Gate.in(actor)) {
                for (int n : new int[]{1, 0, 2, 3, 0, 4}) {
                    actor.sendMessage(n);
                }
                gate.open();
            }
            actor.execAndWait(() -> {
            });
            assertThat(made).extracting(one -> one.handled).containsExactly(List.of(1), List.of(2, 3),
                    List.of(4));
            assertThat(made).extracting(one -> one.closed.get()).containsExactly(1, 1, 0);
            assertThat(scope.<Integer, Void>find(ActorName.of("tom"))).contains(actor);
            actor.close();
            assertThat(made.getLast().closed).hasValue(1);
            assertThat(actor.counters().failed()).isEqualTo(2);
            assertThat(recorder.of(Undelivered.class)).isEmpty();
            assertThat(recorder.of(Restarted.class)).extracting(Restarted::restarts).containsExactly(1, 2);
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void theStateIsMadeAnew(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var actor = scope.anonymous().state(ArrayList<Integer>::new)
                    .newActorWithReturn((ArrayList<Integer> state, Integer n) -> {
                        state.add(n);
                        return 10 / n + state.size();
                    });
            assertThat(Waits.on(actor.sendMessageReturn(10))).isEqualTo(2);
            assertThat(Waits.on(actor.sendMessageReturn(10))).isEqualTo(3);
            assertThat(Waits.failure(actor.sendMessageReturn(0))).isInstanceOf(ArithmeticException.class);
            assertThat(Waits.on(actor.sendMessageReturn(10))).isEqualTo(2);
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aBodyStartsFromItsBeginningAndFindsWhatItHasPassedOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var seen = new CopyOnWriteArrayList<String>();
            var actor = scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                seen.add("begin");
                if (seen.size() == 1) {
                    seen.add(context.receive("late"::equals));
                    throw new IllegalStateException("once");
                }
                while (true) {
                    seen.add(context.receive());
                }
            });
            actor.sendMessage("first");
            actor.sendMessage("second");
            actor.sendMessage("late");
            actor.sendMessage("third");
            actor.close();
            assertThat(seen).containsExactly("begin", "late", "begin", "first", "second", "third");
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.POISON_PILL);
            assertThat(actor.counters().failed()).isEqualTo(1);
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aHandlerThatNoFactoryMadeGoesOn(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> 10 / n);
            assertThat(Waits.failure(actor.sendMessageReturn(0))).isInstanceOf(ArithmeticException.class);
            assertThat(Waits.on(actor.sendMessageReturn(5))).isEqualTo(2);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
        }
    }

    @Promise("19.3")
    @EveryStrategy
    void noTickOfATimerThatWasSetBeforeIsSeen(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var incarnations = new AtomicInteger();
            var ticks = new CopyOnWriteArrayList<String>();
            Actor<String, Void> actor =
                    scope.anonymous().newActorFrom((ActorContext<String, Void> context) -> {
                        var mine = "tick" + incarnations.incrementAndGet();
                        context.timers().fixedDelay("tick", Duration.ofSeconds(1), mine);
                        return message -> {
                            if (message.equals("fail")) {
                                throw new IllegalStateException(message);
                            }
                            ticks.add(message);
                        };
                    });
            actor.execAndWait(() -> {
            });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage("fail");
                time.advance(Duration.ofSeconds(1)); // its tick is in the mailbox, behind the message
                gate.open();
            }
            actor.execAndWait(() -> {
            });
            assertThat(ticks).isEmpty();
            assertThat(time.pending()).isEqualTo(1);
            time.advance(Duration.ofSeconds(1));
            actor.execAndWait(() -> {
            });
            assertThat(ticks).containsExactly("tick2");
            actor.close();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise({"19.3", "2.1"})
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void whatWaitsSurvivesAPauseInOrder(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart().withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(8), 0);
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(100, OverflowPolicy.reject()))) {
            try (var scope = scope(strategy, policy)) {
                var handled = new CopyOnWriteArrayList<Integer>();
                var actor = scope.anonymous().mailbox(mailbox).newActorFrom(() -> (Integer n) -> {
                    if (n % 10 == 0) {
                        throw new IllegalStateException("ten");
                    }
                    handled.add(n);
                });
                actor.sendMessage(10);
                awaitPause();
                for (int n = 11; n < 15; n++) {
                    assertThat(actor.sendMessage(n)).isTrue();
                }
                assertThat(actor.mailboxSize()).isEqualTo(4);
                assertThat(handled).isEmpty();
                time.advance(Duration.ofMillis(999));
                assertThat(handled).isEmpty();
                time.advance(Duration.ofMillis(1));
                actor.execAndWait(() -> {
                });
                assertThat(handled).containsExactly(11, 12, 13, 14);
                actor.close();
                assertThat(actor.counters().total()).isEqualTo(6);
            }
        }
    }

    private void awaitPause() {
        Waits.until("a pause", () -> time.pending() > 0);
    }

    @Promise("19.4")
    @EveryStrategy
    void tooManyRestartsEndInStopAndEscalation(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.restart(3, Duration.ofSeconds(10)))) {
            var actor = scope.named("tom").newActorFrom(() -> (Integer n) -> {
                throw new IllegalStateException("message " + n);
            });
            for (int n = 1; n <= 6; n++) {
                actor.sendMessage(n);
            }
            actor.waitForExit();
            assertThat(recorder.of(Restarted.class)).hasSize(3);
            assertThat(recorder.of(Failed.class)).hasSize(4);
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly(5, 6);
            assertThat(recorder.only(Escalated.class)).satisfies(event -> {
                assertThat(event.actor()).isEqualTo("tom");
                assertThat(event.parent()).isEmpty();
                assertThat(event.cause()).hasMessage("message 4");
            });
            assertThat(recorder.only(Stopped.class)).isEqualTo(new Stopped("tom", Reason.FAILURE));
            assertThat(scope.find(ActorName.of("tom"))).isEmpty();
        }
    }

    @Promise("19.4")
    @EveryStrategy
    void theLimitIsForAWindow(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.restart(2, Duration.ofSeconds(10)))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> 10 / n);
            for (int i = 0; i < 10; i++) {
                assertThat(Waits.failure(actor.sendMessageReturn(0))).isInstanceOf(ArithmeticException.class);
                time.advance(Duration.ofSeconds(5));
            }
            actor.execAndWait(() -> {
            });
            assertThat(recorder.of(Restarted.class)).hasSize(10);
            actor.sendMessage(0);
            actor.sendMessage(0);
            actor.waitForExit();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
        }
    }

    /** Each pause is longer than the window: would it count, the limit would never be reached. */
    @Promise({"19.4", "19.1"})
    @EveryStrategy
    void anActorThatCannotStartReachesTheLimitHoweverLongThePauses(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart(4, Duration.ofSeconds(1)).withBackoff(Duration.ofSeconds(1),
                Duration.ofSeconds(4), 0);
        try (var scope = scope(strategy, policy)) {
            var starts = new AtomicInteger();
            Actor<Integer, Void> actor = scope.named("tom").newActorFrom(() -> {
                throw new IllegalStateException("start " + starts.incrementAndGet());
            });
            assertThat(actor.sendMessage(1)).isTrue();
            for (var seconds : new int[]{1, 2, 4, 4}) {
                awaitPause();
                assertThat(time.nanosToNext()).isEqualTo(Duration.ofSeconds(seconds).toNanos());
                assertThat(time.advanceToNext()).isTrue();
            }
            actor.waitForExit();
            assertThat(starts).hasValue(5);
            assertThat(recorder.of(Restarted.class)).isEmpty();
            assertThat(recorder.of(Failed.class)).hasSize(5)
                    .allMatch(event -> event.message().equals(Optional.empty()));
            assertThat(recorder.only(Escalated.class).cause()).hasMessage("start 5");
            assertThat(recorder.only(Undelivered.class).message()).isEqualTo(1);
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aStartThatFailsAtFirstLosesNoMessage(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var starts = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturnFrom(() -> {
                if (starts.incrementAndGet() <= 3) {
                    throw new IllegalStateException("not yet");
                }
                return n -> n + 1;
            });
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(2);
            assertThat(starts).hasValue(4);
            assertThat(recorder.of(Failed.class)).hasSize(3);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aResumedStartIsTriedAgainByTheNextMessage(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, FailurePolicy.resume())) {
            var starts = new AtomicInteger();
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturnFrom(() -> {
                if (starts.incrementAndGet() <= 2) {
                    throw new IllegalStateException("not yet");
                }
                return n -> n + 1;
            });
            assertThat(Waits.failure(actor.sendMessageReturn(1))).hasMessage("not yet");
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(3);
        }
    }

    @Promise("19.4")
    @ParameterizedTest
    @CsvSource({"0, '1,2,4,8,8'", "0.5, '0.75,1.5,3,6,6'", "1, '0.5,1,2,4,4'"})
    void pausesDoubleUpToTheLongestLessARandomPart(double jitter, String expected) throws Exception {
        var policy =
                FailurePolicy.restart().withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(8), jitter);
        var half = new HalfRandom();
        try (var scope = ActorSystem.configure("test").listener(recorder).time(time).random(half)
                .onFailure(policy).open()) {
            var actor = scope.anonymous().newActor((Integer n) -> {
                throw new IllegalStateException("always");
            });
            for (var seconds : expected.split(",")) {
                actor.sendMessage(1);
                awaitPause();
                assertThat(time.nanosToNext()).isEqualTo((long) (Double.parseDouble(seconds) * 1e9));
                time.advanceToNext();
                actor.execAndWait(() -> {
                });
            }
            time.advance(Duration.ofSeconds(8)); // it runs well for so long
            actor.sendMessage(1);
            awaitPause();
            assertThat(time.nanosToNext())
                    .isEqualTo((long) (Double.parseDouble(expected.split(",")[0]) * 1e9));
        }
    }

    /** Always in the middle. */
    private static final class HalfRandom implements java.util.random.RandomGenerator {
        @Override
        public long nextLong() {
            return Long.MIN_VALUE;
        }
    }

    @Promise("19.4")
    @EveryStrategy
    void askingForTheExitEndsThePause(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart().withBackoff(Duration.ofHours(1), Duration.ofHours(1), 0);
        try (var scope = scope(strategy, policy)) {
            var actor = paused(scope);
            actor.askExit();
            actor.waitForExit();
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly(1, 2);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.EXIT);
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("19.4")
    @EveryStrategy
    void aPillEndsThePauseAndWhatIsQueuedIsHandled(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart().withBackoff(Duration.ofHours(1), Duration.ofHours(1), 0);
        try (var scope = scope(strategy, policy)) {
            var actor = paused(scope);
            actor.close();
            assertThat(actor.counters().handled()).isEqualTo(2);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.POISON_PILL);
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("19.4")
    @EveryStrategy
    void closingTheScopeEndsThePause(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart().withBackoff(Duration.ofHours(1), Duration.ofHours(1), 0);
        var scope = scope(strategy, policy);
        var actor = paused(scope);
        scope.close();
        assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
        assertThat(actor.counters().handled()).isEqualTo(2);
        assertThat(time.pending()).isZero();
    }

    @Promise("19.4")
    @EveryStrategy
    void anActorThatCannotStartStopsWhenItIsToEnd(Strategy strategy) throws Exception {
        var policy = FailurePolicy.restart(Integer.MAX_VALUE, Duration.ofHours(1))
                .withBackoff(Duration.ofHours(1), Duration.ofHours(1), 0);
        try (var scope = scope(strategy, policy)) {
            Actor<Integer, Void> actor = scope.anonymous().newActorFrom(() -> {
                throw new IllegalStateException("never");
            });
            actor.sendMessage(1);
            awaitPause();
            actor.close();
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.FAILURE);
            assertThat(recorder.only(Undelivered.class).message()).isEqualTo(1);
            assertThat(time.pending()).isZero();
        }
    }

    /** An actor in its pause, with two messages that wait. */
    private Actor<Integer, Void> paused(ActorScope scope) {
        var actor = scope.anonymous().newActorFrom(() -> (Integer n) -> {
            if (n == 0) {
                throw new IllegalStateException("zero");
            }
        });
        actor.sendMessage(0);
        awaitPause();
        actor.sendMessage(1);
        actor.sendMessage(2);
        return actor;
    }

    @Promise("19.4")
    @EveryStrategy
    void theFailingHandlerMayStopItsActor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, RESTART)) {
            var actor = scope.anonymous().<Integer>newActor((context, n) -> {
                context.askExit();
                throw new IllegalStateException("and fails");
            });
            actor.sendMessage(1);
            actor.waitForExit();
            assertThat(recorder.only(Failed.class).cause()).hasMessage("and fails");
            assertThat(recorder.of(Restarted.class)).isEmpty();
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.EXIT);
        }
    }
}
