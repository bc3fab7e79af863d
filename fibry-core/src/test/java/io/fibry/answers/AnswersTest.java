package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.testing.BusyCarriers;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class AnswersTest {
    @Promise("5.1")
    @EveryStrategy
    void anAnswerHasTheHandlersValueOrItsVeryException(Strategy strategy) throws Exception {
        var checked = new IOException("checked");
        var error = new AssertionError("error");
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Integer, String>newActorWithReturn((Integer n) -> switch (n) {
                case 0 -> null;
                case 1 -> throw checked;
                case 2 -> throw error;
                default -> "value " + n;
            });
            assertThat(Waits.on(actor.sendMessageReturn(5))).isEqualTo("value 5");
            assertThat(actor.apply(6)).isEqualTo("value 6");
            assertThat(Waits.on(actor.sendMessageReturn(0))).isNull();
            assertThat(Waits.failure(actor.sendMessageReturn(1))).isSameAs(checked);
            assertThat(Waits.failure(actor.sendMessageReturn(2))).isSameAs(error);
            assertThatThrownBy(() -> actor.apply(1)).cause().isSameAs(checked);
            assertThatThrownBy(() -> actor.sendMessageReturnWait(2)).isInstanceOf(ExecutionException.class)
                    .cause().isSameAs(error);
        }
    }

    private static final Map<String, Consumer<Actor<Integer, Integer>>> STOPS =
            Map.of("EXIT", Actor::askExit, "FAILURE", actor -> actor.sendMessage(0), "FORCED",
                    actor -> actor.stop(Duration.ZERO));

    @Promise({"5.2", "9.3"})
    @EveryStrategy
    void queuedAsksFailWithTheActorsNameAndReason(Strategy strategy) throws Exception {
        for (var stop : STOPS.entrySet()) {
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.named("gone").onFailure(FailurePolicy.stop())
                        .newActorWithReturn((Integer n) -> 1 / n);
                var asks = new ArrayList<CompletableFuture<Integer>>();
                try (var gate = Gate.in(actor)) {
                    stop.getValue().accept(actor);
                    for (int i = 0; i < 3; i++) {
                        asks.add(actor.sendMessageReturn(1));
                        asks.add(actor.ask(1, Duration.ofMinutes(1)));
                        asks.add(actor.execFuture(() -> 1));
                    }
                    gate.open();
                }
                actor.waitForExit();
                asks.add(actor.sendMessageReturn(1)); // it has stopped by now
                for (var ask : asks) {
                    assertThat(Waits.failure(ask)).isInstanceOf(ActorStoppedException.class)
                            .hasMessageContainingAll("'gone'", stop.getKey());
                }
            }
        }
    }

    @Promise("5.2")
    @EveryStrategy
    void asksThatRaceWithTheStopAllComplete(Strategy strategy) throws Exception {
        for (int round = 0; round < 20; round++) {
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
                var stopAt = 10 * round;
                Senders.run(4, sender -> {
                    var asks = new ArrayList<CompletableFuture<Integer>>();
                    for (int i = 0; i < 200; i++) {
                        if (sender == 0 && i == stopAt) {
                            actor.askExit();
                        }
                        asks.add(actor.sendMessageReturn(i));
                    }
                    for (int i = 0; i < asks.size(); i++) {
                        try {
                            assertThat(Waits.on(asks.get(i))).isEqualTo(i);
                        } catch (ExecutionException e) {
                            assertThat(e).hasCauseInstanceOf(ActorStoppedException.class);
                        }
                    }
                });
            }
        }
    }

    /** Each actor asks the next one by {@code apply}; the last one fails. */
    @Promise("5.4")
    @EveryStrategy
    void howeverManyActorsAskByApplyTheReasonHasOneExceptionAroundIt(Strategy strategy) throws Exception {
        var reason = new IllegalStateException("as wanted");
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Integer, Integer>newActorWithReturn((Integer n) -> {
                throw reason;
            });
            for (int i = 0; i < 5; i++) {
                var next = actor;
                var limited = i % 2 == 1;
                actor = scope.anonymous().newActorWithReturn(
                        (Integer n) -> limited ? next.apply(n, Duration.ofMinutes(1)) : next.apply(n));
            }
            var first = actor;
            for (var ask : List.<ThrowingCallable>of(() -> first.apply(1),
                    () -> first.apply(1, Duration.ofMinutes(1)))) {
                assertThatThrownBy(ask).isInstanceOf(CompletionException.class)
                        .hasToString("java.util.concurrent.CompletionException: " + reason).cause()
                        .isSameAs(reason);
            }
        }
    }

    @Promise({"5.1", "5.2", "5.3"})
    @EveryStrategy
    void soDoesAWaitWithATimeLimitThatThrowsUncheckedExceptionsOnly(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(3);
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.named("slow").newActorWithReturn((Integer n) -> 6 / n);
            assertThat(actor.apply(2, limit)).isEqualTo(3);
            assertThatThrownBy(() -> actor.apply(0, limit)).isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(ArithmeticException.class);
            try (var gate = Gate.in(actor)) {
                var begun = new CountDownLatch(1);
                var wait = CompletableFuture.supplyAsync(() -> {
                    begun.countDown();
                    return actor.apply(1, limit);
                }, Thread::startVirtualThread);
                Waits.on(begun);
                Waits.until("the ask waits", () -> actor.mailboxSize() == 1);
                time.advance(limit);
                assertThat(Waits.failure(wait)).isInstanceOf(AskTimeoutException.class)
                        .hasMessageContaining("'slow'");
                gate.open();
            }
            assertThatThrownBy(() -> actor.apply(1, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PT0S");
            actor.close();
            assertThatThrownBy(() -> actor.apply(1, limit)).isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(ActorStoppedException.class);
        }
    }

    @Promise("5.3")
    @EveryStrategy
    void anAskWithATimeLimitFailsAtIt(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.named("slow").newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                var ask = actor.ask(1, Duration.ofSeconds(3));
                time.advance(Duration.ofSeconds(3).minusNanos(1));
                assertThat(ask).isNotDone();
                time.advance(Duration.ofNanos(1));
                assertThat(Waits.failure(ask)).isInstanceOf(AskTimeoutException.class)
                        .hasMessageContaining("'slow'");
                gate.open();
            }
            assertThat(Waits.on(actor.ask(2, Duration.ofSeconds(3)))).isEqualTo(2);
            await("timers of answered asks").until(() -> time.pending() == 0);
        }
    }

    @Promise("5.3")
    @Test
    void alsoIfAllCarriersAreBusy() throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.fibers()).open()) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            BusyCarriers.during(() -> {
                var ask = actor.ask(1, Duration.ofMillis(20));
                assertThatThrownBy(ask::get).hasCauseInstanceOf(AskTimeoutException.class);
            });
        }
    }

    @Promise("5.4")
    @EveryStrategy
    void aQueuedAskThatIsCancelledOrExpiredIsSkipped(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var handled = new ArrayList<Integer>();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> handled.add(n));
            try (var gate = Gate.in(actor)) {
                actor.sendMessageReturn(1).cancel(true);
                actor.ask(2, Duration.ofSeconds(1));
                actor.sendMessageReturn(3);
                actor.execFuture(() -> handled.add(4)).cancel(false);
                time.advance(Duration.ofSeconds(1));
                gate.open();
            }
            actor.close();
            assertThat(handled).isEqualTo(List.of(3));
            assertThat(actor.counters().expired()).isEqualTo(3);
        }
    }
}
