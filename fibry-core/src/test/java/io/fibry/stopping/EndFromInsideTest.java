package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

class EndFromInsideTest {
    private static final List<Consumer<Actor<String, Void>>> ENDS = List.of(Actor::askExit,
            Actor::sendPoisonPill, Actor::close, actor -> actor.stop(Duration.ofHours(1)));

    @Promise("9.6")
    @EveryStrategy
    void endingOneselfFromAHandlerDoesNotWait(Strategy strategy) {
        for (var end : ENDS) {
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.anonymous().<String>newActor(
                        (context, message) -> end.accept(context.self()));
                actor.sendMessage("end");
                assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
                assertThat(actor.counters().handled()).isEqualTo(1);
            }
        }
    }

    @Promise("9.6")
    @EveryStrategy
    void endingOneselfFromAHookDoesNotWaitEither(Strategy strategy) {
        for (var end : ENDS) {
            try (var scope = Scopes.on(strategy)) {
                var self = new CompletableFuture<Actor<String, Void>>();
                var actor = scope.anonymous().onExit(() -> end.accept(self.get()))
                        .newActor((String message) -> {
                        });
                self.complete(actor);
                actor.close();
                assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
            }
        }
    }

    @Promise("9.6")
    @EveryStrategy
    void waitingForOneselfFailsAtOnce(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor =
                    scope.named("self").<String>newActor((context, message) -> context.self().waitForExit());
            actor.sendMessage("wait");
            assertThat(recorder.await(Failed.class).cause()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'self'");
            assertThatThrownBy(() -> actor.execAndWait(() -> actor.waitForExit(Duration.ofHours(1))))
                    .hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Promise({"9.6", "9.7"})
    @EveryStrategy
    void closingTheScopeFromAHandlerDoesNotWaitForThatHandler(Strategy strategy) throws Exception {
        var reports = new CompletableFuture<StopReport>();
        var scope = Scopes.on(strategy);
        var other = scope.named("other").newActor((String message) -> {
        });
        var actor = scope.named("closer").<String>newActor(
                (context, message) -> reports.complete(context.scope().stop(Duration.ofHours(1))));
        actor.sendMessage("close");
        var report = Waits.on(reports);
        assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
        assertThat(other.waitForExit(Patience.LIMIT)).isTrue();
        assertThat(report.forced()).isFalse();
        assertThat(report.stopped()).as("whether all had stopped").isFalse();
        assertThat(report.stuck()).containsExactly("closer");
    }

    @Promise({"9.6", "9.7"})
    @EveryStrategy
    void closingTheScopeFromAHookDoesNotHang(Strategy strategy) {
        var scope = Scopes.on(strategy);
        var actor = scope.anonymous().onExit(scope::close).newActor((String message) -> {
        });
        actor.askExit();
        assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
        scope.close();
    }

    @Promise({"9.6", "9.7"})
    @EveryStrategy
    void closingAnOuterScopeFromAnInnerActorDoesNotHang(Strategy strategy) {
        var outer = Scopes.on(strategy);
        ActorScope inner = outer.child("inner").open();
        var actor = inner.anonymous().newActor((String message) -> outer.close());
        actor.sendMessage("close");
        assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
        outer.close();
    }
}
