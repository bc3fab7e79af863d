package io.fibry.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

class AskAllTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    private record Twice(int n) implements Request<Integer> {
    }

    private static List<Actor<Integer, Integer>> actors(ActorScope scope, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> scope.anonymous().newActorWithReturn((Integer n) -> 10 * n / (n - i) + i))
                .toList();
    }

    @Promise("32.4")
    @EveryStrategy
    void theFailureOfAFutureThatIsDerivedFromAnAskIsTheCause(Strategy strategy) {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = actors(scope, 1).getFirst();
            assertThatThrownBy(
                    () -> AskAll.await(List.of(1, 0), n -> actor.ask(n, LONG).thenApply(ten -> ten + 1)))
                    .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(ArithmeticException.class)
                    .hasNoSuppressedExceptions();
        }
    }

    @Promise("32.4")
    @EveryStrategy
    void allAnswersComeInTheOrderOfTheAsks(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var all = actors(scope, 5);
            assertThat(AskAll.await(all, actor -> actor.sendMessageReturn(100))).containsExactly(10, 11, 12,
                    13, 14);
            assertThat(AskAll.await(List.of(1, 2, 3), n -> all.getFirst().ask(n, LONG)))
                    .containsExactly(10, 10, 10);
            assertThat(AskAll.await(List.<Integer>of(), all.getFirst()::sendMessageReturn)).isEmpty();
            assertThat(AskAll.outcomes(List.<Integer>of(), all.getFirst()::sendMessageReturn)).isEmpty();
            var twice =
                    scope.anonymous().newActorWithReturn((Twice request) -> request.reply(2 * request.n()));
            List<Integer> doubled = AskAll.await(List.of(new Twice(1), new Twice(2)), twice::request);
            assertThat(doubled).containsExactly(2, 4);
        }
    }

    @Promise("32.4")
    @EveryStrategy
    void theFirstFailureEndsTheWaitAndCancelsTheOthers(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() an ask ends before the next one is sent");
        try (var scope = Scopes.on(strategy, events)) {
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var endless = scope.anonymous().interruptOnCancel().newActorWithReturn((Integer n) -> {
                Waits.untilInterrupted(begun, interrupted);
                return n;
            });
            var fails = scope.anonymous().newActorWithReturn((Integer n) -> {
                Waits.on(begun);
                throw new IllegalStateException("fails");
            });
            assertThatThrownBy(() -> AskAll.await(List.of(endless, fails), each -> each.sendMessageReturn(1)))
                    .isInstanceOf(ExecutionException.class).cause().hasMessage("fails");
            Waits.on(interrupted);
            var queued = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(queued)) {
                assertThatThrownBy(
                        () -> AskAll.await(List.of(queued, fails), each -> each.sendMessageReturn(1)))
                        .isInstanceOf(ExecutionException.class).cause().hasMessage("fails");
                gate.open();
            }
            assertThat(queued.apply(2)).isEqualTo(2);
            assertThat(queued.counters().expired()).isEqualTo(1);
        }
    }

    @Promise("32.4")
    @EveryStrategy
    void allOutcomesAreWaitedFor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var all = new ArrayList<>(actors(scope, 3));
            var stopped = scope.named("stopped").newActorWithReturn((Integer n) -> n);
            stopped.close();
            all.add(stopped);
            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()))
                    .newActorWithReturn((Integer n) -> n);
            all.add(full);
            all.add(Stereotypes.with(scope.anonymous()).workersWithReturn((Integer n) -> -n));
            try (var gate = Gate.in(full)) {
                full.sendMessage(0);
                var outcomes = AskAll.outcomes(all, each -> each.sendMessageReturn(2));
                assertThat(outcomes.get(0)).isEqualTo(new AskOutcome.Answered<>(10));
                assertThat(outcomes.get(1)).isEqualTo(new AskOutcome.Answered<>(21));
                assertThat(causeOf(outcomes.get(2))).isInstanceOf(ArithmeticException.class);
                assertThat(causeOf(outcomes.get(3))).isInstanceOf(ActorStoppedException.class);
                assertThat(causeOf(outcomes.get(4))).isInstanceOf(MailboxFullException.class);
                assertThat(outcomes.get(5)).isEqualTo(new AskOutcome.Answered<>(-2));
                gate.open();
            }
        }
    }

    private static Throwable causeOf(AskOutcome<Integer> outcome) {
        return switch (outcome) {
            case AskOutcome.Failed<Integer> failed -> failed.cause();
            case AskOutcome.Answered<Integer> answered -> throw new AssertionError(answered);
        };
    }

    @Promise("32.8")
    @EveryStrategy
    void insideAnActorCyclesAndDeadlinesAreThoseOfAsks(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var other = scope.anonymous().newActorWithReturn((Integer n) -> n);
            Actor<Integer, String> self = scope.named("self").newActorWithReturn(
                    (ActorContext<Integer, String> context, Integer n) -> {
                        try {
                            return ""
                                    + AskAll.<Actor<Integer, ?>, Object>await(List.of(other, context.self()),
                                            each -> each.sendMessageReturn(n).thenApply(answer -> answer));
                        } catch (AskCycleException e) {
                            return e.getMessage();
                        }
                    });
            assertThat(Waits.on(self.sendMessageReturn(1))).contains("'self'");
            var asker = scope.anonymous().newActorWithReturn(
                    (Integer n) -> AskAll.await(List.of(other, other), each -> each.sendMessageReturn(n))
                            .size());
            assertThat(Waits.on(asker.sendMessageReturn(1))).isEqualTo(2);
            assertThat(Waits.on(asker.ask(1, LONG))).isEqualTo(2);
        }
    }

    @Promise("32.8")
    @EveryStrategy
    void anInterruptEndsTheWaitAndCancelsAll(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> AskAll.await(List.of(1, 2), actor::sendMessageReturn))
                    .isInstanceOf(InterruptedException.class).hasMessageContaining("0 of 2");
            assertThat(Thread.interrupted()).isFalse();
            assertThat(actor.counters().handled()).isZero();
            if (strategy.isAsync()) {
                try (var gate = Gate.in(actor)) {
                    var thrown = new AtomicReference<Throwable>();
                    var asker = Thread.startVirtualThread(() -> {
                        try {
                            AskAll.outcomes(List.of(1, 2), actor::sendMessageReturn);
                        } catch (InterruptedException e) {
                            thrown.set(e);
                        }
                    });
                    Waits.until("both wait", () -> actor.mailboxSize() == 2);
                    asker.interrupt();
                    Waits.on(asker);
                    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
                    gate.open();
                }
                assertThat(actor.apply(3)).isEqualTo(3);
                assertThat(actor.counters().expired()).isEqualTo(2);
            }
        }
    }

    /** A cycle that an asked actor was told of is a failure of its ask, and not one of the caller's wait. */
    @Promise("32.4")
    @EveryStrategy
    void theCycleOfAnotherActorIsTheCause(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var told = new AskCycleException("as another actor was told");
            var fails = scope.anonymous().newActorWithReturn((Integer n) -> {
                throw told;
            });
            assertThatThrownBy(() -> AskAll.await(List.of(1), fails::sendMessageReturn))
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(told);
        }
    }
}
