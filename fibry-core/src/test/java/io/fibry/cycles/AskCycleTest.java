package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.Stereotypes;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

@BugClass(12)
class AskCycleTest {
    /** How an actor waits for another one of its ring. */
    private interface Ask {
        Object ask(Ring ring, int other) throws Exception;
    }

    /** Actors of which each waits for the next one, and the last for the first. */
    private static final class Ring {
        private final List<Actor<String, Object>> actors = new ArrayList<>();
        private final Ask ask;

        Ring(ActorScope scope, int length, Ask ask) {
            this.ask = ask;
            for (int i = 0; i < length; i++) {
                var self = i;
                actors.add(scope.named("actor-" + i).newActorWithReturn((String message) -> goOnFrom(self)));
            }
        }

        Object goOnFrom(int actor) throws Exception {
            return ask.ask(this, (actor + 1) % actors.size());
        }

        CompletableFuture<Object> sendTo(int actor) {
            return actors.get(actor).sendMessageReturn("go on");
        }
    }

    @EveryStrategy
    void anAskOfOneselfFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 1, (ring, other) -> ring.sendTo(other).get());
    }

    @EveryStrategy
    void aCycleOfTwoFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 2, (ring, other) -> ring.actors.get(other).sendMessageReturnWait("go on"));
    }

    @EveryStrategy
    void aCycleOfThreeFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 3, (ring, other) -> ring.sendTo(other).join());
    }

    @EveryStrategy
    void aCycleOfFiveFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 5, (ring, other) -> ring.actors.get(other).apply("go on"));
    }

    @EveryStrategy
    void aCycleThroughDerivedFuturesFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 3,
                (ring, other) -> ring.sendTo(other).thenApply(a -> a).thenApply(a -> a).get());
    }

    @EveryStrategy
    void aCycleOfTimedWaitsFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 2, (ring, other) -> ring.sendTo(other).get(1, TimeUnit.HOURS));
    }

    @EveryStrategy
    void aCycleOfTimedAsksFailsAtOnce(Strategy strategy) throws Exception {
        assertCycle(strategy, 2,
                (ring, other) -> ring.actors.get(other).ask("go on", Duration.ofHours(1))
                        .get());
    }

    @EveryStrategy
    void aCycleThroughExecutedCodeFailsAtOnce(Strategy strategy) throws Exception {
        Ask execute = (ring, other) -> {
            var answer = new AtomicReference<Object>();
            ring.actors.get(other).execAndWait(() -> answer.set(ring.goOnFrom(other)));
            return answer.get();
        };
        assertCycle(strategy, 1, execute);
        assertCycle(strategy, 2, execute);
    }

    private static void assertCycle(Strategy strategy, int length, Ask ask) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var ring = new Ring(scope, length, ask);
            var cycle = rootCause(Aside.run(() -> ring.sendTo(0).get()));
            assertThat(cycle).isInstanceOf(AskCycleException.class);
            for (var actor : ring.actors) {
                assertThat(cycle).hasMessageContaining("'" + actor.name() + "'");
            }
        }
    }

    private static Throwable rootCause(CompletableFuture<?> outcome) throws Exception {
        var cause = Waits.failure(outcome);
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    @EveryStrategy
    void aCycleThroughAWorkerFailsAtOnce(Strategy strategy) throws Exception {
        assertWorkerCycle(strategy, answer -> answer);
    }

    @EveryStrategy
    void aCycleThroughAWorkerAndADerivedFutureFailsAtOnce(Strategy strategy) throws Exception {
        assertWorkerCycle(strategy, answer -> answer.thenApply(a -> a));
    }

    private interface Derivation {
        CompletableFuture<String> of(CompletableFuture<String> answer);
    }

    private static void assertWorkerCycle(Strategy strategy, Derivation derivation) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var asker = new AtomicReference<Actor<String, String>>();
            var waits = new CountDownLatch(1);
            var workers = Stereotypes.with(scope.anonymous()).<String, String>workersWithReturn(message -> {
                if (strategy.isAsync()) {
                    Waits.on(waits);
                }
                return asker.get().apply(message);
            });
            asker.set(scope.anonymous().newActorWithReturn((String message) -> {
                var answer = derivation.of(workers.sendMessageReturn(message));
                waits.countDown(); // or is about to
                return answer.get();
            }));
            assertThat(rootCause(Aside.run(() -> asker.get().sendMessageReturn("go").get())))
                    .isInstanceOf(AskCycleException.class);
        }
    }
}
