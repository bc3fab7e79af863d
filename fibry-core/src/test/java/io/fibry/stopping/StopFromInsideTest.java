package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@BugClass(22)
class StopFromInsideTest {
    private interface Ending {
        void end(Actor<?, ?> actor, ActorScope scope);
    }

    private static final Map<String, Ending> ENDINGS = Map.of(
            "askExit", (actor, scope) -> actor.askExit(),
            "sendPoisonPill", (actor, scope) -> actor.sendPoisonPill(),
            "stop", (actor, scope) -> actor.stop(Duration.ofHours(1)),
            "close", (actor, scope) -> actor.close(),
            "waitForExit", (actor, scope) -> waitForExit(actor),
            "scope.close", (actor, scope) -> scope.close(),
            "scope.stop", (actor, scope) -> scope.stop(Duration.ofHours(1)));

    private static void waitForExit(Actor<?, ?> actor) {
        actor.askExit();
        try {
            actor.waitForExit();
        } catch (IllegalStateException expected) {
            assertThat(expected).hasMessageContaining(actor.name());
        }
    }

    private interface Setting {
        /** Makes an actor and sees to it that the ending happens in it; completed after that. */
        Actor<String, Void> make(ActorScope scope, Ending ending, CompletableFuture<Void> ended);
    }

    private static void assertEnds(Strategy strategy, Setting setting) throws Exception {
        for (var ending : ENDINGS.values()) {
            var ended = new CompletableFuture<Void>();
            var actor = new CompletableFuture<Actor<String, Void>>();
            var test = Thread.ofVirtual().start(() -> {
                try (var scope = Scopes.on(strategy)) {
                    actor.complete(setting.make(scope, ending, ended));
                    Waits.on(ended);
                } catch (Exception e) {
                    actor.completeExceptionally(e);
                }
            });
            Waits.on(ended);
            Waits.stopped(Waits.on(actor));
            Waits.on(test);
        }
    }

    private static void end(Ending ending, Actor<?, ?> actor, ActorScope scope,
            CompletableFuture<Void> ended) {
        try {
            ending.end(actor, scope);
            ended.complete(null);
        } catch (Throwable unexpected) {
            ended.completeExceptionally(unexpected);
        }
    }

    @EveryStrategy
    void aHandlerMayEndItsActor(Strategy strategy) throws Exception {
        assertEnds(strategy, (scope, ending, ended) -> {
            var actor = scope.anonymous().<String>newActor(
                    (context, message) -> end(ending, context.self(), scope, ended));
            actor.sendMessage("end");
            return actor;
        });
    }

    @EveryStrategy
    void anExitHookMayEndItsActor(Strategy strategy) throws Exception {
        assertEnds(strategy, (scope, ending, ended) -> {
            var self = new AtomicReference<Actor<String, Void>>();
            self.set(scope.anonymous().onExit(() -> end(ending, self.get(), scope, ended))
                    .newActor((String message) -> {
                    }));
            self.get().askExit();
            return self.get();
        });
    }

    @EveryStrategy
    void aListenerThatHearsOfAFailureMayEndTheActor(Strategy strategy) throws Exception {
        assertEnds(strategy, (scope, ending, ended) -> {
            var self = new AtomicReference<Actor<String, Void>>();
            scope.listen(event -> {
                if (event instanceof Failed) {
                    end(ending, self.get(), scope, ended);
                }
            });
            self.set(scope.anonymous().newActor((String message) -> {
                throw new IllegalArgumentException(message);
            }));
            self.get().sendMessage("fail");
            return self.get();
        });
    }

    @EveryStrategy
    void aListenerThatHearsOfALostMessageMayEndTheActor(Strategy strategy) throws Exception {
        assertEnds(strategy, (scope, ending, ended) -> {
            var self = new AtomicReference<Actor<String, Void>>();
            scope.listen(event -> {
                if (event instanceof Undelivered) {
                    end(ending, self.get(), scope, ended);
                }
            });
            self.set(scope.anonymous().<String>newActor((context, message) -> {
                context.self().sendMessage("too late");
                context.askExit();
            }));
            self.get().sendMessage("stop");
            return self.get();
        });
    }

    /** An idle actor ends on the thread that stops it, which is not inside the actor. */
    @ParameterizedTest
    @ValueSource(strings = {"askExit", "sendPoisonPill", "stop", "close", "waitForExit", "scope.close"})
    void aListenerThatHearsOfTheEndOfAnIdleActorMayEndItAgain(String ending) throws Exception {
        var ended = new CompletableFuture<Void>();
        var self = new AtomicReference<Actor<String, Void>>();
        var scope = Scopes.configure().open();
        scope.listen(event -> {
            if (event instanceof Stopped) {
                end(ENDINGS.get(ending), self.get(), scope, ended);
            }
        });
        self.set(scope.anonymous().newActor((String message) -> {
        }));
        var stopper = Thread.ofVirtual().start(self.get()::askExit);

        Waits.on(ended);
        Waits.on(stopper);
        Waits.stopped(self.get());
        scope.close();
    }
}
