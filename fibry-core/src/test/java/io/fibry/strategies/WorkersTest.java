package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.AskCycleException;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorkersTest {
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "EXECUTOR", "OWN"})
    void workersRunAtTheSameTime(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var together = new CountDownLatch(10); // each worker waits for all the others
            Actor<Integer, Integer> workers = Stereotypes.with(scope.anonymous())
                    .workersWithReturn((Integer n) -> {
                        together.countDown();
                        Waits.on(together);
                        return n;
                    });
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 10; i++) {
                answers.add(workers.sendMessageReturn(i));
            }
            for (int i = 0; i < 10; i++) {
                assertThat(Waits.on(answers.get(i))).isEqualTo(i);
            }
        }
    }

    @EveryStrategy
    void eachMessageIsWorkedOnOnceAndTheStopWaits(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var done = new AtomicInteger();
            Actor<Integer, Void> workers = Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
                Thread.yield();
                done.incrementAndGet();
            });
            Senders.run(4, sender -> {
                for (int i = 0; i < 100; i++) {
                    assertThat(workers.sendMessage(i)).isTrue();
                }
            });
            workers.close();
            assertThat(done).hasValue(400);
        }
    }

    @EveryStrategy
    void aWorkersFailureIsTheAnswer(Strategy strategy) throws Exception {
        var failure = new IOException("broken");
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> workers = Stereotypes.with(scope.anonymous())
                    .workersWithReturn((Integer n) -> {
                        throw failure;
                    });
            assertThat(Waits.failure(workers.sendMessageReturn(1))).isSameAs(failure);
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Strategy.class, mode = EnumSource.Mode.EXCLUDE, names = "CALLER")
    void aForcedStopInterruptsTheWorkers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var started = new CountDownLatch(2);
            var interrupted = new CountDownLatch(2);
            Actor<Integer, Void> workers = Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
                started.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            });
            workers.sendMessage(1);
            workers.sendMessage(2);
            Waits.on(started); // on a pool of two they have both threads, and the one who is to be stopped has none
            var report = workers.stop(Duration.ofMillis(100));
            assertThat(report.forced()).isTrue();
            workers.waitForExit();
            Waits.on(interrupted);
        }
    }

    @EveryStrategy
    void circlesThroughWorkersAreFound(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var asker = new CompletableFuture<Actor<Integer, Integer>>();
            Actor<Integer, Integer> workers = Stereotypes.with(scope.named("crew"))
                    .workersWithReturn((Integer n) -> asker.join().sendMessageReturn(n).get());
            var actor = scope.named("asker")
                    .newActorWithReturn((Integer n) -> workers.sendMessageReturn(n).get());
            asker.complete(actor);
            var failure = Waits.failure(actor.sendMessageReturn(1));
            while (failure.getCause() != null) {
                failure = failure.getCause();
            }
            assertThat(failure).isInstanceOf(AskCycleException.class).hasMessageContaining("'asker'");
        }
    }
}
