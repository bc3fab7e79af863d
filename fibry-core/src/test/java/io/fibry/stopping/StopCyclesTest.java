package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.AskCycleException;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/**
 * An actor stops another one that waits for it. Nothing moves the clock of the scopes, so no deadline helps an actor that waits
 * for itself.
 */
class StopCyclesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final CompletableFuture<Throwable> refused = new CompletableFuture<>();
    private final CompletableFuture<Thread> asking = new CompletableFuture<>();

    /** Lets an actor do something to another one that waits for its answer; returns what the handler returns. */
    private <T> T whileAsked(ActorScope scope, ActorScope inner, Function<Actor<Integer, Integer>, T> code)
            throws Exception {
        var asked = scope.named("asked").newActorWithReturn((Integer n) -> n);
        var asker = inner.named("asker")
                .newActorWithReturn((Integer n) -> {
                    asking.complete(Thread.currentThread());
                    try {
                        return asked.sendMessageReturn(n).join();
                    } catch (CompletionException e) {
                        refused.complete(e.getCause());
                        throw e;
                    }
                });
        var result = new CompletableFuture<T>();
        Thread.startVirtualThread(() -> asked.execAsync(() -> {
            Thread.startVirtualThread(() -> asker.sendMessage(1));
            Waits.until("the ask waits", () -> asked.mailboxSize() == 1);
            Waits.parked(asking.join());
            try {
                result.complete(code.apply(asker));
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        }));
        return Waits.on(result);
    }

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, new ManualTime());
    }

    private void assertRefused() throws Exception {
        assertThat(Waits.on(refused)).isInstanceOf(AskCycleException.class).hasMessageContaining("'asker'")
                .hasMessageContaining("'asked'");
    }

    @Promise({"11.1", "9.6"})
    @EveryStrategy
    void anActorStopsOneThatWaitsForIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var report = whileAsked(scope, scope, asker -> asker.stop(LONG));
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isFalse();
            assertRefused();
        }
    }

    @Promise({"11.1", "9.6"})
    @EveryStrategy
    void anActorClosesOneThatWaitsForIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            whileAsked(scope, scope, asker -> {
                asker.close();
                return true;
            });
            assertRefused();
        }
    }

    @Promise({"11.1", "9.6", "25.1"})
    @EveryStrategy
    void anActorStopsAScopeWithAnActorThatWaitsForIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var other = scope(strategy)) {
            var report = whileAsked(scope, other, asker -> other.stop(LONG));
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isFalse();
            assertRefused();
        }
    }

    /** This wait stops nothing, so the wait itself is refused. */
    @Promise("11.1")
    @EveryStrategy
    void anActorWaitsForTheEndOfOneThatWaitsForIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var text = whileAsked(scope, scope, asker -> {
                try {
                    asker.waitForExit();
                    return "it has waited";
                } catch (AskCycleException e) {
                    return e.getMessage();
                }
            });
            assertThat(text).contains("would wait for itself", "'asker'", "'asked'");
        }
    }

    /** There is no ask that could fail, so one of them is interrupted. */
    @Promise({"11.1", "9.6"})
    @EveryStrategy
    void twoActorsThatStopEachOtherEnd(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var other = scope(strategy)) {
            var both = new CountDownLatch(2);
            var first = new CompletableFuture<Actor<Integer, Void>>();
            var second = other.named("second").newActor((Integer n) -> {
                both.countDown();
                both.await();
                first.join().stop(LONG);
            });
            first.complete(scope.named("first").newActor((Integer n) -> {
                both.countDown();
                both.await();
                second.stop(LONG);
            }));
            Thread.startVirtualThread(() -> first.join().sendMessage(1));
            second.sendMessage(1);
            Waits.until("both have ended",
                    () -> first.join().state() == ActorState.STOPPED && second.state() == ActorState.STOPPED);
        }
    }
}
