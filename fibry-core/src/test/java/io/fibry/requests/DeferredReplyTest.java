package io.fibry.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.Reply;
import io.fibry.event.Failed;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.message.DeferredReply;
import io.fibry.requests.Text.Length;
import io.fibry.requests.Text.Upper;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DeferredReplyTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();
    private final Map<String, DeferredReply<String>> replies = new ConcurrentHashMap<>();

    /** Defers each reply, for the test to complete it. */
    private String keep(ActorContext<String, String> context, String message) {
        var reply = context.deferReply();
        assertThat(context.deferReply()).isSameAs(reply);
        replies.put(message, reply);
        return "ignored";
    }

    private Actor<String, String> keeper(ActorScope scope) {
        return scope.anonymous().newActorWithReturn(this::keep);
    }

    private static void settle(Actor<?, ?> actor) throws Exception {
        actor.execAndWait(() -> {
        });
    }

    @Promise("34.1")
    @EveryStrategy
    void aReplyIsMadeByAnyThreadOnceAndTheActorGoesOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = keeper(scope);
            var first = actor.sendMessageReturn("first");
            var second = actor.ask("second", LONG);
            settle(actor);
            assertThat(actor.counters().handled()).isEqualTo(3);
            assertThat(first).isNotDone();
            assertThat(replies.get("first").isDone()).isFalse();
            var results = new CompletableFuture<List<Boolean>>();
            Thread.startVirtualThread(() -> results.complete(List.of(replies.get("second").complete("2"),
                    replies.get("second").complete("3"),
                    replies.get("first").fail(new IllegalArgumentException("no")),
                    replies.get("first").complete("late"))));
            assertThat(Waits.on(results)).containsExactly(true, false, true, false);
            assertThat(Waits.on(second)).isEqualTo("2");
            assertThat(Waits.failure(first)).hasMessage("no");
            assertThat(replies.get("first").isDone()).isTrue();
            assertThat(actor.counters().handled()).isEqualTo(3);
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("34.1")
    @EveryStrategy
    void aHandlerThatThrowsFailsItsAskAlthoughTheReplyWasDeferred(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        replies.put(message, context.deferReply());
                        throw new IllegalStateException("thrown");
                    });
            assertThat(Waits.failure(actor.sendMessageReturn("a"))).hasMessage("thrown");
            assertThat(replies.get("a").complete("late")).isFalse();
            assertThat(events.await(Failed.class).cause()).hasMessage("thrown");
            assertThat(actor.counters().failed()).isEqualTo(1);
        }
    }

    @Promise("34.1")
    @EveryStrategy
    void theReplyToATellGoesNowhere(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        replies.put(message, context.deferReply());
                        return null;
                    });
            actor.sendMessage("told");
            settle(actor);
            var reply = replies.get("told");
            assertThat(reply.isDone()).isFalse();
            assertThat(reply.complete("x")).isTrue();
            assertThat(reply.fail(new IllegalStateException())).isFalse();
            assertThat(reply.isDone()).isTrue();
            // The message after an ask is not taken for it.
            var asked = actor.sendMessageReturn("asked");
            actor.sendMessage("told");
            settle(actor);
            replies.get("told").complete("y");
            assertThat(asked).isNotDone();
            replies.get("asked").complete("z");
            assertThat(Waits.on(asked)).isEqualTo("z");
        }
    }

    @Promise("34.1")
    @Test
    void outsideOfAHandlerThereIsNoReplyToDefer() throws Exception {
        var contexts = new AtomicReference<ActorContext<String, String>>();
        var inHook = new CompletableFuture<Throwable>();
        try (var scope = Scopes.configure().open()) {
            var actor = scope.anonymous().onExit(() -> {
                try {
                    contexts.get().deferReply();
                } catch (IllegalStateException expected) {
                    inHook.complete(expected);
                }
            }).newActorWithReturn((ActorContext<String, String> context, String message) -> {
                contexts.set(context);
                return message;
            });
            actor.apply("x");
            assertThatThrownBy(() -> contexts.get().deferReply()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("outside its handler");
        }
        assertThat(Waits.on(inHook)).hasMessageContaining("call deferReply in its handler");
    }

    @Promise({"34.1", "36.1"})
    @EveryStrategy
    void codeThatBelongsToNoMessageHasNoReplyToDefer(Strategy strategy) throws Exception {
        var inside = new AtomicReference<ActorContext<String, ?>>();
        var seen = new CopyOnWriteArrayList<String>();
        Runnable misuse = () -> {
            for (Runnable call : List.<Runnable>of(() -> inside.get().deferReply(),
                    () -> inside.get().stash())) {
                try {
                    call.run();
                    seen.add("accepted");
                } catch (IllegalStateException refused) {
                    seen.add(refused.getMessage().contains("handles no message") ? "refused"
                            : refused.getMessage());
                }
            }
        };
        try (var scope = Scopes.on(strategy, events)) {
            var starting = scope.anonymous().stash(1).<String>onStart(context -> {
                inside.set(context);
                misuse.run();
            });
            var keyed = starting.keyed((String message) -> message).idle(LONG)
                    .newActorsWithReturnFrom(key -> (ReplyHandler<String, String>) message -> message);
            assertThat(Waits.on(keyed.sendMessageReturn("the hook runs for this message")))
                    .startsWith("the hook");
            assertThat(seen).as("in a hook").containsExactly("refused", "refused");
            var starts = new AtomicInteger();
            var made = scope.anonymous().stash(1)
                    .<String, String>newActorWithReturnFrom(context -> {
                        if (starts.incrementAndGet() == 1) {
                            throw new IllegalStateException("as wanted");
                        }
                        inside.set(context);
                        misuse.run();
                        return message -> message;
                    });
            assertThat(Waits.on(made.sendMessageReturn("the factory runs for this")))
                    .startsWith("the factory");
            assertThat(seen).as("in a factory").hasSize(4).containsOnly("refused");
            made.execAndWait(misuse::run);
            assertThat(seen).as("in code").hasSize(6).containsOnly("refused");
        }
    }

    @Promise("34.1")
    @EveryStrategy
    void aDeferredReplyHasTheTimeLimitOfItsAsk(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = keeper(scope);
            var answer = actor.ask("a", Duration.ofSeconds(5));
            settle(actor);
            var done = replies.get("a").onDone();
            time.advance(Duration.ofSeconds(5));
            assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("has deferred the reply");
            assertThat(Waits.on(done)).isNull();
            assertThat(replies.get("a").isDone()).isTrue();
            assertThat(replies.get("a").complete("late")).isFalse();
        }
    }

    @Promise("34.1")
    @EveryStrategy
    void aCancelledAskInterruptsNoHandlerAfterItsReplyWasDeferred(Strategy strategy) throws Exception {
        var inside = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().interruptOnCancel()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        if (message.equals("wait")) {
                            inside.countDown();
                            goOn.await();
                            return "not interrupted";
                        }
                        return keep(context, message);
                    });
            var answer = actor.sendMessageReturn("a");
            settle(actor);
            var other = CompletableFuture.supplyAsync(() -> actor.apply("wait"));
            Waits.on(inside);
            assertThat(answer.cancel(true)).isTrue();
            assertThat(replies.get("a").isDone()).isTrue();
            goOn.countDown();
            assertThat(Waits.on(other)).isEqualTo("not interrupted");
            assertThat(replies.get("a").complete("late")).isFalse();
        }
    }

    @Promise("34.4")
    @EveryStrategy
    void allDeferredRepliesFailWhenTheActorStops(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int way = 0; way < 4; way++) {
                var inHook = new CompletableFuture<Boolean>();
                var actor = way == 0
                        ? scope.anonymous().onExit(() -> inHook.complete(replies.get("a").isDone()))
                                .newActorWithReturn(this::keep)
                        : keeper(scope);
                var answer = actor.sendMessageReturn("a");
                settle(actor);
                switch (way) {
                    case 0 -> actor.sendPoisonPill();
                    case 1 -> actor.askExit();
                    case 2 -> actor.stop(Duration.ZERO);
                    default -> actor.close();
                }
                Waits.stopped(actor);
                assertThat(answer).isDone();
                assertThat(Waits.failure(answer)).isInstanceOf(ActorStoppedException.class)
                        .hasMessageContaining("before its deferred reply was completed");
                assertThat(replies.get("a").isDone()).isTrue();
                assertThat(way != 0 || inHook.join()).as("done before the hooks").isTrue();
            }
        }
    }

    @Promise("34.4")
    @EveryStrategy
    void allDeferredRepliesFailWithTheCauseOfARestart(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart())
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        if (message.equals("fail")) {
                            throw new IllegalStateException("as wanted");
                        }
                        return keep(context, message);
                    });
            var answer = actor.sendMessageReturn("a");
            actor.sendMessage("fail");
            assertThat(Waits.failure(answer)).isInstanceOf(ActorException.class)
                    .hasMessageContaining("restarted").hasRootCauseMessage("as wanted");
            var next = actor.sendMessageReturn("b");
            settle(actor);
            replies.get("b").complete("lives");
            assertThat(Waits.on(next)).isEqualTo("lives");
        }
    }

    @Promise("34.4")
    @EveryStrategy
    void aReplyThatTheProgramHasLostFailsItsAsk(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var answer = CompletableFuture.anyOf(ask(scope, LONG), new CompletableFuture<>());
            var plain = ask(scope, null);
            Waits.until("the reply is found to be lost", () -> {
                System.gc();
                return answer.isDone() && plain.isDone();
            });
            assertThat(Waits.failure(plain)).isInstanceOf(ActorException.class)
                    .hasMessageContaining("nothing refers to the DeferredReply");
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(t -> t.getName().equals("fibry-replies"))
                    .singleElement().satisfies(t -> assertThat(t.isDaemon()).isTrue());
        }
    }

    private static Thread watcher() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("fibry-replies"))
                .findFirst().orElseThrow();
    }

    @Promise("34.4")
    @Test
    void aLostReplyIsFoundHoweverLongNoThreadCanBeStartedAndAfterAnInterrupt() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, events)) {
            var answer = ask(scope, null);
            var calledOn = new CompletableFuture<Thread>();
            answer.whenComplete((value, failure) -> calledOn.complete(Thread.currentThread()));
            Waits.until("the reply is deferred", () -> scope.counters().handled() == 1);
            var watcher = watcher();
            watcher.interrupt();
            var refused = new AtomicInteger();
            EngineProbe.fibers(task -> {
                if (Thread.currentThread() == watcher && refused.getAndIncrement() < 2) {
                    throw new OutOfMemoryError("as planned");
                }
                Thread.startVirtualThread(task);
            });
            try {
                Waits.until("the reply is found to be lost", () -> {
                    System.gc();
                    return answer.isDone();
                });
            } finally {
                EngineProbe.fibers(null);
            }
            assertThat(refused).hasValueGreaterThanOrEqualTo(3);
            assertThat(Waits.on(calledOn)).as("foreign code runs elsewhere").isNotSameAs(watcher);
            assertThat(watcher.isAlive()).isTrue();
        }
    }

    /** Only the answer refers to the actor. */
    private static CompletableFuture<String> ask(ActorScope scope, Duration timeout) {
        Actor<String, String> actor = scope.anonymous()
                .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                    context.deferReply();
                    return null;
                });
        return timeout == null ? actor.sendMessageReturn("a") : actor.ask("a", timeout);
    }

    @Promise("30.1")
    @EveryStrategy
    void aDeferredReplyToARequestHasToBeTheReplyToIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            BlockingQueue<DeferredReply<Reply>> open = new LinkedBlockingQueue<>();
            Actor<Text<?>, Reply> actor = scope.anonymous()
                    .newActorWithReturn((ActorContext<Text<?>, Reply> context, Text<?> request) -> {
                        open.add(context.deferReply());
                        return null;
                    });
            var request = new Length("four");
            var answer = actor.request(request);
            var reply = open.take();
            settle(actor);
            assertThatThrownBy(() -> reply.complete(new Upper("x").reply("X")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "its deferred reply was completed with the reply to another request");
            assertThatThrownBy(() -> reply.complete(null)).isInstanceOf(IllegalStateException.class);
            assertThat(reply.isDone()).isFalse();
            assertThat(reply.complete(request.reply(4))).isTrue();
            assertThat(Waits.on(answer)).isEqualTo(4);
        }
    }

    @Promise("34.7")
    @EveryStrategy
    void anActorThatOwesAReplyIsNotIdle(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.anonymous().stopWhenIdle(Duration.ofSeconds(10)).newActorWithReturn(this::keep);
            var keyed = scope.anonymous().keyed((String m) -> m.charAt(0)).idle(Duration.ofSeconds(10))
                    .newActorsWithReturnFrom(
                            key -> (ActorContext<String, String> context, String m) -> keep(context, m));
            var answer = actor.sendMessageReturn("a");
            var ofKey = keyed.sendMessageReturn("k");
            settle(actor);
            Waits.until("handled", () -> replies.size() == 2);
            for (int i = 0; i < 3; i++) {
                time.advance(Duration.ofSeconds(10));
            }
            settle(actor);
            assertThat(keyed.live()).isEqualTo(1);
            replies.get("a").complete("in time");
            replies.get("k").complete("too");
            assertThat(Waits.on(answer)).isEqualTo("in time");
            assertThat(Waits.on(ofKey)).isEqualTo("too");
            Waits.until("stopped", () -> {
                time.advance(Duration.ofSeconds(10));
                return actor.waitForExit(Duration.ZERO) && keyed.live() == 0;
            });
        }
    }

    @Promise("34.7")
    @EveryStrategy
    void theActorMayAskWhoWaitsForItsDeferredReply(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var asker = new AtomicReference<Actor<String, String>>();
            var asked = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        if (message.equals("ask back")) {
                            return asker.get().apply("back");
                        }
                        return keep(context, message);
                    });
            asker.set(scope.anonymous().newActorWithReturn((String message) -> message.equals("back")
                    ? "back"
                    : asked.apply(message)));
            var answer = CompletableFuture.supplyAsync(() -> asker.get().apply("a"));
            Waits.until("deferred", () -> replies.containsKey("a"));
            settle(asked);
            var back = CompletableFuture.supplyAsync(() -> asked.apply("ask back"));
            Waits.until("both wait", () -> asker.get().mailboxSize() == 1 || back.isDone());
            assertThat(back).isNotDone();
            replies.get("a").complete("done");
            assertThat(Waits.on(answer)).isEqualTo("done");
            assertThat(Waits.on(back)).isEqualTo("back");
        }
    }

    @Promise("34.7")
    @EveryStrategy
    void untilItsHandlerHasReturnedTheWaitIsForTheActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var asker = new AtomicReference<Actor<String, String>>();
            var asked = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        keep(context, message);
                        return asker.get().apply("back");
                    });
            asker.set(scope.anonymous().newActorWithReturn((String message) -> asked.apply(message)));
            assertThatThrownBy(() -> asker.get().apply("a")).hasRootCauseInstanceOf(AskCycleException.class);
        }
    }

    /** The asked actor runs on the stack of the asker where it can, and has to leave it for its other messages. */
    @Promise("34.7")
    @EveryStrategy
    void anActorLeavesTheStackOfTheAskerWhoseReplyItDefers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var asker = new AtomicReference<Actor<String, String>>();
            var back = new CompletableFuture<String>();
            var asked = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        if (message.equals("ask back")) {
                            back.complete(asker.get().apply("back"));
                            return "";
                        }
                        if (strategy.isAsync()) {
                            context.self().sendMessage("ask back");
                        }
                        return keep(context, message);
                    });
            asker.set(scope.anonymous().newActorWithReturn((String message) -> message.equals("back")
                    ? "back"
                    : asked.apply(message)));
            var answer = CompletableFuture.supplyAsync(() -> asker.get().apply("a"));
            Waits.until("deferred", () -> replies.containsKey("a"));
            if (strategy.isAsync()) {
                Waits.until("asked back", () -> asker.get().mailboxSize() == 1 || back.isDone());
            }
            assertThat(back).isNotDone();
            replies.get("a").complete("done");
            assertThat(Waits.on(answer)).isEqualTo("done");
            if (strategy.isAsync()) {
                assertThat(Waits.on(back)).isEqualTo("back");
            }
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    /** An actor that answers each message with the outcome of the stage that a function returns. */
    private static <M, R> Actor<M, R> staged(ActorBuilder builder, Function<M, CompletionStage<R>> stage) {
        return builder.newActorWithReturn((ActorContext<M, R> context, M message) -> {
            context.deferReply().completeFrom(stage.apply(message));
            return null;
        });
    }

    @Promise("34.9")
    @EveryStrategy
    void theOutcomeOfAStageIsThatOfTheAnswer(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var stages = new ConcurrentHashMap<String, CompletableFuture<Integer>>();
            Actor<String, Integer> actor = staged(scope.anonymous(), message -> stages
                    .computeIfAbsent(message, m -> new CompletableFuture<>()).thenApply(n -> 100 / n));
            var first = actor.sendMessageReturn("a");
            var second = actor.sendMessageReturn("b");
            actor.sendMessage("told");
            settle(actor);
            assertThat(actor.counters().handled()).isEqualTo(4);
            stages.get("a").complete(4);
            stages.get("b").complete(0);
            stages.get("told").completeExceptionally(new IllegalStateException("of no asker"));
            assertThat(Waits.on(first)).isEqualTo(25);
            assertThat(Waits.failure(second)).isInstanceOf(ArithmeticException.class);
            assertThat(events.of(Failed.class)).isEmpty();
            assertThat(actor.counters().failed()).isZero();
        }
    }

    @Promise("34.9")
    @EveryStrategy
    void requestsAreAnsweredByStagesToo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<Text<?>, Reply> actor = staged(scope.anonymous(), DeferredReplyTest::lengthOf);
            assertThat(Waits.on(actor.request(new Length("four")))).isEqualTo(4);
            Actor<Text<?>, Reply> wrong =
                    staged(scope.anonymous(), request -> CompletableFuture.completedFuture(Reply.none()));
            assertThat(Waits.failure(wrong.request(new Length("four"))))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    private static CompletionStage<Reply> lengthOf(Text<?> request) {
        return CompletableFuture.completedFuture(Text.handle(request));
    }

    @Promise({"34.1", "34.9"})
    @Test
    void handlersThatMayBeAbandonedDeferToo() throws Exception {
        try (var scope = Scopes.configure().listener(events).open()) {
            var builder = scope.anonymous().abandonStuck(LONG, LONG);
            Actor<String, String> actor = builder.newActorWithReturn(this::keep);
            Actor<String, String> staged = staged(builder, m -> CompletableFuture.supplyAsync(() -> m));
            var answer = actor.sendMessageReturn("a");
            settle(actor);
            replies.get("a").complete("x");
            assertThat(Waits.on(answer)).isEqualTo("x");
            assertThat(Waits.on(staged.sendMessageReturn("y"))).isEqualTo("y");
        }
    }
}
