package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.ReceivingContext;
import io.fibry.event.Stopped;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.MDC;

/** An actor that waits for another one may lend it its thread: nobody can tell. */
class NestedTurnsTest {
    @EveryStrategy
    void eachHandlerHasItsOwnContext(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<String, String> inner = scope.named("inner").newActorWithReturn(
                    (ActorContext<String, String> context, String message) -> {
                        var seen = context.self().name() + " " + MDC.getCopyOfContextMap();
                        MDC.put("who", "inner"); // it stays, for nobody else to see
                        return seen;
                    });
            Actor<String, String> outer = scope.named("outer").newActorWithReturn(
                    (ActorContext<String, String> context, String message) -> {
                        MDC.put("who", "outer");
                        try {
                            var said = inner.sendMessageReturn(message).get();
                            return said + " " + context.self().name() + " " + MDC.getCopyOfContextMap();
                        } finally {
                            MDC.clear();
                        }
                    });
            for (int i = 0; i < 100; i++) {
                assertThat(outer.sendMessageReturn("x").get())
                        .isIn("inner null outer {who=outer}", "inner {} outer {who=outer}",
                                "inner {who=inner} outer {who=outer}");
            }
            assertThat(MDC.getCopyOfContextMap()).isIn(null, Map.of());
        }
    }

    @EveryStrategy
    void aFailureGoesToTheOneWhoAsked(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> third = scope.anonymous().newActorWithReturn((Integer n) -> {
                throw new IllegalStateException("third " + n);
            });
            Actor<Integer, String> second = scope.anonymous().newActorWithReturn((Integer n) -> {
                try {
                    return "got " + third.sendMessageReturn(n).get();
                } catch (ExecutionException e) {
                    return "second saw " + e.getCause().getMessage();
                }
            });
            Actor<Integer, String> first = scope.anonymous()
                    .newActorWithReturn((Integer n) -> second.sendMessageReturn(n).get());
            for (int i = 0; i < 100; i++) {
                assertThat(first.sendMessageReturn(i).get()).isEqualTo("second saw third " + i);
            }
        }
    }

    @EveryStrategy
    void aCycleOfFiveIsSpeltOut(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var circle = new ArrayList<Actor<Integer, Integer>>();
            for (int i = 0; i < 5; i++) {
                var next = (i + 1) % 5;
                circle.add(scope.named("actor" + i)
                        .newActorWithReturn((Integer n) -> circle.get(next).sendMessageReturn(n).get()));
            }
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> circle.getFirst().sendMessageReturn(1).get(Patience.MILLIS,
                        TimeUnit.MILLISECONDS))
                        .rootCause().isInstanceOf(AskCycleException.class)
                        .hasMessageContaining("'actor1' -> 'actor2'")
                        .hasMessageContaining("'actor4' -> 'actor0'");
            }
        }
    }

    /** The JDK needs stack for each frame when a virtual thread waits, so there are not too many. */
    @EveryStrategy
    void fewHandlersRunOnOneStackHoweverLongTheChainIs(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var most = new AtomicLong();
            Actor<Integer, Integer> last = scope.anonymous().newActorWithReturn((Integer n) -> n);
            for (int i = 0; i < 100; i++) {
                var next = last;
                last = scope.anonymous().newActorWithReturn((Integer n) -> {
                    most.accumulateAndGet(handlersOnThisStack(), Math::max);
                    return next.apply(n) + 1;
                });
            }
            assertThat(last.sendMessageReturn(0).get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(100);
            assertThat(most.get()).as("this test's own frame included").isBetween(1L, 34L);
        }
    }

    private static long handlersOnThisStack() {
        return StackWalker.getInstance().walk(frames -> frames
                .filter(frame -> frame.getMethodName().contains("fewHandlersRunOnOneStack")).count());
    }

    @EveryStrategy
    void anActorOnTopMayReceive(Strategy strategy) throws Exception {
        assumeTrue(strategy.isAsync()); // on caller() it would wait for what its sender has not sent yet
        try (var scope = Scopes.on(strategy)) {
            Actor<String, Void> inner = scope.anonymous()
                    .newReceivingActor((ReceivingContext<String> context, String message) -> {
                        if (message.equals("begin")) {
                            context.receive(more -> more.equals("end"));
                        }
                    });
            Actor<String, String> outer = scope.anonymous().newActorWithReturn((String message) -> {
                var begun = inner.sendMessageReturn("begin");
                var ended = inner.sendMessageReturn("end");
                begun.get();
                ended.get();
                return "done";
            });
            for (int i = 0; i < 20; i++) {
                assertThat(outer.sendMessageReturn("go").get(Patience.MILLIS, TimeUnit.MILLISECONDS))
                        .isEqualTo("done");
            }
        }
    }

    /** The handler on top is not the one that is to end. */
    @EveryStrategy
    void aForcedStopOfTheWaitingActorLeavesTheOneOnTopAlone(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("nested").strategy(strategy.create()).listener(event -> {
        }).open()) {
            var begun = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var interrupted = new AtomicReference<Boolean>();
            var outcome = new CompletableFuture<String>();
            Actor<Integer, Integer> inner = scope.anonymous().newActorWithReturn((Integer n) -> {
                begun.countDown();
                while (!goOn.await(1, TimeUnit.MILLISECONDS)) {
                    continue;
                }
                interrupted.set(Thread.currentThread().isInterrupted());
                return n;
            });
            Actor<Integer, Void> outer = scope.anonymous().newActor((Integer n) -> {
                try {
                    inner.sendMessageReturn(n).get();
                    outcome.complete(Thread.interrupted() ? "interrupted afterwards" : "answered");
                } catch (InterruptedException e) {
                    outcome.complete("interrupted while it waited");
                }
            });
            var sender = Thread.ofPlatform().start(() -> outer.sendMessage(1));
            begun.await();
            outer.stop(Duration.ofMillis(1));
            goOn.countDown();
            assertThat(outcome.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).startsWith("interrupted");
            sender.join();
            outer.waitForExit();
            inner.sendMessageReturn(1).get();
            assertThat(interrupted).as("the one on top").hasValue(false);
        }
    }

    @EveryStrategy
    void theStackStaysFlatHoweverLongTheChain(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> next = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var length = strategy == Strategy.FIBERS ? 5_000 : 100;
            for (int i = 0; i < length; i++) {
                var after = next;
                next = scope.anonymous()
                        .newActorWithReturn((Integer n) -> after.sendMessageReturn(n).get() + 1);
            }
            assertThat(next.sendMessageReturn(0).get(Patience.MILLIS, TimeUnit.MILLISECONDS))
                    .isEqualTo(length);
        }
    }

    @EveryStrategy
    void anActorThatIsBusyDoesNotHoldUpWhomItHasSentTo(Strategy strategy) throws Exception {
        assumeTrue(strategy.isAsync()); // on caller() it is its own sender's thread that is busy
        try (var scope = Scopes.on(strategy)) {
            var started = new CountDownLatch(1);
            Actor<Integer, Void> receiver = scope.anonymous().newActor((Integer n) -> started.countDown());
            Actor<Integer, Void> busy = scope.anonymous()
                    .newActor((ActorContext<Integer, Void> context, Integer n) -> {
                        if (n == 0) {
                            receiver.sendMessage(n);
                        }
                        if (started.getCount() > 0) {
                            context.self().sendMessage(n + 1);
                        }
                    });
            busy.sendMessage(0);
            assertThat(started.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    @EveryStrategy
    void aReceivingActorThatHasAnsweredHoldsUpNobody(Strategy strategy) throws Exception {
        assumeTrue(strategy.isAsync());
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, String> asking = scope.anonymous().newActorWithReturn((Integer n) -> {
                Actor<String, Void> made =
                        scope.anonymous().newReceivingActor((ReceivingContext<String> context) -> {
                            while (true) {
                                context.receive();
                            }
                        });
                made.sendMessageReturn("first").get();
                made.askExit();
                return "gone on";
            });
            assertThat(asking.sendMessageReturn(1).get(Patience.MILLIS, TimeUnit.MILLISECONDS))
                    .isEqualTo("gone on");
        }
    }

    @EveryStrategy
    void anActorThatHasAnsweredGoesOnElsewhere(Strategy strategy) throws Exception {
        assumeTrue(strategy.isAsync());
        try (var scope = Scopes.on(strategy)) {
            var askerIsDone = new CountDownLatch(1);
            Actor<Integer, Integer> second = scope.anonymous().newActorWithReturn((Integer n) -> n);
            Actor<Integer, Integer> first = scope.anonymous().newActorWithReturn((Integer n) -> {
                if (n == 2) {
                    askerIsDone.await();
                }
                return n;
            });
            Actor<Integer, Integer> asking = scope.anonymous().newActorWithReturn((Integer n) -> {
                var answer = first.sendMessageReturn(1).thenCompose(second::sendMessageReturn);
                first.sendMessage(2);
                var got = answer.get();
                askerIsDone.countDown();
                return got;
            });
            assertThat(asking.sendMessageReturn(0).get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(1);
        }
    }

    /**
     * What was derived from an answer is waited for without running the actor that has given the answer. Many rounds: the
     * first ones may be before the lanes are watched.
     */
    @Promise({"9.9", "11.1"})
    @EveryStrategy
    void anActorThatHasAnsweredDoesNotRunOnTopForWhatFollowsFromItsAnswer(Strategy strategy)
            throws Exception {
        assumeTrue(strategy.isAsync());
        try (var scope = Scopes.on(strategy)) {
            for (int round = 0; round < 200; round++) {
                waitForWhatFollows(scope);
            }
        }
    }

    private static void waitForWhatFollows(ActorScope scope) throws Exception {
        var otherHasBegun = new CountDownLatch(1);
        var askerIsDone = new CountDownLatch(1);
        var slow = new CompletableFuture<Integer>();
        Actor<Integer, Integer> first = scope.anonymous().newActorWithReturn((Integer n) -> {
            if (n == 2) {
                otherHasBegun.countDown();
                askerIsDone.await();
            }
            return n;
        });
        Actor<Integer, Integer> asking = scope.anonymous().newActorWithReturn((Integer n) -> {
            var answer = first.sendMessageReturn(1);
            var later = answer.thenCompose(one -> slow);
            answer.get();
            first.sendMessage(2);
            var got = later.get();
            askerIsDone.countDown();
            return got;
        });
        var answer = asking.sendMessageReturn(0);
        Waits.on(otherHasBegun);
        slow.complete(3);
        assertThat(Waits.on(answer)).isEqualTo(3);
    }

    @EveryStrategy
    void whatAListenerSendsDoesNotChangeTheBooksOfWhoHasStopped(Strategy strategy) throws Exception {
        var names = new CompletableFuture<String>();
        var other = new AtomicReference<Actor<String, Void>>();
        try (var scope = ActorSystem.configure("listening").strategy(strategy.create()).listener(event -> {
            if (event instanceof Stopped stopped && stopped.actor().equals("ends")) {
                other.get().sendMessage(stopped.actor());
            }
        }).open()) {
            other.set(scope.named("told").strategy(CreationStrategy.caller())
                    .newActor((ActorContext<String, Void> context, String message) -> {
                        names.complete(context.self().name() + " of " + message);
                    }));
            var ends = scope.named("ends").newActorWithReturn((Integer n) -> n);
            ends.sendMessageReturn(1).get();
            ends.stop(Duration.ofSeconds(5));
            assertThat(names.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("told of ends");
            assertThat(ends.counters().handled()).isEqualTo(1);
        }
    }

    /** Callbacks of an ask that expires run as a task of their own, and a caller's actor there at once. */
    @EveryStrategy
    void whatATaskCausesIsStartedWhateverTheTaskDoesThen(Strategy strategy) throws Exception {
        var handled = new CountDownLatch(2);
        var more = new CountDownLatch(1);
        var ends = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy);
                var callers = Scopes.on(Strategy.CALLER);
                var slow = ActorSystem.configure("slow").strategy(CreationStrategy.threads()).open()) {
            var one = scope.anonymous().newActor((String message) -> handled.countDown());
            var other = scope.anonymous().newActor((String message) -> handled.countDown());
            var third = scope.anonymous().newActor((String message) -> more.countDown());
            Actor<Actor<String, Void>, Void> between =
                    callers.anonymous().newActor((Actor<String, Void> to) -> {
                        to.sendMessage("hello");
                    });
            Actor<String, String> stuck = slow.anonymous().newActorWithReturn((String message) -> {
                ends.await();
                return message;
            });
            var seen = stuck.ask("x", Duration.ofMillis(1)).handle((answer, failure) -> {
                between.accept(one);
                between.accept(other);
                between.accept(third);
                try {
                    return more.await(Patience.MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    return false;
                }
            });
            assertThat(seen.get()).as("handled while the task waits for it").isTrue();
            assertThat(handled.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            ends.countDown();
        }
    }

    @EveryStrategy
    void aStageOfAnAskWithALimitIsNotHeldUpByWhoIsAsked(Strategy strategy) throws Exception {
        assumeTrue(strategy != Strategy.CALLER, "who is asked runs when it is asked");
        var over = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var waited = new CompletableFuture<Boolean>();
            Actor<String, String> asked = scope.anonymous().newActorWithReturn((String message) -> {
                waited.complete(over.await(Patience.MILLIS, TimeUnit.MILLISECONDS));
                return message;
            });
            var asking = scope.anonymous().newActor((String message) -> {
                var stage = asked.ask(message, Duration.ofMillis(20)).thenApply(x -> x);
                try {
                    stage.join();
                } catch (CompletionException e) {
                    over.countDown();
                    asked.sendMessage("the limit may be over before the ask has been taken"); // it is skipped then
                }
            });
            asking.sendMessage("x");
            assertThat(waited.get()).as("the limit was over before").isTrue();
        }
    }

    @EveryStrategy
    void whoCausedTheEndOfAnActorOnItsOwnThreadWaitsForNobodyAfterIt(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<String, Void> inner = scope.anonymous().newActor(
                    (ActorContext<String, Void> context, String message) -> context.self().askExit());
            Actor<String, Boolean> outer = scope.anonymous()
                    .newActorWithReturn((ActorContext<String, Boolean> context, String message) -> {
                        inner.sendMessage("end"); // runs here and now, where the strategy does that
                        return EngineProbe.waits(context.self());
                    });
            assertThat(outer.sendMessageReturn("x").get()).isFalse();
        }
    }
}
