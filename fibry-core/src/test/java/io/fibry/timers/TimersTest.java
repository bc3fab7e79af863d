package io.fibry.timers;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

class TimersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final ManualTime time =
            new ManualTime(Instant.parse("2030-01-01T00:00:00Z"), Duration.ofSeconds(10));
    /** When which message was handled, in seconds. */
    private final List<String> got = new CopyOnWriteArrayList<>();

    private interface Setting {
        Object set(ActorContext<String, Object> context) throws Exception;
    }

    /** Code runs inside with the context; other messages are noted. */
    private Actor<Object, Object> actor(ActorScope scope) {
        return actor(scope.anonymous());
    }

    @SuppressWarnings("unchecked") // it sends itself what it is sent
    private Actor<Object, Object> actor(ActorBuilder builder) {
        return builder.newActorWithReturn((context, message) -> {
            if (message instanceof Setting setting) {
                return setting.set((ActorContext<String, Object>) (ActorContext<?, ?>) context);
            }
            got.add(message + "@" + time.nanoTime() / 1_000_000_000);
            if (message.equals("fails")) {
                throw new IllegalStateException("on purpose");
            }
            return message;
        });
    }

    private static Scheduled set(Actor<Object, Object> actor, Setting setting) throws Exception {
        return (Scheduled) Waits.on(actor.sendMessageReturn(setting));
    }

    /** Second by second, and each time until what was sent is handled. */
    private void pass(Actor<Object, Object> actor, int seconds) throws Exception {
        for (int i = 0; i < seconds; i++) {
            time.advance(SECOND);
            settle(actor);
        }
    }

    private static void settle(Actor<Object, Object> actor) throws Exception {
        for (int i = 0; i < 2; i++) { // a tick may have been started by another thread
            soon().until(() -> actor.mailboxSize() == 0);
            Waits.on(actor.sendMessageReturn((Setting) context -> 1));
        }
    }

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, time);
    }

    @Promise("20.1")
    @EveryStrategy
    void aTimerKeepsToItsSchedule(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = actor(scope);
            set(actor, context -> {
                var timers = context.timers();
                timers.once("a", Duration.ofSeconds(2), "once");
                timers.set("b", Schedule.fixedRate(Duration.ofSeconds(3)).times(2), "rate");
                timers.set("c", Schedule.fixedDelay(Duration.ofSeconds(2)).startingAfter(SECOND).times(3),
                        "delay");
                timers.set("d", Schedule.at(Instant.parse("2030-01-01T00:00:04Z")), "at");
                return timers.set("e",
                        Schedule.fixedRate(SECOND).startingAt(Instant.parse("2030-01-01T00:00:08Z"))
                                .times(2),
                        "late");
            });
            pass(actor, 12);
            assertThat(got).containsExactlyInAnyOrder("once@2", "rate@3", "rate@6", "delay@1", "delay@3",
                    "delay@5", "at@4", "late@8", "late@9");
            assertThat(time.pending()).isZero();
        }
    }

    /** A key whose methods throw from some time on. All have one hash code. */
    private static final class ChangedKey {
        private volatile boolean isChanged;

        private <T> T answer(T answer) {
            if (isChanged) {
                throw new IllegalStateException("on purpose");
            }
            return answer;
        }

        @Override
        public boolean equals(Object other) {
            return answer(this == other);
        }

        @Override
        public int hashCode() {
            return answer(1);
        }
    }

    @Promise("20.1")
    @EveryStrategy
    void aKeyThatFailsDoesNotHoldUpTheEndOfItsActor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var restarts : List.of(false, true)) {
                var keys = Stream.generate(ChangedKey::new).limit(20).toList();
                var actor = actor(scope.anonymous().onFailure(FailurePolicy.restart(1, SECOND)));
                set(actor, context -> {
                    keys.forEach(key -> context.timers().once(key, SECOND, "never"));
                    return context.timers().once("other", SECOND, "never");
                });
                keys.forEach(key -> key.isChanged = true);
                if (restarts) {
                    actor.sendMessage("fails");
                    settle(actor);
                } else {
                    actor.askExit();
                    Waits.stopped(actor);
                }
                assertThat(time.pending()).isZero();
            }
        }
    }

    @Promise("20.2")
    @BugClass(16)
    @EveryStrategy
    void aHandleTellsHowItGoesAndCancelsFromAnyThread(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = actor(scope);
            var rate = set(actor, context -> context.timers().fixedRate("a", Duration.ofSeconds(2), "rate"));
            var once = set(actor, context -> context.timers().once("b", Duration.ofSeconds(9), "once"));
            assertThat(rate.next()).contains(Duration.ofSeconds(2));
            pass(actor, 5);
            assertThat(rate.fired()).isEqualTo(2);
            assertThat(rate.next()).contains(SECOND);
            assertThat(rate.isOver()).isFalse();
            assertThat(rate.cancel()).isTrue();
            assertThat(rate.cancel()).isFalse();
            assertThat(rate.isOver()).isTrue();
            assertThat(rate.next()).isEqualTo(Optional.empty());
            assertThat(time.pending()).isEqualTo(1);
            try (var gate = Gate.in(actor)) {
                time.advance(Duration.ofSeconds(10)); // the tick is in the mailbox
                assertThat(once.next()).contains(Duration.ZERO);
                assertThat(once.cancel()).isTrue();
                gate.open();
            }
            settle(actor);
            assertThat(got).containsExactly("rate@2", "rate@4");
            assertThat(once.fired()).isZero();
        }
    }

    @Promise("20.2")
    @EveryStrategy
    void whoCancelsWhileAMessageIsHandledIsToldAndItIsTheLast(Strategy strategy) throws Exception {
        for (var schedule : List.of(Schedule.fixedRate(SECOND), Schedule.fixedDelay(SECOND))) {
            var begun = new CompletableFuture<Boolean>();
            var goesOn = new CompletableFuture<Boolean>();
            var ticks = new AtomicInteger();
            try (var scope = scope(strategy)) {
                var actor = scope.anonymous().<String, Scheduled>newActorWithReturn((context, message) -> {
                    if (message.equals("tick")) {
                        ticks.incrementAndGet();
                        begun.complete(true);
                        goesOn.join();
                    }
                    return message.equals("set") ? context.timers().set("key", schedule, "tick") : null;
                });
                var timer = Waits.on(actor.sendMessageReturn("set"));
                var mover = Thread.startVirtualThread(() -> time.advance(SECOND));
                Waits.on(begun);
                assertThat(timer.cancel()).isFalse();
                assertThat(timer.isOver()).isTrue();
                assertThat(timer.cancel()).isFalse();
                goesOn.complete(true);
                Waits.on(mover);
                Waits.on(actor.sendMessageReturn("anything"));
                time.advance(Duration.ofSeconds(5));
                Waits.on(actor.sendMessageReturn("anything"));
                assertThat(ticks).hasValue(1);
                assertThat(time.pending()).isZero();
            }
        }
    }

    @Promise("20.2")
    @EveryStrategy
    void aHandlerThatCancelsItsOwnTimerHasDoneSo(Strategy strategy) throws Exception {
        for (var schedule : List.of(Schedule.fixedRate(SECOND), Schedule.fixedDelay(SECOND))) {
            var cancelled = new CompletableFuture<Boolean>();
            try (var scope = scope(strategy)) {
                var actor = scope.anonymous().<String>newActor((context, message) -> {
                    if (message.equals("set")) {
                        context.timers().set("key", schedule, "tick");
                    } else {
                        cancelled.complete(context.timers().cancel("key"));
                    }
                });
                actor.sendMessage("set");
                soon().until(() -> time.pending() == 1);
                time.advance(SECOND);
                assertThat(Waits.on(cancelled)).isTrue();
                soon().until(() -> time.pending() == 0);
            }
        }
    }

    @Promise("20.1")
    @EveryStrategy
    void aFixedDelayBeginsWhenAReceivedMessageIsDoneWith(Strategy strategy) throws Exception {
        var received = new CompletableFuture<Optional<Duration>>();
        var goesOn = new CompletableFuture<Boolean>();
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().<String>newReceivingActor((context, first) -> {
                var timer = context.timers().fixedDelay("key", SECOND, "tick");
                context.receive("tick"::equals);
                received.complete(timer.next()); // it depends on when this ends
                goesOn.join();
                context.receive("tick"::equals);
                timer.cancel();
                got.add("second@" + time.nanoTime() / 1_000_000_000);
            });
            var sender = Thread.startVirtualThread(() -> actor.sendMessage("begin"));
            soon().until(() -> time.pending() == 1);
            time.advance(SECOND);
            assertThat(Waits.on(received)).isEmpty();
            time.advance(SECOND);
            goesOn.complete(true);
            soon().until(() -> time.pending() == 1);
            time.advance(SECOND);
            soon().until(() -> !got.isEmpty());
            Waits.on(sender);
        }
        assertThat(got).containsExactly("second@3");
    }

    @Promise("20.1")
    @EveryStrategy
    void afterALongPauseThereIsOneLateTickAndNoBurst(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = actor(scope);
            var rate = set(actor, context -> context.timers().fixedRate("a", Duration.ofSeconds(2), "rate"));
            pass(actor, 2);
            try (var gate = Gate.in(actor)) {
                time.advance(Duration.ofSeconds(99));
                gate.open();
            }
            settle(actor);
            assertThat(rate.next()).contains(SECOND); // the even seconds are kept
            pass(actor, 3);
            assertThat(got).containsExactly("rate@2", "rate@101", "rate@102", "rate@104");
        }
    }

    @Promise("20.2")
    @EveryStrategy
    void timersSurviveTheFailureOfTheHandlerThatSetThemAndOfTheirOwn(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = actor(scope);
            var failed = actor.sendMessageReturn((Setting) context -> {
                context.timers().once("a", SECOND, "set before a failure");
                context.timers().set("b", Schedule.fixedDelay(SECOND).times(2), "fails");
                throw new IllegalStateException("on purpose");
            });
            assertThat(Waits.failure(failed)).isInstanceOf(IllegalStateException.class);
            pass(actor, 5);
            assertThat(got).containsExactlyInAnyOrder("set before a failure@1", "fails@1", "fails@2");
        }
    }

    @Promise("20.2")
    @BugClass(15)
    @EveryStrategy
    void anActorThatStopsLeavesNoTimerAndGetsNone(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var failing : List.of(true, false)) {
                var late = new CompletableFuture<Scheduled>();
                var actor = scope.anonymous().onFailure(FailurePolicy.stop()).newActor((context, message) -> {
                    context.timers().fixedRate("a", SECOND, message);
                    context.self().closeOnExit(
                            () -> late.complete(context.timers().once("in a hook", SECOND, message)));
                    if (failing) {
                        throw new IllegalStateException("on purpose");
                    }
                    context.askExit();
                    assertThat(context.timers().once("b", SECOND, message).isOver()).isTrue();
                });
                actor.sendMessage("tick");
                actor.waitForExit();
                assertThat(Waits.on(late).isOver()).isTrue();
                assertThat(time.pending()).isZero();
            }
        }
    }

    @Promise("20.1")
    @EveryStrategy
    void timesBeyondAllMeasureAreForEver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = actor(scope);
            var never = set(actor, context -> {
                context.timers().set("b", Schedule.at(Instant.MAX), "at");
                context.timers().set("c", Schedule.fixedRate(FOR_EVER).startingAfter(SECOND), "rate");
                context.timers().set("d", Schedule.at(Instant.MIN), "long ago");
                return context.timers().once("a", FOR_EVER, "once");
            });
            pass(actor, 1);
            time.advance(Duration.ofDays(365 * 100));
            settle(actor);
            assertThat(never.next()).hasValueSatisfying(left -> assertThat(left).isPositive());
            assertThat(got).hasSize(2).contains("rate@1").anyMatch(tick -> tick.startsWith("long ago"));
        }
    }
}
