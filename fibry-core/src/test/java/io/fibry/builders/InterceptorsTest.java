package io.fibry.builders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.Handling;
import io.fibry.Interceptor;
import io.fibry.Lifetime;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.Request;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InterceptorsTest {
    private final List<Object> trace = new CopyOnWriteArrayList<>();

    private Interceptor traced(String name) {
        return handling -> {
            trace.add(name + " " + handling.message());
            var answer = handling.proceed();
            trace.add(name + " " + answer);
            return answer;
        };
    }

    private static void expectWrong(ThrowingCallable code, String... parts) {
        assertThatThrownBy(code).isInstanceOf(IllegalStateException.class).hasMessageContainingAll(parts);
    }

    // ---- What an interceptor sees, and in which order. ----

    @Promise({"87.1", "87.2"})
    @EveryStrategy
    void theInterceptorsOfTheScopeAndThenOfTheBuilderAreAroundTheHandler(Strategy strategy) throws Exception {
        try (var outer = Scopes.configure().strategy(strategy.create()).around(traced("outer")).open();
                var inner = outer.child("inner").around(traced("inner")).open()) {
            var doubling = inner.anonymous().around(traced("first")).around(traced("second"))
                    .newActorWithReturn((Integer n) -> {
                        trace.add("handler");
                        return 2 * n;
                    });
            assertThat(Waits.on(doubling.sendMessageReturn(4))).isEqualTo(8);
            assertThat(trace).containsExactly("outer 4", "inner 4", "first 4", "second 4", "handler",
                    "second 8",
                    "first 8", "inner 8", "outer 8");
        }
    }

    @Promise("87.1")
    @EveryStrategy
    void itSeesTheActorAndRunsOnTheThreadOfTheHandler(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var seen = new AtomicReference<@Nullable Actor<?, ?>>();
            var thread = new AtomicReference<@Nullable Thread>();
            var actor = scope.named("seen").around(handling -> {
                seen.set(handling.actor());
                thread.set(Thread.currentThread());
                assertThat(handling.toString()).contains("seen", "String");
                return handling.proceed();
            }).newActorWithReturn((String message) -> Thread.currentThread() == thread.get());
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isTrue();
            assertThat(seen.get()).isSameAs(actor);
        }
    }

    @Promise("87.1")
    @EveryStrategy
    void childrenMembersAndTimersAreInterceptedAndCodeIsNot(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope =
                Scopes.configure().strategy(strategy.create()).time(time).around(traced("scope")).open()) {
            var ticked = new CountDownLatch(1);
            var parent = scope.anonymous().<String>newActor((context, message) -> {
                if (message.equals("begin")) {
                    context.child().newActor((String any) -> {
                    }).sendMessage("to the child");
                    context.timers().set("key", Schedule.once(Duration.ofSeconds(1)), "tick");
                } else {
                    ticked.countDown();
                }
            });
            parent.sendMessage("begin");
            parent.execAndWait(() -> {
            });
            time.advance(Duration.ofSeconds(1));
            Waits.on(ticked);
            try (var group = scope.anonymous().newGroup(GroupPolicy.oneForOne())) {
                var member = new AtomicReference<@Nullable Actor<String, String>>();
                group.add("member", Lifetime.TEMPORARY, builder -> {
                    Actor<String, String> made = builder.newActorWithReturn((String message) -> message);
                    member.set(made);
                    return made;
                });
                assertThat(Waits.on(member.get().sendMessageReturn("to the member")))
                        .isEqualTo("to the member");
            }
        }
        assertThat(trace).contains("scope begin", "scope to the child", "scope tick", "scope to the member");
        assertThat(trace).as("neither code nor the messages of the group").hasSize(8);
    }

    // ---- proceed(). ----

    @Promise("87.7")
    @EveryStrategy
    void withoutProceedTheHandlerDoesNotRunAndTheInterceptorAnswers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous()
                    .around(handling -> handling.message().equals("cached") ? "kept"
                            : handling.proceed() + "!")
                    .newActorWithReturn((String message) -> {
                        trace.add(message);
                        return message;
                    });
            assertThat(Waits.on(actor.sendMessageReturn("cached"))).isEqualTo("kept");
            assertThat(Waits.on(actor.sendMessageReturn("fresh"))).isEqualTo("fresh!");
            assertThat(Waits.on(actor.sendTracked("cached"))).isInstanceOf(MessageFate.Handled.class);
            assertThat(trace).containsExactly("fresh");
        }
    }

    @Promise("87.3")
    @EveryStrategy
    void proceedIsCalledOnceByTheThreadOfTheInterceptorUntilItReturns(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var kept = new LinkedBlockingQueue<Handling>();
            var actor = scope.named("strict").around(handling -> {
                kept.add(handling);
                if (handling.message().equals("elsewhere")) {
                    var other = new AtomicReference<@Nullable Throwable>();
                    var thread =
                            Thread.ofPlatform().name("elsewhere").start(() -> other.set(thrownBy(handling)));
                    thread.join();
                    throw (Exception) other.get();
                }
                handling.proceed();
                return handling.message().equals("twice") ? handling.proceed() : null;
            }).newActorWithReturn((String message) -> {
                trace.add(message);
                return message;
            });
            assertThatThrownBy(() -> Waits.on(actor.sendMessageReturn("twice"))).rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("proceed()", "strict", "String", "second time", "call it once");
            expectWrong(() -> kept.take().proceed(), "proceed()", "strict");
            assertThatThrownBy(() -> Waits.on(actor.sendMessageReturn("elsewhere"))).rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("proceed()", "strict", "thread 'elsewhere'");
            assertThat(trace).containsExactly("twice");
        }
    }

    private static @Nullable Throwable thrownBy(Handling handling) {
        try {
            handling.proceed();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    @Promise("87.3")
    @Test
    void proceedAfterTheReturnIsRefusedOnTheSameThread() {
        try (var scope = Scopes.configure().strategy(Strategy.CALLER.create()).open()) {
            var kept = new AtomicReference<@Nullable Handling>();
            scope.named("late").around(handling -> {
                kept.set(handling);
                return null;
            }).newActor((String message) -> trace.add(message)).sendMessage("a");
            expectWrong(() -> kept.get().proceed(), "late", "after the interceptor had returned");
            assertThat(trace).isEmpty();
        }
    }

    @Promise("87.3")
    @EveryStrategy
    void anotherActorCannotProceedAlsoOnTheSameThread(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var other = scope.named("other").<Handling, Object>newActorWithReturn(Handling::proceed);
            var actor = scope.named("asker").around(handling -> other.sendMessageReturn(handling).get())
                    .newActorWithReturn((String message) -> {
                        trace.add(message);
                        return message;
                    });
            assertThatThrownBy(() -> Waits.on(actor.sendMessageReturn("a"))).rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("proceed()", "asker", "actor 'other'",
                            "in the interceptor itself");
            assertThat(trace).isEmpty();
        }
    }

    @Promise("87.7")
    @EveryStrategy
    @SuppressWarnings("unchecked") // as a program does that finds an actor by a wrong type
    void aMessageOfAWrongTypeNamesTheActorAlsoBehindAnInterceptor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var lengths = scope.named("lengths").around(Handling::proceed).around(Handling::proceed)
                    .newActorWithReturn((String message) -> message.length());
            assertThatThrownBy(() -> Waits.on(((Actor<Object, Integer>) (Actor<?, Integer>) lengths)
                    .sendMessageReturn(1))).cause().isInstanceOf(ClassCastException.class)
                    .hasMessageContainingAll("actor 'lengths'", "cannot take a message of java.lang.Integer");
        }
    }

    // ---- Failures and restarts. ----

    @Promise("87.7")
    @EveryStrategy
    void anInterceptorThatThrowsFailsTheMessageAndThePolicyDecides(Strategy strategy) throws Exception {
        var events = new LinkedBlockingQueue<Object>();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(event -> {
            if (event instanceof Failed || event instanceof Restarted) {
                events.add(event);
            }
        }).open()) {
            var states = new CopyOnWriteArrayList<int[]>();
            var actor = scope.named("guarded").onFailure(FailurePolicy.restart()).around(handling -> {
                if (handling.message().equals("forbidden")) {
                    throw new SecurityException("as wanted");
                }
                return handling.proceed();
            }).state(() -> {
                var state = new int[1];
                states.add(state);
                return state;
            }).newActorWithReturn((int[] state, String message) -> ++state[0]);
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo(1);
            assertThatThrownBy(() -> Waits.on(actor.sendMessageReturn("forbidden")))
                    .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(SecurityException.class);
            assertThat(Waits.on(actor.sendTracked("forbidden"))).isInstanceOf(MessageFate.Failed.class);
            assertThat(Waits.on(actor.sendMessageReturn("b"))).isEqualTo(1);
            assertThat(states).hasSize(3);
            assertThat(actor.counters().failed()).isEqualTo(2);
            assertThat(events.stream().filter(Failed.class::isInstance)).hasSize(2);
            assertThat(events.stream().filter(Restarted.class::isInstance)).hasSize(2);
        }
    }

    @Promise("87.7")
    @EveryStrategy
    void anInterceptorMayCatchWhatTheHandlerThrows(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().around(handling -> {
                try {
                    return handling.proceed();
                } catch (IllegalArgumentException failure) {
                    return failure.getMessage();
                }
            }).<String, String>newActorWithReturn(message -> {
                throw new IllegalArgumentException("not " + message);
            });
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo("not a");
            assertThat(actor.counters().failed()).isZero();
        }
    }

    // ---- With what else is in the way of a message. ----

    private record Sum(int n) implements Request<Integer> {
    }

    @Promise("87.7")
    @EveryStrategy
    void aDeferredReplyAnswersInsteadOfTheInterceptor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var seen = new AtomicReference<@Nullable Object>("nothing");
            var actor = scope.anonymous().around(handling -> {
                seen.set(handling.proceed());
                return "ignored";
            }).<String, String>newActorWithReturn((context, message) -> {
                context.deferReply().complete(message + " later");
                return null;
            });
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo("a later");
            actor.execAndWait(() -> {
            });
            assertThat(seen.get()).isNull();
        }
    }

    @Promise("87.7")
    @EveryStrategy
    void aRequestIsAnsweredByAReply(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous()
                    .around(handling -> handling.message() instanceof Sum sum && sum.n() < 0 ? sum.reply(0)
                            : handling.proceed())
                    .newActorWithReturn((Sum sum) -> sum.reply(sum.n()));
            assertThat(Waits.on(actor.request(new Sum(3)))).isEqualTo(3);
            assertThat(Waits.on(actor.request(new Sum(-3)))).isZero();
        }
    }

    @Promise("87.1")
    @EveryStrategy
    void aMessageThatIsPutAsideIsInterceptedEachTimeItIsHandled(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var open = new boolean[1];
            var actor = scope.anonymous().stash(4).around(traced("i"))
                    .<String, String>newActorWithReturn((context,
                            message) -> {
                        if (message.equals("open")) {
                            open[0] = true;
                            context.unstashAll();
                        } else if (!open[0]) {
                            context.stash();
                        }
                        return message;
                    });
            var first = actor.sendMessageReturn("a");
            actor.sendMessage("open");
            assertThat(Waits.on(first)).isEqualTo("a");
            assertThat(trace).containsExactly("i a", "i a", "i open", "i open", "i a", "i a");
        }
    }

    @Promise("87.1")
    @EveryStrategy
    void aHookForTheStartRunsBeforeTheInterceptor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().around(traced("i")).onStart(() -> trace.add("start"))
                    .newActorWithReturn((String message) -> message);
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo("a");
            assertThat(trace).containsExactly("start", "i a", "i a");
        }
    }

    @Promise("87.1")
    @EveryStrategy
    void keyedActorsAndWorkersAreIntercepted(Strategy strategy) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create()).around(traced("scope")).open()) {
            var builder = scope.anonymous().around(handling -> handling.actor().name() + handling.proceed());
            try (var keyed = builder.<Integer, Integer>keyed(n -> n % 2).idle(Duration.ofDays(1))
                    .<Object>newActorsWithReturnFrom(
                            key -> (ContextReplyHandler<Integer, Object>) (context, n) -> ":" + n)) {
                assertThat(String.valueOf(Waits.on(keyed.sendMessageReturn(5)))).startsWith("keyed")
                        .endsWith(":5");
            }
            var workers = Stereotypes.with(builder).<Integer, Object>workersWithReturn(n -> ":" + n);
            assertThat(String.valueOf(Waits.on(workers.sendMessageReturn(7)))).startsWith("workers")
                    .endsWith(":7");
            assertThat(trace).hasSize(4).contains("scope 5", "scope 7");
        }
    }

    @Promise("87.1")
    @Test
    void aWorkerThatIsRefusedItsMessageGivesItsPlaceBack() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var workers = Stereotypes
                    .with(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()))
                            .around(handling -> {
                                throw new SecurityException("as wanted");
                            }))
                    .<Integer, Integer>workersWithReturn(n -> n);
            for (var i = 0; i < 100; i++) {
                var ask = workers.sendMessageReturn(i);
                assertThatThrownBy(() -> Waits.on(ask)).hasCauseInstanceOf(SecurityException.class);
            }
        }
    }

    @Promise("87.3")
    @EveryStrategy
    void abandonStuckHoldsForAnInterceptorOnTheThreadOfTheHandler(Strategy strategy) throws Exception {
        if (strategy == Strategy.CALLER || strategy == Strategy.EXECUTOR || strategy == Strategy.OWN) {
            return; // refused there, see CombinationsTest
        }
        var time = new ManualTime();
        var stuck = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var late = new CompletableFuture<Throwable>();
        try (var scope = Scopes.configure().strategy(strategy.create()).time(time).open()) {
            var actor = scope.anonymous().abandonStuck(Duration.ofSeconds(1), Duration.ofSeconds(1))
                    .around(handling -> {
                        if (handling.message().equals("stuck")) {
                            stuck.countDown();
                            Uninterruptible.await(goOn);
                            late.complete(thrownBy(handling));
                            return null;
                        }
                        return handling.proceed();
                    }).newActorWithReturn((String message) -> {
                        trace.add(message);
                        return message;
                    });
            var ask = actor.sendMessageReturn("stuck");
            Waits.on(stuck);
            Waits.until("the limit has begun", () -> time.pending() == 1);
            time.advance(Duration.ofSeconds(1));
            Waits.until("the grace has begun", () -> time.pending() == 1);
            time.advance(Duration.ofSeconds(1));
            assertThatThrownBy(() -> Waits.on(ask)).hasCauseInstanceOf(HandlerAbandonedException.class);
            assertThat(Waits.on(actor.sendMessageReturn("next"))).isEqualTo("next");
            goOn.countDown();
            assertThat(Waits.on(late)).isInstanceOf(HandlerAbandonedException.class);
            assertThat(trace).as("the abandoned thread does not reach the handler").containsExactly("next");
        } finally {
            goOn.countDown();
        }
    }

    private static final class Uninterruptible {
        static void await(CountDownLatch latch) {
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException again) {
                    // it waits on
                }
            }
        }
    }

    // ---- What cannot have one. ----

    @Promise("33.8")
    @EveryStrategy
    void whatCannotHaveAnInterceptorStatesWhy(Strategy strategy) {
        try (var scope = Scopes.on(strategy);
                var around =
                        Scopes.configure().strategy(strategy.create()).around(Handling::proceed).open()) {
            var builder = scope.named("it").around(Handling::proceed);
            Consumer<ReceivingContext<String>> nothing = any -> {
            };
            expectWrong(() -> builder.<String>newReceivingActor((inbox, message) -> nothing.accept(inbox)),
                    "'it'",
                    "around", "use a handler", "put the code into", "withoutDefaults()");
            expectWrong(() -> builder.newReceivingActor((Handler<ReceivingContext<String>>) nothing::accept),
                    "'it'",
                    "around");
            expectWrong(
                    () -> around.anonymous()
                            .<String>newReceivingActor((inbox, message) -> nothing.accept(inbox)),
                    "around", "withoutDefaults()");
            expectWrong(() -> builder.newGroup(GroupPolicy.oneForOne()), "a group named 'it'", "around",
                    "where its members are made");
            expectWrong(
                    () -> Stereotypes.with(builder.mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail())))
                            .sharedMailbox(),
                    "a shared mailbox named 'it'", "around");
            expectWrong(() -> Stereotypes.with(builder).runOnce(() -> {
            }), "a body named 'it'", "around", "gets no messages");
            expectWrong(() -> Stereotypes.with(builder).embeddedHttpServer(0, exchange -> "hello"),
                    "a server named 'it'",
                    "around");
            expectWrong(() -> Stereotypes.with(builder).tcpAcceptorSilent(0, connection -> {
            }, null), "a server named 'it'", "around");
        }
    }

    @Promise("87.2")
    @EveryStrategy
    void whatTheScopeHasCanBeLeftOut(Strategy strategy) throws Exception {
        try (var scope = Scopes.configure().strategy(strategy.create()).around(traced("scope")).open();
                var inner = scope.child("inner").around(traced("inner")).withoutDefaults()
                        .around(traced("own"))
                        .open()) {
            assertThat(Waits.on(inner.anonymous().newActorWithReturn((String message) -> message)
                    .sendMessageReturn("a"))).isEqualTo("a");
            var receiving = scope.anonymous().withoutDefaults()
                    .<String, String>newReceivingActorWithReturn((inbox, message) -> message);
            assertThat(Waits.on(receiving.sendMessageReturn("b"))).isEqualTo("b");
            assertThat(trace).containsExactly("own a", "own a");
        }
    }

    @Promise({"33.8", "27.7"})
    @Test
    void aSharedMailboxRunsNoHandlerAndRefusesWhatIsAroundOne() {
        try (var scope = Scopes.configure().open()) {
            var builder = scope.named("it").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail()));
            expectWrong(() -> Stereotypes.with(builder.onStart(() -> {
            })).sharedMailbox(), "a shared mailbox named 'it'", "onStart", "where the actors are built");
            expectWrong(
                    () -> Stereotypes.with(builder.abandonStuck(Combination.LONG, Combination.LONG))
                            .sharedMailbox(),
                    "a shared mailbox named 'it'", "abandonStuck", "where the actors are built");
        }
    }

    @Promise("87.2")
    @Test
    void whatTheLibraryMakesForItselfHasNone() throws Exception {
        try (var scope = Scopes.configure().around(handling -> {
            trace.add(handling.message());
            throw new SecurityException("as wanted");
        }).open()) {
            Waits.stopped(Stereotypes.with(scope.anonymous()).runOnce(() -> trace.add("ran")));
            var server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(0, exchange -> "hello");
            server.close();
            try (var group = scope.anonymous().newGroup(GroupPolicy.oneForOne())) {
                group.add("member", Lifetime.TEMPORARY, builder -> builder.newActor((String any) -> {
                }));
            }
            scope.closeOnExit(() -> {
            });
            assertThat(trace).containsExactly("ran");
        }
    }
}
