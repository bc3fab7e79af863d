package io.fibry.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
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
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of a message that exceeds a limit of a scope. */
class ScopeBudgetTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final ScopeLimits ONE = ScopeLimits.none().waiting(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy, ScopeLimits limits) {
        return ActorSystem.configure("limited").strategy(strategy.create()).listener(recorder).time(time)
                .limits(limits).open();
    }

    private static Thread blocked(CompletableFuture<Boolean> result,
            java.util.concurrent.Callable<Boolean> send) {
        var thread = Thread.ofPlatform().start(() -> {
            try {
                result.complete(send.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        Waits.until("it waits", () -> thread.getState() == Thread.State.WAITING);
        return thread;
    }

    @Promise("24.1")
    @EveryStrategy
    void thePolicyToFailThrows(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.fail()))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                assertThatThrownBy(() -> actor.sendMessage(2)).isInstanceOf(MailboxFullException.class)
                        .hasMessageContaining("'limited'").hasMessageContaining("1 of 1");
                assertThatThrownBy(() -> actor.sendMessageReturn(3)).isInstanceOf(MailboxFullException.class);
                assertThatThrownBy(() -> actor.execute(() -> {
                })).isInstanceOf(RejectedExecutionException.class);
                gate.open();
            }
        }
        assertThat(recorder.of(Undelivered.class)).hasSize(3).extracting(Undelivered::cause)
                .containsOnly(Cause.OVERLOAD);
    }

    @Promise("24.1")
    @EveryStrategy
    void thePolicyToDropCountsAsDropped(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.dropNewest()))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage(1)).isTrue();
                assertThat(actor.sendMessage(2)).isFalse();
                assertThat(Waits.failure(actor.sendMessageReturn(3))).isInstanceOf(MailboxFullException.class)
                        .hasMessageContaining("'limited'");
                gate.open();
            }
            assertThat(scope.counters().dropped()).isEqualTo(2);
            assertThat(scope.counters().refused()).isZero();
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsOnly(Cause.DROPPED_NEWEST);
    }

    @Promise("24.1")
    @Test
    void ofSeveralScopesThePolicyOfTheFullOneCounts() throws Exception {
        try (var scope = scope(Strategy.FIBERS, ONE.overflow(OverflowPolicy.dropNewest()))) {
            var inner = scope.child("inner")
                    .limits(ScopeLimits.none().asks(1).overflow(OverflowPolicy.fail())).open();
            var actor = inner.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                var first = actor.sendMessageReturn(1);
                assertThatThrownBy(() -> actor.sendMessageReturn(2)).isInstanceOf(MailboxFullException.class)
                        .hasMessageContaining("1 of 1 asks");
                assertThat(actor.sendMessage(3)).isFalse();
                gate.open();
                assertThat(Waits.on(first)).isEqualTo(1);
            }
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsExactly(Cause.OVERLOAD, Cause.DROPPED_NEWEST);
    }

    @Promise("24.1")
    @Test
    void policiesWithoutAMeaningForScopesAreRefusedWhereTheyAreSaid() {
        assertThatThrownBy(() -> ONE.overflow(OverflowPolicy.dropOldest()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("no common order");
        assertThatThrownBy(() -> ONE.overflow(OverflowPolicy.block()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("block(timeout)");
    }

    @Promise("24.1")
    @Test
    void aMessageThatIsRefusedStartsNothing() throws Exception {
        var turns = new AtomicInteger();
        var fibers = Strategy.EXECUTOR.create();
        CreationStrategy counting = name -> {
            var executor = fibers.executorFor(name);
            return turn -> {
                turns.incrementAndGet();
                executor.execute(turn);
            };
        };
        try (var scope =
                ActorSystem.configure("limited").strategy(counting).listener(recorder).limits(ONE).open()) {
            var busy = scope.anonymous().newActor((Integer n) -> {
            });
            var idle = scope.anonymous().newActor((Integer n) -> {
            });
            var workers = Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
            });
            try (var gate = Gate.in(busy)) {
                assertThat(busy.sendMessage(1)).isTrue();
                var before = turns.get();
                assertThat(idle.sendMessage(2)).isFalse();
                assertThat(workers.sendMessage(3)).isFalse();
                assertThat(turns).hasValue(before);
                gate.open();
            }
        }
    }

    @Promise("24.2")
    @EveryStrategy
    void whoWaitsForRoomGoesOnInTurnWhenThereIsSome(Strategy strategy) throws Exception {
        var got = new CopyOnWriteArrayList<Integer>();
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.block(LONG)))) {
            var actor = scope.anonymous().newActor((Integer n) -> got.add(n));
            var sent = new ArrayList<CompletableFuture<Boolean>>();
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(0);
                for (int i = 1; i < 5; i++) {
                    var number = i;
                    var result = new CompletableFuture<Boolean>();
                    sent.add(result);
                    blocked(result, () -> actor.sendMessage(number));
                }
                assertThat(sent).noneMatch(CompletableFuture::isDone);
                assertThat(EngineProbe.placesTaken(scope)).isEqualTo(1);
                gate.open();
            }
            for (var result : sent) {
                assertThat(Waits.on(result)).isTrue();
            }
            await().until(() -> got.size() == 5);
            await().until(() -> EngineProbe.placesTaken(scope) == 0);
            assertThat(time.pending()).isZero();
        }
        assertThat(got).containsExactlyInAnyOrder(0, 1, 2, 3, 4).startsWith(0, 1);
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("24.2")
    @EveryStrategy
    void whoWaitsForAPlaceOfAnAskGoesOnWhenOneIsAnswered(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().asks(1).overflow(OverflowPolicy.block(LONG)))) {
            var release = new CountDownLatch(1);
            var begun = new CountDownLatch(1);
            var slow = scope.anonymous().newActorWithReturn((Integer n) -> {
                begun.countDown();
                release.await();
                return n;
            });
            var other = scope.anonymous().newActorWithReturn((Integer n) -> -n);
            var first = CompletableFuture.supplyAsync(() -> slow.apply(1));
            Waits.on(begun);
            var second = new CompletableFuture<Boolean>();
            blocked(second, () -> other.apply(2) == -2);
            assertThat(second).isNotDone();
            release.countDown();
            assertThat(Waits.on(first)).isEqualTo(1);
            assertThat(Waits.on(second)).isTrue();
        }
    }

    @Promise("24.2")
    @EveryStrategy
    void aTimeLimitEndsTheWaitForRoom(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.block(Duration.ofSeconds(5))))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                var sent = new CompletableFuture<Boolean>();
                blocked(sent, () -> actor.sendMessage(2));
                time.advance(Duration.ofSeconds(5).minusNanos(1));
                assertThat(sent).isNotDone();
                time.advance(Duration.ofNanos(1));
                assertThat(Waits.on(sent)).isFalse();
                var asked = new CompletableFuture<Boolean>();
                blocked(asked,
                        () -> Waits.failure(actor.sendMessageReturn(3)) instanceof MailboxFullException full
                                && full.getMessage().contains("no place was free in time"));
                time.advance(Duration.ofSeconds(5));
                assertThat(Waits.on(asked)).isTrue();
                var hurried = new CompletableFuture<Boolean>();
                blocked(hurried, () -> actor.ask(4, Duration.ofSeconds(1)).isDone());
                time.advance(Duration.ofSeconds(1));
                assertThat(Waits.on(hurried)).as("the ask's own limit").isTrue();
                gate.open();
            }
        }
        assertThat(recorder.of(Undelivered.class)).hasSizeBetween(2, 3).extracting(Undelivered::cause)
                .containsOnly(Cause.BLOCK_TIMEOUT);
    }

    @Promise("24.2")
    @EveryStrategy
    void theEndOfTheActorOrOfTheScopeEndsTheWaitForRoom(Strategy strategy) throws Exception {
        var scope = scope(strategy, ONE.overflow(OverflowPolicy.block(LONG)));
        var actor = scope.anonymous().newActor((Integer n) -> {
        });
        var other = scope.anonymous().onExit(() -> {
        }).newActor((Integer n) -> {
        });
        var third = scope.anonymous().newActor((Integer n) -> {
        });
        try (var gate = Gate.in(actor)) {
            actor.sendMessage(1);
            var toOther = new CompletableFuture<Boolean>();
            var toThird = new CompletableFuture<Boolean>();
            var toActor = new CompletableFuture<Boolean>();
            blocked(toActor, () -> actor.sendMessage(2));
            blocked(toOther, () -> other.sendMessage(3));
            blocked(toThird, () -> third.sendMessage(4));
            third.askExit();
            assertThat(Waits.on(toThird)).isFalse();
            other.askExit();
            assertThat(Waits.on(toOther)).isFalse();
            assertThat(toActor).isNotDone();
            var closed = CompletableFuture.runAsync(() -> scope.stop(LONG));
            assertThat(Waits.on(toActor)).isFalse();
            gate.open();
            Waits.on(closed);
        }
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsExactly(Cause.STOPPED, Cause.STOPPED, Cause.CLOSING);
        assertThat(EngineProbe.placesTaken(scope)).isZero();
    }

    @Promise("24.2")
    @EveryStrategy
    void whoIsInterruptedWhileItWaitsForRoomIsRefused(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.block(LONG)))) {
            var actor = scope.anonymous().newActor((Integer n) -> {
            });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                var sent = new CompletableFuture<Boolean>();
                blocked(sent, () -> !actor.sendMessage(2) && Thread.currentThread().isInterrupted())
                        .interrupt();
                assertThat(Waits.on(sent)).as("refused, and its flag is set").isTrue();
                gate.open();
            }
        }
        assertThat(recorder.only(Undelivered.class).cause()).isEqualTo(Cause.SENDER_INTERRUPTED);
    }

    @Promise("24.2")
    @EveryStrategy
    void anActorOfTheScopeDoesNotWaitForWhatItMayHaveToMake(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ONE.overflow(OverflowPolicy.block(LONG)))) {
            var inner = scope.child("inner").open();
            var sink = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var worker = Stereotypes.with(inner.anonymous())
                    .workersWithReturn((Integer n) -> sink.sendMessage(n));
            var results = new CompletableFuture<String>();
            var source = inner.anonymous().<Integer>newActor((context, n) -> {
                if (n == 0) {
                    var first = context.self().sendMessage(1);
                    var text = Waits.failure(sink.sendMessageReturn(3)).getMessage();
                    results.complete(
                            first + " " + context.self().sendMessage(2) + " " + sink.sendMessage(2) + " "
                                    + text.contains("an actor of that scope cannot wait"));
                }
            });
            CompletableFuture.runAsync(() -> source.sendMessage(0));
            assertThat(Waits.on(results)).isEqualTo("true false false true");
            await().until(() -> EngineProbe.placesTaken(scope) == 0);
            try (var gate = Gate.in(sink)) {
                var asked = worker.sendMessageReturn(1);
                assertThat(Waits.on(asked)).as("from a worker, while there is room").isTrue();
                gate.open();
            }
        }
        assertThat(recorder.of(Undelivered.class)).hasSize(3).extracting(Undelivered::cause)
                .containsOnly(Cause.BLOCK_CYCLE);
    }

    @Promise("4.6")
    @Test
    void aPoolGoesOnWhileAnActorWaitsForRoomInAScope() throws Exception {
        var pool = CreationStrategy.pool(1);
        try (var scope = scope(Strategy.FIBERS, ONE.overflow(OverflowPolicy.block(LONG)));
                var outside = ActorSystem.configure("outside").strategy(pool).listener(recorder).open()) {
            var target = scope.named("target").newActor((Integer n) -> {
            });
            try (var gate = Gate.in(target)) {
                target.sendMessage(1);
                outside.named("source").newActor((Integer n) -> target.sendMessage(n)).sendMessage(2);
                var other = outside.anonymous().newActorWithReturn((Integer n) -> n);
                assertThat(Waits.on(other.sendMessageReturn(3))).as("on a spare thread").isEqualTo(3);
                gate.open();
            }
        }
        assertThat(recorder.of(Undelivered.class)).isEmpty();
    }

    @Promise("24.1")
    @EveryStrategy
    void whatWaitsForAWorkerToBeginCountsAsWaiting(Strategy strategy) throws Exception {
        try (var scope = scope(strategy, ScopeLimits.none().waiting(3).running(1))) {
            var release = new CountDownLatch(1);
            var begun = new CountDownLatch(1);
            var done = new AtomicInteger();
            var workers = Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
                begun.countDown();
                release.await();
                done.incrementAndGet();
            });
            var first = Thread.startVirtualThread(() -> workers.sendMessage(0));
            Waits.on(begun);
            var accepted = 0;
            for (int i = 0; i < 20; i++) {
                accepted += workers.sendMessage(i) ? 1 : 0;
            }
            assertThat(accepted).isEqualTo(3);
            release.countDown();
            Waits.on(first);
            await().until(() -> done.get() == 4 && EngineProbe.placesTaken(scope) == 0);
        }
    }
}
