package io.fibry.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Keyed actors that are made with the builder of a child. */
class KeyedChildTest {
    @Promise("19.15")
    @EveryStrategy
    void theyStopWithTheirParent(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var made = new CompletableFuture<KeyedActors<Integer, Integer, Void>>();
            var ended = new CompletableFuture<Boolean>();
            var parent = scope.anonymous().onExit(() -> ended.complete(made.join().sendMessage(2)))
                    .newActor(
                            (ActorContext<Integer, Void> context, Integer n) -> made.complete(context.child()
                                    .keyed((Integer key) -> key).newActorsFrom(key -> (inner, m) -> {
                                    })));
            parent.sendMessage(1);
            var keyed = Waits.on(made);
            assertThat(keyed.sendMessage(1)).isTrue();
            assertThat(parent.stop(Duration.ofSeconds(20)))
                    .matches(report -> report.stopped() && !report.forced());
            assertThat(Waits.on(ended)).as("taken by the keyed actors in the parent's hook").isFalse();
            assertThat(keyed.live()).isZero();
        }
    }

    @Promise("19.15")
    @EveryStrategy
    void theirParentGoesOnWithoutThem(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var made = new CompletableFuture<KeyedActors<Integer, Integer, Void>>();
            var parent = scope.anonymous()
                    .newActor(
                            (ActorContext<Integer, Void> context, Integer n) -> made.complete(context.child()
                                    .keyed((Integer key) -> key).newActorsFrom(key -> (inner, m) -> {
                                    })));
            parent.sendMessage(1);
            Waits.on(made).close();
            parent.execAndWait(() -> {
            });
            assertThat(parent.stop(Duration.ofSeconds(20)).stopped()).isTrue();
        }
    }
}
