package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.Stereotypes;
import io.fibry.function.ReplyHandler;
import io.fibry.message.BatchOptions;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ReentrantTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    /** What an actor of these tests does: the code that it is asked. */
    interface Work {
        Object run(ActorContext<Work, Object> context) throws Exception;
    }

    static Actor<Work, Object> worker(ActorBuilder builder) {
        return builder
                .newActorWithReturn((ActorContext<Work, Object> context, Work work) -> work.run(context));
    }

    static Object ask(Actor<Work, Object> actor, Work work) throws Exception {
        return actor.sendMessageReturn(work).get();
    }

    /** Asks, from a thread that is no actor, and waits no longer than tests do. */
    static Object askOutside(Actor<Work, Object> actor, Work work) throws Exception {
        return Waits.on(actor.sendMessageReturn(work));
    }

    @Promise("37.10")
    @EveryStrategy
    void theAskThatClosesACycleRunsInsideTheHandlerThatWaits(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int size = 1; size <= 4; size++) {
                var ring = new ArrayList<Actor<Integer, String>>();
                for (int i = 0; i < size; i++) {
                    var self = i;
                    ring.add(scope.named(String.valueOf((char) ('a' + i))).reentrant().newActorWithReturn(
                            (Integer n) -> ring.get(self).name() + (n == 0 ? ""
                                    : ring.get((self + 1) % ring.size()).sendMessageReturnWait(n - 1))));
                }
                assertThat(Waits.on(ring.getFirst().sendMessageReturn(11)))
                        .isEqualTo("abcd".substring(0, size).repeat(12).substring(0, 12));
                assertThat(Waits.on(ring.getFirst().sendMessageReturn(2, LONG))).hasSize(3);
                for (var each : ring) {
                    each.close();
                    assertThat(each.counters().total()).isEqualTo(each.counters().handled());
                }
                assertThat(ring.stream().mapToLong(each -> each.counters().handled()).sum()).isEqualTo(15);
            }
        }
    }

    /** A way to ask and to wait. */
    private interface Way {
        Object ask(Actor<Work, Object> actor, Work work) throws Exception;
    }

    @Promise("37.10")
    @EveryStrategy
    void anyWaitForAnAnswerWillDo(Strategy strategy) throws Exception {
        var ways = List.<Way>of(ReentrantTest::ask, (actor, work) -> actor.apply(work),
                (actor, work) -> actor.sendMessageReturnWait(work),
                (actor, work) -> actor.sendMessageReturn(work).join(),
                (actor, work) -> actor.sendMessageReturn(work).get(1, TimeUnit.HOURS),
                (actor, work) -> actor.sendMessageReturn(work, LONG).get(),
                (actor, work) -> actor.sendMessageReturn(work, LONG).join(),
                (actor, work) -> actor.sendMessageReturn(work).thenApply(answer -> answer).get(),
                (actor, work) -> Actors.askAll(List.of(actor), work).await().getFirst(),
                (actor, work) -> Actors.askAll(List.of(actor, actor), work).within(LONG).await().getLast());
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.named("front").reentrant());
            var back = worker(scope.named("back"));
            var across = worker(scope.named("across").runByCallers());
            for (var there : ways) {
                for (var home : ways) {
                    assertThat(askOutside(front,
                            f -> there.ask(back, b -> home.ask(front, g -> "inner")) + " outer"))
                            .isEqualTo("inner outer");
                }
                assertThat(askOutside(front,
                        f -> there.ask(back, b -> ask(across, c -> there.ask(front, g -> 3)))))
                        .isEqualTo(3);
                assertThat(Waits.on(front.sendMessageReturn(
                        f -> there.ask(back, b -> there.ask(front, g -> there.ask(back(scope), c -> 4))),
                        LONG)))
                        .isEqualTo(4);
            }
        }
    }

    private static Actor<Work, Object> back(ActorScope scope) {
        return worker(scope.anonymous());
    }

    private record Twice(int n) implements Request<Integer> {
    }

    @Promise("37.10")
    @EveryStrategy
    void requestsAndCodeAskToo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = new AtomicReference<Actor<Twice, Reply>>();
            var back = scope.anonymous().reentrant()
                    .newActorWithReturn((Twice twice) -> twice.reply(front.get().askWait(new Twice(
                            twice.n() - 1)) + 2));
            front.set(scope.anonymous().reentrant()
                    .newActorWithReturn(
                            (Twice twice) -> twice.reply(twice.n() == 0 ? 0 : back.askWait(twice))));
            assertThat(Waits.on(front.get().ask(new Twice(5)))).isEqualTo(10);
            assertThat(Waits.on(front.get().execFuture(() -> back.askWait(new Twice(4))))).isEqualTo(8);
            front.get().execAndWait(() -> assertThat(back.askWait(new Twice(2))).isEqualTo(4));
        }
    }

    @Promise("37.10")
    @EveryStrategy
    void onlyTheActorWhoseAskComesBackHasToBeReentrant(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.named("front").reentrant());
            var second = worker(scope.named("second"));
            var third = worker(strategy.isAsync() ? scope.named("third").ownStack() : scope.named("third"));
            assertThat(askOutside(front, a -> ask(second, b -> ask(third, c -> ask(front, d -> "home")))))
                    .isEqualTo("home");
            assertThat(Waits.failure(second
                    .sendMessageReturn(a -> ask(front, b -> ask(third, c -> ask(second, d -> "home"))))))
                    .hasStackTraceContaining(AskCycleException.class.getName())
                    .hasStackTraceContaining("'second' -> ");
            assertThat(askOutside(front, a -> "goes on")).isEqualTo("goes on");
        }
    }

    @Promise("37.10")
    @EveryStrategy
    void twoActorsThatAskEachOtherInTheMiddleOfOtherMessagesGoOn(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the sender would wait");
        try (var scope = Scopes.on(strategy, events)) {
            var one = worker(scope.named("one").reentrant());
            var other = worker(scope.named("other").reentrant());
            for (int i = 0; i < 20; i++) {
                var both = new CountDownLatch(2);
                var first = one.sendMessageReturn(a -> {
                    both.countDown();
                    Waits.on(both);
                    return ask(other, b -> "of the other");
                });
                var second = other.sendMessageReturn(a -> {
                    both.countDown();
                    Waits.on(both);
                    return ask(one, b -> "of the one");
                });
                assertThat(List.of(Waits.on(first), Waits.on(second)))
                        .isEqualTo(List.of("of the other", "of the one"));
            }
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void messagesOfOthersAndThoseThatAreToldWait(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var log = new ArrayList<String>();
            var front = worker(scope.anonymous().reentrant());
            var back = worker(scope.anonymous());
            askOutside(front, a -> {
                front.sendMessage(b -> log.add("own"));
                front.execAsync(() -> log.add("code"));
                ask(back, b -> {
                    front.sendMessage(c -> log.add("told before"));
                    var early = front.sendMessageReturn(c -> log.add("asked before, and not waited for"));
                    ask(front, c -> log.add("inner"));
                    assertThat(early).isNotDone();
                    front.sendMessage(c -> log.add("told after"));
                    return null;
                });
                return log.add("outer ends");
            });
            askOutside(front, a -> log.add("last"));
            assertThat(log).containsExactly("inner", "outer ends", "own", "code", "told before",
                    "asked before, and not waited for", "told after", "last");
        }
    }

    @Promise("37.11")
    @EveryStrategy
    void codeDoesNotRunInsideAHandler(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(scope.named("front").reentrant());
            var back = worker(scope.named("back"));
            assertThat(Waits.failure(front.sendMessageReturn(a -> ask(back, b -> {
                front.execAndWait(() -> {
                });
                return null;
            })))).hasStackTraceContaining(AskCycleException.class.getName());
            for (var held : List.of(List.of(front), List.of(front, worker(scope.anonymous())))) {
                assertThat(Waits.failure(
                        Actors.holding(held).execFuture(() -> ask(back, b -> ask(front, c -> "held")))))
                        .hasStackTraceContaining(AskCycleException.class.getName());
            }
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void asksWithoutAnEndFailAtALimitAndTheActorsGoOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var deepest = new AtomicInteger();
            var front = new AtomicReference<Actor<Integer, Integer>>();
            var back = scope.named("back").reentrant()
                    .newActorWithReturn((Integer n) -> front.get().sendMessageReturnWait(n + 1));
            front.set(scope.named("front").reentrant().newActorWithReturn((Integer n) -> {
                deepest.accumulateAndGet(n, Math::max);
                return n < 0 ? n : (n % 2 == 0 ? front.get() : back).sendMessageReturnWait(n + 1);
            }));
            for (int i = 0; i < 2; i++) {
                assertThat(Waits.failure(front.get().sendMessageReturn(0)))
                        .hasStackTraceContaining(AskCycleException.class.getName())
                        .hasStackTraceContaining("'front' already handles 64 asks inside one another");
                assertThat(Waits.on(front.get().sendMessageReturn(-1))).isEqualTo(-1);
            }
            assertThat(deepest.get()).isBetween(64, 130);
        }
    }

    @Promise("37.12")
    @Test
    void aShortStackFailsAsksAndTheActorsGoOn() throws Exception {
        var threads = Executors.newCachedThreadPool(
                task -> new Thread(null, task, "short stack", 200 * 1024));
        try (var scope = ActorScope.configure("short").listener(events).strategy(CreationStrategy.of(threads))
                .open()) {
            var front = new AtomicReference<Actor<Integer, Integer>>();
            var back = scope.anonymous().reentrant()
                    .newActorWithReturn((Integer n) -> front.get().sendMessageReturnWait(n + 1));
            // An ask whose asker has failed is still handled, and begins the next chain of asks: they have to end some time.
            front.set(scope.anonymous().reentrant().newActorWithReturn(
                    (Integer n) -> depth(n == 0 ? 100 : 1) < 0 || n < 0 || n > 1_000 ? n
                            : back.sendMessageReturnWait(n + 1)));
            for (int i = 0; i < 5; i++) {
                assertThat(Waits.failure(front.get().sendMessageReturn(i))).isNotNull();
                assertThat(Waits.on(front.get().sendMessageReturn(-1))).isEqualTo(-1);
            }
            // An asker whose stack was too short to wait has failed, and its ask is still handled: both actors may be at work.
            scope.stop(scope.closeTimeout());
            for (var each : List.of(front.get(), back)) {
                assertThat(each.counters().undelivered()).isZero();
            }
        } finally {
            threads.shutdown();
        }
    }

    private static int depth(int frames) {
        return frames == 0 ? 0 : 1 + depth(frames - 1);
    }

    @Promise("37.12")
    @EveryStrategy
    void noAskIsHandledBeforeTheHandlerIsMade(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = new AtomicReference<Actor<Integer, Integer>>();
            var thrown = new AtomicReference<Throwable>();
            var ready = new CountDownLatch(1);
            var back =
                    scope.anonymous().newActorWithReturn((Integer n) -> front.get().sendMessageReturnWait(n));
            front.set(scope.anonymous().reentrant()
                    .newActorWithReturnFrom((Supplier<ReplyHandler<Integer, Integer>>) () -> {
                        if (strategy.isAsync()) {
                            assertThat(awaits(ready)).isTrue();
                            try {
                                back.apply(1);
                            } catch (RuntimeException e) {
                                thrown.set(e);
                            }
                        }
                        return n -> n == 0 ? 0 : back.apply(0) + 1;
                    }));
            ready.countDown();
            assertThat(Waits.on(front.get().sendMessageReturn(3))).isEqualTo(1);
            if (strategy.isAsync()) {
                assertThat(thrown.get()).hasStackTraceContaining(AskCycleException.class.getName());
            }
        }
    }

    private static boolean awaits(CountDownLatch latch) {
        try {
            Waits.on(latch);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void aParentAndItsChildrenAskEachOther(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var parent = worker(scope.anonymous().reentrant());
            assertThat(askOutside(parent, a -> {
                var child = worker(a.child());
                return ask(child,
                        b -> ask(parent, c -> ask(worker(c.child()), d -> ask(parent, e -> "home"))));
            })).isEqualTo("home");
        }
    }

    @Promise("37.12")
    @EveryStrategy
    void thePlaceInABoundedMailboxBecomesFree(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var front = worker(
                    scope.anonymous().reentrant().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())));
            var back = worker(scope.anonymous());
            assertThat(askOutside(front, a -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(ask(back, b -> ask(front, c -> 1))).isEqualTo(1);
                }
                return front.sendMessage(b -> 2);
            })).isEqualTo(true);
            front.close();
            assertThat(front.counters().handled()).isEqualTo(5);
            assertThat(front.counters().total()).isEqualTo(5);
        }
    }

    @Promise("37.12")
    @Test
    void whatCannotBeReentrantIsRefused() {
        try (var scope = ActorScope.open("refusals")) {
            var builder = scope.named("front").reentrant();
            var refused = Map.<String, Supplier<Object>>of(
                    "leave out abandonStuck", () -> worker(builder.abandonStuck(LONG, LONG)),
                    "leave out stash(capacity)", () -> worker(builder.stash(2)),
                    "use another overflow policy",
                    () -> worker(builder.mailbox(MailboxPolicy.bounded(2, OverflowPolicy.dropOldest()))),
                    "a receiving actor", () -> builder.<Integer>newReceivingActor((inbox, n) -> {
                    }),
                    "a master of workers", () -> Stereotypes.with(builder).<Integer>workers(n -> {
                    }),
                    "a group", () -> builder.newGroup(GroupPolicy.oneForOne()),
                    "an actor of batches",
                    () -> builder.<Integer>newBatchActor(BatchOptions.of(2, LONG), n -> {
                    }));
            refused.forEach((why, make) -> assertThatThrownBy(make::get).as(why)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(" named 'front' cannot have reentrant: ", why));
        }
    }
}
