package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.AskCycleException;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

class CyclesTest {
    /** A way to ask and wait. */
    @FunctionalInterface
    private interface Ask {
        Integer of(Actor<Integer, Integer> actor, int n) throws Exception;
    }

    private static final List<Ask> WAYS = List.of(Actor::apply,
            (actor, n) -> actor.sendMessageReturn(n).get(),
            (actor, n) -> actor.sendMessageReturn(n).join(),
            (actor, n) -> actor.sendMessageReturn(n).get(1, TimeUnit.HOURS),
            (actor, n) -> actor.ask(n, Duration.ofHours(1)).get(),
            (actor, n) -> actor.sendMessageReturnWait(n),
            (actor, n) -> actor.sendMessageReturn(n).thenApply(m -> m + 1).join());

    private static final List<Ask> WAYS_TO_RUN_CODE = List.of((actor, n) -> {
        actor.execAndWait(() -> {
        });
        return n;
    }, (actor, n) -> actor.execFuture(() -> n).get());

    private static Throwable root(Throwable failure) {
        return failure.getCause() == null ? failure : root(failure.getCause());
    }

    private static void awaitItsWaiting(Thread thread) {
        Patience.spin(thread + " waits", () -> thread == Thread.currentThread()
                || thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
    }

    /** The first handler asks the next, and so on; the last one asks the first. */
    private static Throwable failureOfCircle(Strategy strategy, int size, Ask way) throws Exception {
        var first = new CompletableFuture<Throwable>();
        try (var scope = Scopes.on(strategy)) {
            var ring = new ArrayList<Actor<Integer, Integer>>();
            var handled = new AtomicInteger();
            var threads = new CopyOnWriteArrayList<Thread>();
            for (int i = 0; i < size; i++) {
                var next = (i + 1) % size;
                ring.add(scope.named("a" + i).newActorWithReturn((Integer n) -> {
                    handled.incrementAndGet();
                    if (next == 0) {
                        threads.forEach(CyclesTest::awaitItsWaiting); // so this one closes the circle
                    }
                    threads.add(Thread.currentThread());
                    try {
                        return way.of(ring.get(next), n + 1);
                    } catch (Exception e) {
                        first.complete(root(e));
                        throw e;
                    }
                }));
            }
            ring.getFirst().sendMessageReturn(0);
            var failure = Waits.on(first);
            ring.forEach(Actor::close);
            assertThat(handled).as("the ask that closed the circle is skipped").hasValue(size);
            return failure;
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void anActorThatWouldWaitForItselfIsToldAtOnce(Strategy strategy) throws Exception {
        for (var way : WAYS) {
            assertThat(failureOfCircle(strategy, 1, way)).isInstanceOf(AskCycleException.class)
                    .hasMessageContaining("'a0' -> 'a0'");
        }
        for (var way : WAYS_TO_RUN_CODE) {
            assertThat(failureOfCircle(strategy, 1, way)).isInstanceOf(AskCycleException.class);
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void alsoThroughOthersAndTheCircleIsSpelledOut(Strategy strategy) throws Exception {
        for (var way : WAYS) {
            assertThat(failureOfCircle(strategy, 2, way)).isInstanceOf(AskCycleException.class)
                    .hasMessageContaining("'a1' -> 'a0' -> 'a1'");
        }
        assertThat(failureOfCircle(strategy, 5, Actor::apply)).isInstanceOf(AskCycleException.class)
                .hasMessageContaining("'a4' -> 'a0' -> 'a1' -> 'a2' -> 'a3' -> 'a4'");
    }

    @Promise("11.1")
    @EveryStrategy
    void circlesThatSeveralCloseTogetherAreFoundToo(Strategy strategy) throws Exception {
        for (int round = 0; round < 100; round++) {
            try (var scope = Scopes.on(strategy)) {
                var size = 3;
                var ring = new ArrayList<Actor<Integer, Integer>>();
                for (int i = 0; i < size; i++) {
                    var next = (i + 1) % size;
                    ring.add(scope.anonymous().newActorWithReturn(
                            (Integer n) -> n == 0 ? 0 : ring.get(next).apply(n - 1)));
                }
                // All start at the same time; if nobody notices, all wait for ever.
                Senders.run(size, sender -> Waits.on(
                        ring.get(sender).sendMessageReturn(size).handle((value, failure) -> true)));
            }
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void manyThatWaitWithoutACircleAreNeverTakenForOne(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var size = 6;
            var actors = new ArrayList<Actor<Integer, Integer>>();
            for (int i = 0; i < size; i++) {
                var self = i;
                // Each asks those after it only.
                actors.add(scope.named("a" + i).newActorWithReturn((Integer n) -> {
                    var target = self + 1 + n % 3;
                    return target < size ? actors.get(target).apply(n / 2) + 1 : 0;
                }));
            }
            Senders.run(4, sender -> {
                for (int i = 0; i < 1_000; i++) {
                    actors.get((i + sender) % size).sendMessageReturn(i).get();
                }
            });
        }
    }

    @Promise("11.1")
    @EveryStrategy
    void whoWaitsForALaterStageOfAnAnswerNoLongerWaitsForItsActor(Strategy strategy) throws Exception {
        var bDone = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var later = new CompletableFuture<Integer>();
            var b = scope.named("b").newActorWithReturn((Integer n) -> n);
            var a = scope.named("a").newActorWithReturn((Integer n) -> {
                if (n > 0) {
                    return n;
                }
                var stage = b.sendMessageReturn(1).thenCompose(value -> {
                    bDone.countDown();
                    return later; // b has answered; this is somebody else's
                });
                return stage.join();
            });
            var first = new CompletableFuture<Integer>();
            Thread.startVirtualThread(() -> first.completeAsync(() -> a.apply(0)));
            Waits.on(bDone);
            var second = new CompletableFuture<Object>();
            var asking = new CountDownLatch(1);
            Thread.startVirtualThread(() -> b.execAsync(() -> {
                var answer = a.sendMessageReturn(5);
                asking.countDown();
                second.complete(answer.handle((value, failure) -> failure == null ? value : failure).join());
            }));
            Waits.on(asking);
            // b waits for a, and a waits for the later stage; no circle.
            Patience.spin("b's question is asked", () -> a.mailboxSize() > 0 || second.isDone());
            later.complete(2);
            assertThat(Waits.on(second)).isEqualTo(5);
            assertThat(Waits.on(first)).isEqualTo(2);
        }
    }
}
