package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
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
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

@BugClass(10)
class AskToTheDyingTest {
    private static final int ASKS = 10;
    private static final int ROUNDS = 200;

    private final CountDownLatch handling = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @EveryStrategy
    void queuedAsksAreToldOfAnExit(Strategy strategy) throws Exception {
        assertTold(strategy, builder -> builder, actor -> {
            actor.askExit();
            release.countDown();
        }, "EXIT");
    }

    @EveryStrategy
    void queuedAsksAreToldOfAForcedStop(Strategy strategy) throws Exception {
        assertTold(strategy, builder -> builder, actor -> actor.stop(Duration.ZERO), "FORCED");
    }

    @EveryStrategy
    void queuedAsksAreToldOfAFailure(Strategy strategy) throws Exception {
        assertTold(strategy, builder -> builder.onFailure(FailurePolicy.stop()), actor -> release.countDown(),
                "FAILURE");
    }

    private void assertTold(Strategy strategy, UnaryOperator<ActorBuilder> settings,
            Consumer<Actor<?, ?>> stop, String reason) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = settings.apply(scope.named("mortal")).newActorWithReturn((Integer n) -> {
                handling.countDown();
                Waits.on(release);
                if (n == 0) {
                    throw new IllegalStateException("the first one fails");
                }
                return n;
            });
            Thread.ofVirtual().start(() -> actor.sendMessage(0));
            Waits.on(handling);
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int n = 1; n <= ASKS; n++) {
                answers.add(n % 2 == 0 ? actor.sendMessageReturn(n)
                        : actor.ask(n, Duration.ofHours(1)));
            }
            var code = actor.execFuture(() -> "code");
            stop.accept(actor);

            for (var answer : answers) {
                assertThat(Waits.failure(answer)).isInstanceOf(ActorStoppedException.class)
                        .hasMessageContainingAll("'mortal'", "stopped");
            }
            assertThat(Waits.failure(code)).isInstanceOf(ActorStoppedException.class);
            Waits.stopped(actor);
            assertThat(Waits.failure(actor.sendMessageReturn(1))).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining(reason);
        }
    }

    @EveryStrategy
    void everyAskThatRacesWithTheStopCompletes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
                var answers = new CompletableFuture<List<CompletableFuture<Integer>>>();
                var asker = Thread.ofVirtual().start(() -> {
                    var made = new ArrayList<CompletableFuture<Integer>>();
                    for (int n = 0; n < ASKS; n++) {
                        made.add(actor.ask(n, Duration.ofHours(1)));
                    }
                    answers.complete(made);
                });
                if (round % 2 == 0) {
                    actor.askExit();
                } else {
                    actor.sendPoisonPill();
                }
                for (var answer : Waits.on(answers)) {
                    assertCompletes(answer);
                }
                Waits.on(asker);
            }
        }
    }

    private static void assertCompletes(CompletableFuture<Integer> answer) throws Exception {
        try {
            Waits.on(answer);
        } catch (ExecutionException stopped) {
            assertThat(stopped).hasCauseInstanceOf(ActorStoppedException.class);
        }
    }
}
