package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.BusyCarriers;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many asks with limits at a time, of all kinds and by the system's clock. */
class LimitsUnderLoadTest {
    private static final int ASKERS = 6;
    private static final int ASKS = 250;
    private static final int MESSAGES = 10_000;

    private final AtomicInteger early = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger late = new AtomicInteger();

    /** Each ask has one outcome, none comes too early, the counters add up, and nothing is left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachAskHasOneOutcome(boolean byCallers) throws Exception {
        var scope = Scopes.configure().strategy(CreationStrategy.fibers()).open();
        try (scope) {
            var actors = new ArrayList<Actor<Long, Long>>();
            for (int i = 0; i < 3; i++) {
                var builder = byCallers ? scope.anonymous().runByCallers() : scope.anonymous();
                actors.add(
                        (i == 0 ? builder.interruptOnCancel() : builder).newActorWithReturn((Long nanos) -> {
                            work(nanos);
                            return nanos;
                        }));
            }
            var askers = new ArrayList<CompletableFuture<Void>>();
            for (int n = 0; n < ASKERS; n++) {
                var random = new SplittableRandom(n);
                Runnable asking = () -> ask(actors, random);
                askers.add(switch (n % 3) {
                    case 0 -> run(Thread.ofPlatform(), asking);
                    case 1 -> run(Thread.ofVirtual(), asking);
                    default -> inActor(scope, asking);
                });
            }
            for (var asker : askers) {
                Waits.on(asker);
            }
            var offered = (long) ASKERS * ASKS;
            Waits.until("all have met a fate",
                    () -> actors.stream().mapToLong(actor -> actor.counters().total()).sum() == offered);
            Waits.until("all have one outcome", () -> answered.get() + late.get() == offered);
            assertThat(early).hasValue(0);
            assertThat(twice).hasValue(0);
            assertThat(answered).hasPositiveValue();
            assertThat(late).hasPositiveValue();
            Waits.until("no limit is left", () -> EngineProbe.pendingTimers() == 0);
        }
    }

    private static CompletableFuture<Void> run(Thread.Builder builder, Runnable code) {
        var done = new CompletableFuture<Void>();
        builder.start(() -> {
            try {
                code.run();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    private static CompletableFuture<Void> inActor(ActorScope scope, Runnable code) {
        var asker = scope.anonymous().newActorWithReturn((String go) -> {
            code.run();
            return go;
        });
        return asker.sendMessageReturn("go").thenAccept(went -> asker.sendPoisonPill());
    }

    private static void work(long nanos) {
        if (nanos % 3 == 0) {
            LockSupport.parkNanos(nanos); // the handler blocks
        } else {
            var end = System.nanoTime() + nanos / 4;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void ask(List<Actor<Long, Long>> actors, SplittableRandom random) {
        for (int i = 0; i < ASKS; i++) {
            var actor = actors.get(random.nextInt(actors.size()));
            var message = random.nextInt(4) == 0 ? random.nextLong(2_000_000) : random.nextLong(20_000);
            var limit = 1 + random.nextLong(random.nextInt(3) == 0 ? 50_000 : 3_000_000);
            var begun = System.nanoTime();
            var answer = actor.ask(message, Duration.ofNanos(limit));
            var outcomes = new AtomicInteger();
            switch (random.nextInt(4)) {
                case 0 -> answer.whenComplete((value, failure) -> record(failure, begun, limit, outcomes));
                case 1 -> {
                    try {
                        answer.join();
                        record(null, begun, limit, outcomes);
                    } catch (CompletionException e) {
                        record(e.getCause(), begun, limit, outcomes);
                    }
                }
                case 2 -> {
                    try {
                        answer.get();
                        record(null, begun, limit, outcomes);
                    } catch (ExecutionException e) {
                        record(e.getCause(), begun, limit, outcomes);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                default -> CompletableFuture.anyOf(answer)
                        .whenComplete((value, failure) -> record(failure, begun, limit, outcomes));
            }
        }
    }

    private void record(Throwable failure, long begun, long limit, AtomicInteger outcomes) {
        var elapsed = System.nanoTime() - begun;
        if (outcomes.incrementAndGet() > 1) {
            twice.incrementAndGet();
        }
        var cause = failure instanceof CompletionException wrapper ? wrapper.getCause() : failure;
        if (cause == null) {
            answered.incrementAndGet();
        } else {
            assertThat(cause).isInstanceOf(AskTimeoutException.class);
            early.addAndGet(elapsed < limit ? 1 : 0);
            late.incrementAndGet();
        }
    }

    /** The callbacks hold up neither one another nor what else waits for its time. */
    @Promise("20.10")
    @Test
    void callbacksThatBlockHoldUpNothing() throws Exception {
        var open = new CountDownLatch(1);
        var scope = Scopes.configure().strategy(CreationStrategy.fibers()).open();
        try {
            var stuck = scope.anonymous().newActorWithReturn((Integer n) -> {
                Waits.on(open);
                return n;
            });
            var called = new CountDownLatch(MESSAGES / 100);
            var here = Thread.currentThread(); // runs the callbacks of asks whose time is over already
            var last = new CompletableFuture<Integer>();
            for (int i = 0; i < MESSAGES; i++) {
                last = stuck.ask(i, Duration.ofMillis(20));
                if (i % 100 == 0) {
                    last.whenComplete((value, failure) -> {
                        called.countDown();
                        if (Thread.currentThread() != here) {
                            awaitQuietly(open);
                        }
                    });
                }
            }
            var innocent = new CountDownLatch(1);
            EngineProbe.systemTimer(Duration.ofMillis(20), innocent::countDown);
            Waits.on(innocent);
            Waits.on(called);
            assertThat(Waits.failure(last)).isInstanceOf(AskTimeoutException.class);
            assertThat(last.isDone()).isTrue();
        } finally {
            open.countDown();
            scope.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A reader sees that the time is over although no carrier is free to tell. */
    @Promise("5.3")
    @Test
    void whatIsOverIsDoneWithoutAFreeCarrier() throws Exception {
        var open = new CountDownLatch(1);
        var scope = Scopes.configure().strategy(CreationStrategy.threads()).open();
        try {
            var stuck = scope.anonymous().newActorWithReturn((Integer n) -> {
                Waits.on(open);
                return n;
            });
            stuck.sendMessage(0);
            BusyCarriers.during(() -> {
                var answer = stuck.ask(1, Duration.ofMillis(30));
                Waits.until("it is over", answer::isDone);
                assertThat(answer.isCompletedExceptionally()).isTrue();
                assertThat(answer.exceptionNow()).isInstanceOf(AskTimeoutException.class);
                assertThat(answer.state()).isEqualTo(Future.State.FAILED);
            });
        } finally {
            open.countDown();
            scope.close();
        }
    }

    /** The asker runs the actor itself; its limit holds, and it learns of it when the handler has ended. */
    @Promise("5.3")
    @Test
    void anAskerThatRunsTheActorLearnsOfItsLimitWhenTheHandlerEnds() throws Exception {
        try (var scope = Scopes.configure().strategy(CreationStrategy.fibers()).open()) {
            var failed = new CompletableFuture<Throwable>();
            var slow = scope.anonymous().runByCallers().newActorWithReturn((String m) -> {
                assertThat(Waits.on(failed)).isInstanceOf(AskTimeoutException.class);
                return m;
            });
            var asker = scope.anonymous().newActorWithReturn((String m) -> {
                var answer = slow.ask(m, Duration.ofMillis(5));
                answer.whenComplete((value, failure) -> failed.complete(failure));
                try {
                    return answer.get();
                } catch (ExecutionException e) {
                    return e.getCause();
                }
            });
            assertThat(asker.sendMessageReturn("go").get()).isInstanceOf(AskTimeoutException.class);
        }
    }
}
