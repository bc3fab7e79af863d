package io.fibry.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

class OverloadedScopeTest {
    private final Recorder recorder = new Recorder();

    private ActorScope scope(Strategy strategy, ScopeLimits limits) {
        return ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder).limits(limits)
                .open();
    }

    @Promise("24.1")
    @EveryStrategy
    void whatWouldWaitPastTheLimitOfTheScopeIsRefusedAtOnce(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().waiting(3))) {
            var one = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var other = scope.child("inner").limits(ScopeLimits.none().waiting(1)).open().anonymous()
                    .newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(one); var otherGate = Gate.in(other)) {
                assertThat(one.sendMessage(1)).isTrue();
                assertThat(other.sendMessage(2)).isTrue();
                assertThat(other.sendMessage(3)).as("past the inner limit").isFalse();
                assertThat(one.sendMessage(4)).isTrue();
                assertThat(one.sendMessage(5)).as("past the outer limit").isFalse();
                assertThat(Waits.failure(one.sendMessageReturn(6))).isInstanceOf(MailboxFullException.class)
                        .hasMessageContaining("'limited'").hasMessageContaining("3 of 3");
                assertThat(Waits.failure(one.ask(7, Duration.ofHours(1))))
                        .isInstanceOf(MailboxFullException.class);
                assertThatThrownBy(() -> one.execute(() -> {
                })).isInstanceOf(RejectedExecutionException.class);
                gate.open();
                otherGate.open();
            }
            await().until(() -> EngineProbe.placesTaken(scope) == 0);
            assertThat(one.apply(8)).isEqualTo(8);
            assertThat(recorder.of(Undelivered.class)).hasSize(5).extracting(Undelivered::cause)
                    .containsOnly(Cause.OVERLOAD);
            assertThat(scope.counters().refused()).isEqualTo(4);
        }
    }

    @Promise("24.1")
    @EveryStrategy
    void theLimitIsExactWhateverRaces(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().waiting(5))) {
            var actors = List.of(scope.anonymous().newActor((Integer n) -> {
            }), scope.anonymous().newActor((Integer n) -> {
            }));
            var accepted = new AtomicInteger();
            try (var gate = Gate.in(actors.get(0)); var other = Gate.in(actors.get(1))) {
                Senders.run(4, sender -> {
                    for (int i = 0; i < 50; i++) {
                        if (actors.get((sender + i) % 2).sendMessage(i)) {
                            accepted.incrementAndGet();
                        }
                    }
                });
                assertThat(accepted).hasValue(5);
                gate.open();
                other.open();
            }
            await().until(() -> scope.counters().total() == 202);
            assertThat(EngineProbe.placesTaken(scope)).isZero();
        }
    }

    @Promise("24.2")
    @EveryStrategy
    void aPlaceIsGivenBackWhateverBecomesOfTheMessage(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() nothing can be queued by the test's thread");
        var scope = scope(strategy, ScopeLimits.none().waiting(100).asks(100));
        var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(3, OverflowPolicy.dropOldest()))
                .newActorWithReturn((Integer n) -> {
                    if (n == 1) {
                        throw new IllegalStateException("as wanted");
                    }
                    return n;
                });
        var receiving = scope.anonymous().<Integer>newReceivingActor((context, n) -> {
            context.receive(m -> m == 2);
            throw new IllegalStateException("as wanted");
        });
        var workers = Stereotypes.with(scope.anonymous()).workersWithReturn((Integer n) -> {
            if (n == 1) {
                throw new IllegalStateException("as wanted");
            }
            return n;
        });
        for (int i = 0; i < 4; i++) {
            workers.sendMessage(i);
            workers.sendMessageReturn(i);
            workers.execAsync(() -> {
            });
        }
        try (var gate = Gate.in(actor)) {
            for (int i = 0; i < 4; i++) {
                actor.sendMessage(i);
                actor.sendMessageReturn(i);
                actor.ask(i, Duration.ofHours(1)).cancel(false);
                actor.execAsync(() -> {
                });
            }
            gate.open();
        }
        await().until(() -> EngineProbe.placesTaken(scope) == 0);
        try (var gate = Gate.in(actor)) {
            actor.sendMessageReturn(2);
            actor.askExit();
            actor.sendMessage(3);
            gate.open();
        }
        actor.waitForExit();
        for (int i = 0; i < 4; i++) {
            receiving.sendMessage(3 - i); // one of them is passed over until the end
        }
        scope.close();
        assertThat(EngineProbe.placesTaken(scope)).isZero();
    }

    @Promise("24.2")
    @EveryStrategy
    void noMoreAsksThanThatAreWithoutAnAnswer(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().asks(2))) {
            var free = new CompletableFuture<Integer>();
            var slow = scope.anonymous().newActorWithReturn((Integer n) -> n == 0 ? free.get() : n);
            var other = scope.anonymous().newActorWithReturn((Integer n) -> -n);
            var first = Aside.ask(slow, 0);
            await().until(() -> EngineProbe.placesTaken(scope) == 1);
            assertThat(other.apply(1)).isEqualTo(-1);
            for (int i = 0; i < 200; i++) {
                assertThat(Waits.on(other.sendMessageReturn(i))).as("one after another").isEqualTo(-i);
            }
            var second = Aside.ask(slow, 0);
            await().until(() -> EngineProbe.placesTaken(scope) == 2);
            assertThat(Waits.failure(other.sendMessageReturn(1))).isInstanceOf(MailboxFullException.class)
                    .hasMessageContaining("2 of 2 asks");
            assertThat(Waits.on(Aside.send(other, 1))).as("a message without an answer").isTrue();
            free.complete(5);
            assertThat(Waits.on(first)).isEqualTo(5);
            assertThat(Waits.on(second)).isEqualTo(5);
            await().until(() -> EngineProbe.placesTaken(scope) == 0);
        }
    }

    @Promise("24.4")
    @EveryStrategy
    void noMoreTurnsThanThatRunAtATime(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().running(2))) {
            var inner = scope.child("inner").open();
            var running = new AtomicInteger();
            var most = new AtomicInteger();
            var done = new CountDownLatch(200);
            var actors = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < 10; i++) {
                var builder = (i % 2 == 0 ? scope : inner).anonymous();
                actors.add(
                        (i % 3 == 0 ? builder.strategy(strategy.create()) : builder).newActor((Integer n) -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            Thread.yield();
                            running.decrementAndGet();
                            done.countDown();
                        }));
            }
            Senders.run(4, sender -> {
                for (int i = 0; i < 50; i++) {
                    actors.get((sender + i) % 10).sendMessage(i);
                }
            });
            Waits.on(done);
            assertThat(most.get()).isBetween(1, 2);
        }
    }

    @Promise("24.4")
    @EveryStrategy
    void turnsThatWaitToRunHoldNoThreadAndStartInOrder(Strategy strategy) throws Exception {
        var begun = new CopyOnWriteArrayList<Integer>();
        try (var scope = Scopes.on(strategy, recorder)) {
            var limited = CreationStrategy.limited(strategy.create(), 1);
            var first = scope.anonymous().strategy(limited).newActor((Integer n) -> begun.add(n));
            var release = new CountDownLatch(1);
            var holds = new CountDownLatch(1);
            var holder = Thread.startVirtualThread(() -> first.execAsync(() -> {
                holds.countDown();
                release.await();
            }));
            Waits.on(holds);
            var others = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < 50; i++) {
                others.add(scope.anonymous().strategy(limited).newActor((Integer n) -> begun.add(n)));
                others.get(i).sendMessage(i);
            }
            assertThat(begun).isEmpty();
            release.countDown();
            await().until(() -> begun.size() == 50);
            assertThat(begun).isSorted();
            Waits.on(holder);
        }
    }

    /** Asks on a thread of its own, which on {@code caller()} runs the handler. */
    private static final class Aside {
        static <R> CompletableFuture<R> ask(Actor<Integer, R> actor, int message) {
            var answer = new CompletableFuture<R>();
            Thread.startVirtualThread(
                    () -> actor.sendMessageReturn(message).whenComplete((value, failure) -> {
                        if (failure == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }));
            return answer;
        }

        static CompletableFuture<Boolean> send(Actor<Integer, ?> actor, int message) {
            return CompletableFuture.supplyAsync(() -> actor.sendMessage(message));
        }
    }
}
