package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** What a handler throws is what its asker gets, also where a future of the JDK takes it for its own. */
class VeryExceptionTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Exception INNER = new IOException("on purpose");

    private static List<Throwable> thrown() {
        return List.of(INNER, new AssertionError("on purpose"), new CompletionException(INNER),
                new CompletionException("without a cause", null),
                new CompletionException(new CompletionException(INNER)),
                new CompletionException(new ExecutionException(INNER)), new ExecutionException(INNER),
                new ExecutionException(new CompletionException(INNER)),
                new CancellationException("not by the asker"),
                new CompletionException(new CancellationException("nor here")),
                new TimeoutException("no time-out"),
                new CompletionException(null, null) {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String toString() {
                        throw new IllegalStateException("it has no text");
                    }
                });
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> String fail(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private interface Asking {
        Object ask(Actor<Throwable, String> actor, Throwable what) throws Exception;
    }

    /** What the asker gets: whatever is thrown around it is taken off, once. */
    private static Throwable got(Asking asking, Actor<Throwable, String> actor, Throwable what) {
        try {
            return (Throwable) asking.ask(actor, what);
        } catch (ExecutionException | CompletionException e) {
            return e.getCause();
        } catch (Throwable other) {
            return new AssertionError("thrown as it is", other);
        }
    }

    private static Map<String, Asking> ways() {
        var ways = new LinkedHashMap<String, Asking>();
        ways.put("get", (actor, what) -> actor.sendMessageReturn(what).get());
        ways.put("get in time", (actor, what) -> Waits.on(actor.sendMessageReturn(what)));
        ways.put("join", (actor, what) -> actor.sendMessageReturn(what).join());
        ways.put("apply", Actor::apply);
        ways.put("wait", (actor, what) -> actor.sendMessageReturnWait(what));
        ways.put("timed get", (actor, what) -> actor.ask(what, LONG).get());
        ways.put("timed join", (actor, what) -> actor.ask(what, LONG).join());
        ways.put("exceptionNow", (actor, what) -> {
            var answer = actor.sendMessageReturn(what);
            assertThatThrownBy(() -> Waits.on(answer)).isInstanceOf(ExecutionException.class);
            assertThat(answer.isCancelled()).isFalse();
            return answer.exceptionNow();
        });
        ways.put("execAndWait", (actor, what) -> {
            actor.execAndWait(() -> fail(what));
            return null;
        });
        ways.put("execFuture", (actor, what) -> actor.execFuture(() -> fail(what)).get());
        for (var timed : List.of(false, true)) {
            var name = timed ? "timed " : "";
            var asks = timed ? (Asking) (actor, what) -> actor.ask(what, LONG)
                    : (Asking) (actor, what) -> actor.sendMessageReturn(what);
            ways.put(name + "whenComplete",
                    heard(asks, (ask, to) -> ask.whenComplete((v, t) -> to.complete(t))));
            ways.put(name + "whenCompleteAsync",
                    heard(asks, (ask, to) -> ask.whenCompleteAsync((v, t) -> to.complete(t))));
            ways.put(name + "handle", heard(asks, (ask, to) -> ask.handle((v, t) -> to.complete(t))));
            ways.put(name + "handleAsync",
                    heard(asks, (ask, to) -> ask.handleAsync((v, t) -> to.complete(t))));
            ways.put(name + "exceptionally", heard(asks, (ask, to) -> ask.exceptionally(t -> {
                to.complete(t);
                return "";
            })));
            ways.put(name + "exceptionallyCompose", heard(asks, (ask, to) -> ask.exceptionallyCompose(t -> {
                to.complete(t);
                return CompletableFuture.completedFuture("");
            })));
            ways.put(name + "stage", heard(asks, (ask, to) -> ask.thenApply(v -> v).whenComplete((v, t) -> {
                assertThat(t).isInstanceOf(CompletionException.class); // as for every other exception
                to.complete(t.getCause());
            })));
            ways.put(name + "copy",
                    (actor, what) -> ((CompletableFuture<?>) asks.ask(actor, what)).copy().get());
            ways.put(name + "composed", (actor, what) -> CompletableFuture.completedFuture(1)
                    .thenCompose(one -> future(asks, actor, what)).get());
        }
        return ways;
    }

    private interface Hearing {
        void hear(CompletableFuture<String> ask, CompletableFuture<Throwable> to);
    }

    private static Asking heard(Asking asks, Hearing hearing) {
        return (actor, what) -> {
            var heard = new CompletableFuture<Throwable>();
            hearing.hear(future(asks, actor, what), heard);
            return heard.get(Patience.MILLIS, TimeUnit.MILLISECONDS);
        };
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<String> future(Asking asks, Actor<Throwable, String> actor,
            Throwable what) {
        try {
            return (CompletableFuture<String>) asks.ask(actor, what);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, Actor<Throwable, String>> actors(ActorScope scope, Strategy strategy) {
        var actors = new LinkedHashMap<String, Actor<Throwable, String>>();
        actors.put("plain", scope.anonymous().newActorWithReturn((Throwable what) -> fail(what)));
        actors.put("contextual", scope.anonymous().newActorWithReturn((context, what) -> fail(what)));
        actors.put("made", scope.anonymous().newActorWithReturnFrom(context -> what -> fail(what)));
        actors.put("stateful", scope.anonymous().state(() -> "state")
                .newActorWithReturn((String state, Throwable what) -> fail(what)));
        actors.put("workers",
                Stereotypes.with(scope.anonymous()).workersWithReturn((Throwable what) -> fail(what)));
        if (strategy != Strategy.THREADS) {
            actors.put("by callers",
                    scope.anonymous().runByCallers().newActorWithReturn((Throwable what) -> fail(what)));
        }
        if (strategy == Strategy.FIBERS || strategy == Strategy.THREADS || strategy == Strategy.POOL) {
            actors.put("on a stand-in thread",
                    scope.anonymous().abandonStuck(LONG, LONG)
                            .newActorWithReturn((Throwable what) -> fail(what)));
        }
        return actors;
    }

    @Promise("5.1")
    @EveryStrategy
    void anAskerGetsWhatTheHandlerHasThrownInEveryWay(Strategy strategy) {
        var events = new Recorder();
        try (var scope = Scopes.on(strategy, events)) {
            for (var actor : actors(scope, strategy).entrySet()) {
                for (var way : ways().entrySet()) {
                    for (var what : thrown()) {
                        if (hasNoText(what)
                                && !way.getKey().matches(".*(whenComplete|handle|exceptionally).*")) {
                            continue; // the JDK's own exceptions ask for the text
                        }
                        assertThat(got(way.getValue(), actor.getValue(), what) == what)
                                .as("%s, %s, %s", actor.getKey(), way.getKey(), what.getClass()).isTrue();
                    }
                }
            }
        }
        assertThat(events.of(Failed.class)).isNotEmpty();
    }

    private static boolean hasNoText(Throwable what) {
        return what.getClass().isAnonymousClass();
    }

    @Promise("5.1")
    @EveryStrategy
    void soDoesAnAskerByKeyAndAHandlerThatAsks(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, event -> {
        })) {
            var keyed = scope.anonymous().keyed((Throwable what) -> 1).idle(LONG)
                    .newActorsWithReturnFrom(key -> (context, what) -> fail(what));
            var plain = scope.anonymous().newActorWithReturn((Throwable what) -> fail(what));
            var asker = scope.anonymous().<Throwable, String>newActorWithReturn((Throwable what) -> {
                assertThatThrownBy(() -> plain.sendMessageReturn(what).get()).cause().isSameAs(what);
                return plain.apply(what);
            });
            for (var what : thrown()) {
                if (!hasNoText(what)) {
                    assertThat(Waits.failure(keyed.sendMessageReturn(what))).isSameAs(what);
                    assertThat(Waits.failure(asker.sendMessageReturn(what)))
                            .isInstanceOf(CompletionException.class).cause().isSameAs(what);
                }
            }
        }
    }

    @Promise("5.1")
    @Test
    void soDoesAnHttpRoute() {
        try (var scope = Scopes.on(Strategy.FIBERS, event -> {
        })) {
            var call = (HttpCall) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[]{HttpCall.class},
                    (proxy, method, arguments) -> null);
            for (var what : thrown()) {
                if (!hasNoText(what)) {
                    var actor =
                            scope.anonymous().<HttpCall, HttpAnswer>newActorWithReturn((HttpCall ignored) -> {
                                VeryExceptionTest.<RuntimeException>fail(what);
                                throw new AssertionError("not reached");
                            });
                    assertThatThrownBy(() -> HttpRoutes.asking(actor, LONG).handle(call)).isSameAs(what);
                }
            }
        }
    }

    /** What is not a handler's is as it is in every future. */
    @Test
    void whatAnAskerDoesHimselfIsAsEver() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var actor = scope.anonymous().newActorWithReturn((Throwable what) -> fail(what));
            try (var gate = Gate.in(actor)) {
                var cancelled = actor.sendMessageReturn(INNER);
                cancelled.cancel(false);
                assertThat(cancelled.isCancelled()).isTrue();
                assertThatThrownBy(cancelled::get).isInstanceOf(CancellationException.class);
                var byHand = actor.sendMessageReturn(INNER);
                byHand.completeExceptionally(new CompletionException(INNER));
                assertThatThrownBy(byHand::get).cause().isSameAs(INNER);
                gate.open();
            }
        }
    }
}
