package io.fibry.readers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorState;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.keyed.KeyedOptions;
import io.fibry.message.ReadOnly;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** How readers begin, fail, and end, and what an actor is while they run. */
class ReaderLivesTest {
    private record Read(String what) implements ReadOnly {
    }

    private final Recorder events = new Recorder();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch begun2 = new CountDownLatch(2);

    private static boolean isBeginningOfReader(Stream<StackFrame> stack) {
        return stack.limit(6).anyMatch(frame -> frame.getClassName().endsWith(".ReaderThread")
                && frame.getMethodName().equals("run"));
    }

    @Promise({"38.4", "4.1"})
    @EveryStrategy
    void aReaderThatHasTooLittleStackToBeginLosesItsMessageAndNothingElse(Strategy strategy)
            throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().readers(1).newActorWithReturn((Object message) -> message);
            var left = new AtomicInteger(1);
            EngineProbe.interleave(() -> {
                if (StackWalker.getInstance().walk(ReaderLivesTest::isBeginningOfReader)
                        && left.getAndDecrement() > 0) {
                    throw new StackOverflowError("as planned");
                }
            }, null, null);
            try {
                assertThat(Waits.failure(actor.sendMessageReturn(new Read("lost")))).isInstanceOf(
                        ActorException.class);
            } finally {
                EngineProbe.stopInterleaving();
            }
            var next = new Read("next");
            assertThat(Waits.on(actor.sendMessageReturn(next))).isEqualTo(next);
            assertThat(Waits.on(actor.sendMessageReturn("writer"))).isEqualTo("writer");
            assertThat(EngineProbe.readerPlaces(actor)).isEqualTo(1);
            actor.close();
            Waits.stopped(actor);
            assertThat(actor.counters().handled()).isEqualTo(2);
            assertThat(actor.counters().total()).isEqualTo(3);
        }
    }
    private final CountDownLatch open = new CountDownLatch(1);

    private static void onlyIfLibraryOwnsThreads(Strategy strategy) {
        Assumptions.assumeTrue(
                strategy == Strategy.FIBERS || strategy == Strategy.THREADS || strategy == Strategy.POOL);
    }

    // ---- How they begin. ----

    @Promise("38.1")
    @EveryStrategy
    void thePredicateIsAskedOnceForEachMessage(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var asked = new ConcurrentHashMap<Object, Integer>();
        try (var scope = Scopes.on(strategy, events)) {
            // A predicate that changes its mind: what it says first holds.
            var actor = scope.anonymous().readers(1, message -> {
                var first = asked.merge(message, 1, Integer::sum) == 1;
                return first == message instanceof Read;
            }).newActorWithReturn((Object message) -> {
                begun.countDown();
                Waits.on(open);
                return Thread.currentThread().isVirtual() ? "read" : "write";
            });
            var first = actor.sendMessageReturn(new Read("a"));
            Waits.on(begun);
            var second = actor.sendMessageReturn(new Read("b")); // waits until there is a place
            var write = actor.sendMessageReturn("write"); // waits for all readers
            var third = actor.sendMessageReturn(new Read("c"));
            open.countDown();
            for (var read : List.of(first, second, third)) {
                assertThat(Waits.on(read)).isEqualTo("read");
            }
            assertThat(Waits.on(write)).isEqualTo(strategy == Strategy.FIBERS ? "read" : "write");
            assertThat(asked).hasSize(4).allSatisfy((message, times) -> assertThat(times).isEqualTo(1));
        }
    }

    @Promise("38.1")
    @EveryStrategy
    void aPredicateThatThrowsForAMessageThatWaitsIsReportedOnce(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().readers(4, message -> {
                if (message instanceof Read) {
                    return true;
                }
                throw new IllegalStateException("no idea");
            }).newActorWithReturn((Object message) -> {
                begun.countDown();
                Waits.on(open);
                return message;
            });
            actor.sendMessage(new Read("a"));
            Waits.on(begun);
            var write = actor.sendMessageReturn("write");
            var reported = events.await(Failed.class);
            assertThat(reported.message()).contains(String.class);
            open.countDown();
            assertThat(Waits.on(write)).isEqualTo("write");
            assertThat(events.of(Failed.class)).hasSize(1);
        }
    }

    /** How an actor is made whose making fails twice, or that many times. */
    private static Map<String, Consumer<ActorBuilder>> makings(AtomicInteger made, int failures,
            List<Actor<Read, Integer>> actors) {
        var makings = new LinkedHashMap<String, Consumer<ActorBuilder>>();
        Callable<Integer> make = () -> {
            if (made.incrementAndGet() <= failures) {
                throw new IllegalStateException("not made: " + made);
            }
            return made.get();
        };
        makings.put("state", builder -> actors.add(builder.<Integer>state(() -> call(make))
                .newActorWithReturn((Integer state, Read read) -> state)));
        makings.put("hook", builder -> actors.add(builder.onStart(make::call)
                .newActorWithReturn((Read read) -> made.get())));
        makings.put("factory", builder -> actors.add(builder.newActorWithReturnFrom(() -> {
            var mine = call(make);
            return (Read read) -> mine;
        })));
        return makings;
    }

    private static Integer call(Callable<Integer> code) {
        try {
            return code.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Promise("38.9")
    @EveryStrategy
    void whatCannotBeMadeFailsOneMessage(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        for (var what : makings(new AtomicInteger(), 0, List.of()).keySet()) {
            var made = new AtomicInteger();
            var actors = new ArrayList<Actor<Read, Integer>>();
            try (var scope = Scopes.on(strategy)) {
                var making = makings(made, 2, actors).get(what);
                making.accept(scope.anonymous().onFailure(FailurePolicy.resume()).readers(4));
                var actor = actors.getFirst();
                var attempts = new ArrayList<String>();
                for (int i = 0; i < 4; i++) {
                    attempts.add(Waits.on(actor.sendMessageReturn(new Read("r"))
                            .handle((value, failure) -> failure == null ? "made" : failure.getMessage())));
                }
                // A factory and hooks have one attempt before the first message.
                var first = what.equals("state") ? List.of("not made: 1", "not made: 2", "made", "made")
                        : List.of("not made: 2", "made", "made", "made");
                assertThat(attempts).as(what).isEqualTo(first);
                assertThat(actor.counters().handled() + actor.counters().failed()).isEqualTo(4);
            }
        }
    }

    @Promise("38.9")
    @EveryStrategy
    void aHandlerOfAKeyThatCannotBeMadeFailsOneMessage(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var made = new AtomicInteger();
        try (var scope = Scopes.on(strategy)) {
            var builder = scope.anonymous().onFailure(FailurePolicy.resume()).readers(4);
            var actors = Stereotypes.with(builder).<String, Read, Integer>keyedWithReturn(
                    KeyedOptions.idle(Duration.ofDays(1)), Read::what, key -> {
                        if (made.incrementAndGet() == 1) {
                            throw new IllegalStateException("not made");
                        }
                        return (context, message) -> made.get();
                    });
            assertThat(Waits.failure(actors.sendMessageReturn(new Read("k")))).hasMessage("not made");
            assertThat(Waits.on(actors.sendMessageReturn(new Read("k")))).isEqualTo(2);
            actors.close();
        }
    }

    @Promise("38.9")
    @Test
    void aReaderThatCannotBeStartedIsNone() throws Exception {
        var mode = new AtomicInteger();
        try (var scope = Scopes.on(Strategy.POOL, events)) {
            var inside = new AtomicInteger();
            var actor = scope.anonymous().readers(2).newActorWithReturn((Read read) -> {
                inside.incrementAndGet();
                if (read.what.equals("beside")) {
                    begun2.countDown();
                    Waits.on(begun2);
                }
                return Thread.currentThread().isVirtual();
            });
            EngineProbe.fibers(task -> {
                if (mode.get() == 1) {
                    throw new OutOfMemoryError("no thread");
                }
                var before = inside.get();
                Thread.ofVirtual().start(task);
                if (mode.get() == 2) {
                    Waits.until("the reader runs", () -> inside.get() > before);
                    throw new OutOfMemoryError("it seems that there is no thread");
                }
            });
            try {
                for (int i = 0; i < 3; i++) {
                    mode.set(1);
                    assertThat(Waits.on(actor.sendMessageReturn(new Read("alone")))).isEqualTo(false);
                    mode.set(2);
                    assertThat(Waits.on(actor.sendMessageReturn(new Read("alone")))).isEqualTo(true);
                }
                mode.set(0);
                var one = actor.sendMessageReturn(new Read("beside"));
                var other = actor.sendMessageReturn(new Read("beside"));
                assertThat(Waits.on(one) && Waits.on(other)).isTrue();
                assertThat(inside.get()).isEqualTo(8);
                assertThat(actor.counters().handled()).isEqualTo(8);
                assertThat(events.of(Failed.class)).isEmpty();
            } finally {
                EngineProbe.fibers(null);
            }
            actor.close();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
        }
    }

    // ---- What waits for readers. ----

    @Promise("38.2")
    @Test
    void noThreadWaitsForReaders() throws Exception {
        try (var pool = CreationStrategy.pool(1);
                var scope = Scopes.configure().strategy(pool).listener(events).open()) {
            var actor = scope.anonymous().readers(2).newActorWithReturn((Object message) -> {
                if (message instanceof Read) {
                    begun2.countDown();
                    Waits.on(open);
                }
                return Thread.currentThread();
            });
            var thread = Waits.on(actor.sendMessageReturn("write"));
            actor.sendMessage(new Read("a"));
            actor.sendMessage(new Read("b"));
            Waits.on(begun2);
            var full = actor.sendMessageReturn(new Read("c"));
            var write = actor.sendMessageReturn("write");
            var other = scope.anonymous().newActorWithReturn((String message) -> Thread.currentThread());
            assertThat(Waits.on(other.sendMessageReturn("a"))).as("the thread of the pool").isSameAs(thread);
            assertThat(full).isNotDone();
            assertThat(write).isNotDone();
            open.countDown();
            assertThat(Waits.on(full).isVirtual()).isTrue();
            assertThat(Waits.on(write)).isSameAs(thread);
        }
    }

    @Promise("38.5")
    @EveryStrategy
    void aLongCycleThroughReadersIsFound(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy == Strategy.FIBERS);
        var length = 3_000;
        try (var scope = Scopes.on(strategy)) {
            var actors = new ArrayList<Actor<Read, Object>>();
            for (int i = 0; i < length; i++) {
                var next = i + 1;
                actors.add(scope.anonymous().readers(2).newActorWithReturn(
                        (Read read) -> actors.get(next % length).sendMessageReturn(read).get()));
            }
            var failure = Waits.failure(actors.getFirst().sendMessageReturn(new Read("a")));
            while (failure.getCause() != null) {
                failure = failure.getCause();
            }
            assertThat(failure).isInstanceOf(AskCycleException.class);
        }
    }

    // ---- How they fail. ----

    @Promise("38.4")
    @EveryStrategy
    void thePolicyIsAppliedToTheFirstFailure(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().onFailure(FailurePolicy.restart()).readers(4)
                    .newActorWithReturn((Read read) -> {
                        begun2.countDown();
                        Waits.on(begun2);
                        if (read.what.equals("second")) {
                            Waits.on(open);
                        }
                        throw new IllegalStateException(read.what);
                    });
            var second = actor.sendMessageReturn(new Read("second"));
            var first = actor.sendMessageReturn(new Read("first"));
            assertThat(Waits.failure(first)).hasMessage("first");
            assertThat(events.of(Restarted.class)).isEmpty();
            open.countDown();
            assertThat(Waits.failure(second)).hasMessage("second");
            assertThat(events.await(Restarted.class).cause()).hasMessage("first");
        }
        assertThat(events.of(Restarted.class)).hasSize(1);
        assertThat(events.of(Failed.class)).hasSize(2);
    }

    private void failsHere(Actor<Read, Object> actor) {
        actor.sendMessage(new Read("failsHere"));
    }

    private void failsThere(Actor<Read, Object> actor) {
        actor.sendMessage(new Read("failsThere"));
    }

    @Promise({"35.5", "38.4"})
    @EveryStrategy
    void eachReaderThatFailsTellsItsOwnSite(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope =
                Scopes.configure().strategy(strategy.create()).listener(events).senderSites(1).open()) {
            Actor<Read, Object> actor =
                    scope.anonymous().keepFailedMessages().readers(2).newActorWithReturn((Read read) -> {
                        begun.countDown();
                        begun2.countDown();
                        // The one that began first fails first.
                        Waits.on(read.what.equals("failsHere") ? begun2 : open);
                        throw new IllegalStateException(read.what);
                    });
            failsHere(actor);
            Waits.on(begun);
            failsThere(actor);
            events.await(Failed.class);
            open.countDown();
            assertThat(events.await(Failed.class, 2)).allSatisfy(failed -> {
                var sentFrom = failed.sentFrom().orElseThrow().frames().getFirst().getMethodName();
                assertThat(failed.keptMessage()).contains(new Read(sentFrom));
            });
        }
    }

    // ---- What they may do. ----

    private interface Change {
        void on(ActorContext<Read, Object> context, Actor<?, ?> other) throws Exception;
    }

    @Promise("38.6")
    @EveryStrategy
    void noReaderChangesItsActor(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var changes = new LinkedHashMap<String, Change>();
        changes.put("timers", (context, other) -> context.timers());
        changes.put("child", (context, other) -> context.child());
        changes.put("named child", (context, other) -> context.child("a name"));
        changes.put("watch", (context, other) -> context.watch(other, how -> new Read("notice")));
        changes.put("unwatch", (context, other) -> context.unwatch(other));
        changes.put("link", (context, other) -> context.link(other));
        changes.put("unlink", (context, other) -> context.unlink(other));
        changes.put("become", (context, other) -> context.become((inside, message) -> {
        }));
        changes.put("becomeWithReturn",
                (context, other) -> context.becomeWithReturn((inside, message) -> "replaced"));
        changes.put("unbecome", (context, other) -> context.unbecome());
        try (var scope = Scopes.on(strategy, events)) {
            var other = scope.anonymous().newActor((String message) -> {
            });
            var actor = scope.anonymous().readers(4)
                    .newActorWithReturn((ActorContext<Read, Object> context, Read read) -> {
                        var change = changes.get(read.what);
                        if (change != null) {
                            change.on(context, other);
                        }
                        return "unchanged";
                    });
            for (var what : changes.keySet()) {
                assertThat(Waits.failure(actor.sendMessageReturn(new Read(what)))).as(what)
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("a reader of actor");
            }
            assertThat(Waits.on(actor.sendMessageReturn(new Read("nothing")))).isEqualTo("unchanged");
        }
    }

    // ---- What the actor is while they run. ----

    @Promise("38.8")
    @EveryStrategy
    void anActorIsNotIdleBeforeItsReadersHaveEnded(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO);
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.anonymous().stopWhenIdle(Duration.ofSeconds(10)).readers(2)
                    .newActorWithReturn((Read read) -> {
                        begun.countDown();
                        Waits.on(open);
                        return read.what;
                    });
            var answer = actor.sendMessageReturn(new Read("a"));
            Waits.on(begun);
            time.advance(Duration.ofSeconds(25));
            assertThat(actor.state()).isEqualTo(ActorState.BUSY);
            open.countDown();
            assertThat(Waits.on(answer)).isEqualTo("a");
            Waits.until("the actor is idle", () -> actor.state() == ActorState.IDLE);
            time.advance(Duration.ofSeconds(9));
            Waits.until("the actor does nothing", () -> actor.state() != ActorState.BUSY);
            assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            time.advance(Duration.ofSeconds(30));
            Waits.stopped(actor);
            assertThat(events.only(Stopped.class).reason()).isEqualTo(Reason.IDLE);
        }
    }

    @Promise("38.8")
    @EveryStrategy
    void aTestWaitsForReaders(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var done = new AtomicInteger();
            var actor = scope.anonymous().readers(4).newActor((Read read) -> {
                for (int i = 0; i < 1_000; i++) {
                    Thread.yield();
                }
                done.incrementAndGet();
            });
            for (int i = 1; i <= 5; i++) {
                actor.sendMessage(new Read("a"));
                actor.sendMessage(new Read("b"));
                time.awaitRest();
                assertThat(done.get()).isEqualTo(2 * i);
            }
        }
    }

    @Promise("38.3")
    @EveryStrategy
    void theReportOfAStopTellsWhatAReaderDoes(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var stays = new CompletableFuture<@Nullable Object>();
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.named("slow").readers(4).newActor((Read read) -> {
                begun.countDown();
                staysHere(stays);
            });
            actor.sendMessage(new Read("a"));
            Waits.on(begun);
            var report = actor.stop(Duration.ZERO);
            assertThat(report.stopped()).isFalse();
            assertThat(report.stacks().get("slow"))
                    .anyMatch(frame -> frame.getMethodName().equals("staysHere"));
            stays.complete(null);
            Waits.stopped(actor);
        }
    }

    private static void staysHere(CompletableFuture<?> until) {
        until.join(); // no interrupt ends that
    }
}
