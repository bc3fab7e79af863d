package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.AskOutcome;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

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
    void oneMessageIsSentToAllAndAllMessagesToOne(Strategy strategy) {
        var got = new CopyOnWriteArrayList<Object>();
        try (var scope = Scopes.on(strategy, events)) {
            var all = List.of(scope.anonymous().newActor((Object m) -> got.add(m)),
                    scope.anonymous().newActor((Object m) -> got.add(m)));
            assertThat(Actors.sendAll(all, "text")).isEqualTo(2);
            all.getFirst().close();
            assertThat(Actors.sendAll(all, "again")).isEqualTo(1);
            assertThat(Actors.sendAll(all.getLast(), List.of(1, 2, 3))).isEqualTo(3);
            assertThat(Actors.sendAll(List.<Actor<String, Void>>of(), "none")).isZero();
        }
        assertThat(got).containsExactlyInAnyOrder("text", "text", "again", 1, 2, 3)
                .containsSubsequence("again", 1, 2, 3);
    }

    @Promise("32.4")
    @EveryStrategy
    void allAnswersComeInTheOrderOfTheAsks(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var all = actors(scope, 5);
            assertThat(Actors.askAll(all, 100).await()).containsExactly(10, 11, 12, 13, 14);
            assertThat(Actors.askAll(all, 100).atMost(2).await()).containsExactly(10, 11, 12, 13, 14);
            assertThat(Actors.askAll(all.getFirst(), List.of(1, 2, 3)).within(LONG).await())
                    .containsExactly(10, 10, 10);
            assertThat(Actors.askAll(all.getFirst(), List.<Integer>of()).await()).isEmpty();
            assertThat(Actors.askAll(List.<Actor<Integer, Integer>>of(), 1).awaitOutcomes()).isEmpty();
            var twice =
                    scope.anonymous().newActorWithReturn((Twice request) -> request.reply(2 * request.n()));
            List<Integer> doubled =
                    Actors.requestAll(twice, List.of(new Twice(1), new Twice(2))).atMost(1).await();
            assertThat(doubled).containsExactly(2, 4);
            List<Actor<Twice, Reply>> two = List.of(twice, twice);
            assertThat(Actors.requestAll(two, new Twice(4)).within(LONG).await()).containsExactly(8, 8);
            for (var answer : Actors.askAll(all, 100).send()) {
                assertThat(Waits.on(answer)).isBetween(10, 14);
            }
        }
    }

    @Promise("32.5")
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
            assertThatThrownBy(() -> Actors.askAll(List.of(endless, fails), 1).await())
                    .isInstanceOf(ExecutionException.class).cause().hasMessage("fails");
            Waits.on(interrupted);
            var queued = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(queued)) {
                assertThatThrownBy(() -> Actors.askAll(List.of(queued, fails), 1).await())
                        .isInstanceOf(ExecutionException.class).cause().hasMessage("fails");
                gate.open();
            }
            assertThat(queued.apply(2)).isEqualTo(2);
            assertThat(queued.counters().expired()).isEqualTo(1);
        }
    }

    @Promise("32.5")
    @EveryStrategy
    void theOthersGoOnIfThatIsChosen(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var handled = new AtomicInteger();
            var good = scope.anonymous().newActorWithReturn((Integer n) -> handled.addAndGet(n));
            var fails = scope.anonymous().newActorWithReturn((Integer n) -> 1 / (n - n));
            try (var gate = Gate.in(good)) {
                if (strategy.isAsync()) {
                    assertThatThrownBy(() -> Actors.askAll(List.of(good, fails), 1).leavingOthers().await())
                            .hasCauseInstanceOf(ArithmeticException.class);
                }
                gate.open();
            }
            assertThat(good.apply(1)).isEqualTo(strategy.isAsync() ? 2 : 1);
        }
    }

    @Promise("32.6")
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
                var outcomes = Actors.askAll(all, 2).awaitOutcomes();
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

    @Promise("32.4")
    @EveryStrategy
    void noMoreRunThanTheLimitAllows(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            var workers = Stereotypes.with(scope.anonymous()).workersWithReturn((Integer n) -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.yield();
                inside.decrementAndGet();
                return n;
            });
            var numbers = IntStream.range(0, 200).boxed().toList();
            assertThat(Actors.askAll(workers, numbers).atMost(3).await()).isEqualTo(numbers);
            assertThat(most.get()).isBetween(1, 3);
            assertThatThrownBy(() -> Actors.askAll(workers, numbers).atMost(3).send())
                    .isInstanceOf(IllegalStateException.class).hasMessageContainingAll("atMost(3)", "await");
        }
    }

    @Promise("32.7")
    @EveryStrategy
    void theTimeIsThatOfAllTogether(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the asker itself is in the handler");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var first = scope.named("first").newActorWithReturn((Integer n) -> n);
            var second = scope.named("second").newActorWithReturn((Integer n) -> n);
            var outcomes = new AtomicReference<List<AskOutcome<Integer>>>();
            try (var gate = Gate.in(first)) {
                var asker = Thread.startVirtualThread(() -> {
                    try {
                        outcomes.set(
                                Actors.askAll(List.of(first, second), 1).atMost(1).within(LONG)
                                        .awaitOutcomes());
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
                Waits.until("the first is asked", () -> first.mailboxSize() == 1 && time.pending() == 1);
                time.advance(LONG);
                Waits.on(asker);
                gate.open();
            }
            assertThat(causeOf(outcomes.get().get(0))).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("'first'");
            assertThat(causeOf(outcomes.get().get(1))).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContainingAll("'second'", "was not asked", "2 asks");
            assertThat(second.counters().handled()).isZero();
        }
    }

    @Promise("32.8")
    @EveryStrategy
    void insideAnActorCyclesAndDeadlinesAreThoseOfAsks(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var other = scope.anonymous().newActorWithReturn((Integer n) -> n);
            Actor<Integer, String> self = scope.named("self").newActorWithReturn(
                    (ActorContext<Integer, String> context, Integer n) -> {
                        List<Actor<Integer, ?>> both = List.of(other, context.self());
                        try {
                            return "" + Actors.askAll(both, n).await();
                        } catch (AskCycleException e) {
                            return e.getMessage();
                        }
                    });
            assertThat(Waits.on(self.sendMessageReturn(1))).contains("'self'");
            var asker = scope.anonymous().newActorWithReturn(
                    (Integer n) -> Actors.askAll(List.of(other, other), n).atMost(1).await().size());
            assertThat(Waits.on(asker.sendMessageReturn(1))).isEqualTo(2);
            assertThat(Waits.on(asker.sendMessageReturn(1, LONG))).isEqualTo(2);
        }
    }

    @Promise("32.8")
    @EveryStrategy
    void anInterruptEndsTheWaitAndCancelsAll(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> Actors.askAll(actor, List.of(1, 2)).await())
                    .isInstanceOf(InterruptedException.class).hasMessageContaining("0 of 2");
            assertThat(Thread.interrupted()).isFalse();
            assertThat(actor.counters().handled()).isZero();
            if (strategy.isAsync()) {
                try (var gate = Gate.in(actor)) {
                    var thrown = new AtomicReference<Throwable>();
                    var asker = Thread.startVirtualThread(() -> {
                        try {
                            Actors.askAll(actor, List.of(1, 2)).awaitOutcomes();
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

    @Promise("32.4")
    @Test
    void badArgumentsAreRefused() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var all = Actors.askAll(actor, List.of(1));
            assertThatThrownBy(() -> all.atMost(0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("running must be at least 1: 0");
            assertThatThrownBy(() -> all.within(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timeout");
            assertThat(all.atMost(2).within(LONG).leavingOthers()).asString()
                    .isEqualTo("AskAll[1 asks, at most 2, within 60 s, leaving others]");
        }
    }

    /** A cycle that an asked actor was told of is a failure of its ask, and not one of the caller's wait. */
    @Promise("32.5")
    @EveryStrategy
    void theCycleOfAnotherActorIsTheCause(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var told = new AskCycleException("as another actor was told");
            var fails = scope.anonymous().newActorWithReturn((Integer n) -> {
                throw told;
            });
            assertThatThrownBy(() -> Actors.askAll(List.of(fails), 1).await())
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(told);
        }
    }
}
