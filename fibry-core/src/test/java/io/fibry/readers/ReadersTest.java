package io.fibry.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.message.ReadOnly;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ReadersTest {
    private record Read(String what) implements ReadOnly {
    }

    private final Recorder events = new Recorder();
    private final CountDownLatch begun2 = new CountDownLatch(2);
    private final CountDownLatch open = new CountDownLatch(1);

    private static void onlyIfLibraryOwnsThreads(Strategy strategy) {
        Assumptions.assumeTrue(
                strategy == Strategy.FIBERS || strategy == Strategy.THREADS || strategy == Strategy.POOL);
    }

    /** Code that an actor is to run, and whether it only reads. */
    private record Job(boolean reads, Callable<Object> code) {
    }

    private static Actor<Job, Object> worker(ActorBuilder builder) {
        return builder.newActorWithReturn((Job job) -> job.code.call());
    }

    /** Sends a job that reads, or not, and returns when its thread waits. */
    private static CompletableFuture<Object> begin(Actor<Job, Object> actor, boolean reads,
            Callable<Object> code)
            throws Exception {
        var thread = new CompletableFuture<Thread>();
        var answer = actor.sendMessageReturn(new Job(reads, () -> {
            thread.complete(Thread.currentThread());
            return code.call();
        }));
        Waits.parked(Waits.on(thread));
        return answer;
    }

    /** Of two ways through the same readers, a reentrant actor can resolve one. */
    @Promise({"11.1", "38.5", "37.10"})
    @EveryStrategy
    void aCycleIsFoundAlthoughAnotherOneThroughTheSameReadersIsResolved(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy == Strategy.FIBERS || strategy == Strategy.THREADS);
        try (var scope = Scopes.on(strategy, events)) {
            var first = worker(scope.named("first"));
            var second = worker(scope.named("second").readers(2, job -> ((Job) job).reads));
            var third = worker(scope.named("third").readers(2, job -> ((Job) job).reads));
            var between = worker(scope.named("between").reentrant());
            var nothing = new Job(false, () -> "done");
            var outer = begin(first, false, () -> {
                open.await();
                return second.sendMessageReturnWait(nothing);
            });
            var ofThird = begin(third, true, () -> first.sendMessageReturnWait(nothing));
            var ofBetween = begin(between, false, () -> third.sendMessageReturnWait(nothing));
            var readers = List.of(begin(second, true, () -> between.sendMessageReturnWait(nothing)),
                    begin(second, true, () -> third.sendMessageReturnWait(nothing)));
            open.countDown();
            assertThat(Waits.failure(outer)).hasStackTraceContaining(AskCycleException.class.getName())
                    .hasStackTraceContaining("'first' -> 'second' -> 'third' -> 'first'");
            for (var answer : List.of(ofThird, ofBetween, readers.getFirst(), readers.getLast())) {
                assertThat(Waits.on(answer)).isEqualTo("done");
            }
        }
    }

    @Promise("38.1")
    @EveryStrategy
    void readersRunSideBySideAndNoMoreThanAllowed(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var inside = new AtomicInteger();
            var actor = scope.anonymous().readers(2).newActorWithReturn((Object message) -> {
                var now = inside.incrementAndGet();
                begun2.countDown();
                Waits.on(open);
                inside.decrementAndGet();
                return now;
            });
            var answers = IntStream.range(0, 5)
                    .mapToObj(i -> actor.sendMessageReturn(new Read("" + i))).toList();
            Waits.on(begun2);
            assertThat(actor.state()).isEqualTo(ActorState.BUSY);
            open.countDown();
            for (var answer : answers) {
                assertThat(Waits.on(answer)).isLessThanOrEqualTo(2);
            }
            assertThat(actor.counters().handled()).isEqualTo(5);
        }
    }

    @Promise("38.2")
    @EveryStrategy
    void aWriterWaitsForReadersAndReadersForAWriter(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var seen = Collections.synchronizedList(new ArrayList<String>());
            var actor = scope.anonymous().readers(4, Read.class::isInstance)
                    .state(() -> new int[1]).newActorWithReturn((int[] state, Object message) -> {
                        if (message instanceof Read) {
                            begun2.countDown();
                            Waits.on(open);
                        } else {
                            state[0]++;
                        }
                        seen.add(message instanceof Read ? "read" + state[0] : "write");
                        return state[0];
                    });
            actor.sendMessage("write");
            actor.sendMessage(new Read("a"));
            actor.sendMessage(new Read("b"));
            actor.sendMessage("write");
            var last = actor.sendMessageReturn(new Read("c"));
            Waits.on(begun2);
            assertThat(seen).containsExactly("write");
            open.countDown();
            assertThat(Waits.on(last)).isEqualTo(2);
            assertThat(seen).containsExactly("write", "read1", "read1", "write", "read2");
        }
    }

    @Promise("38.2")
    @EveryStrategy
    void codeAndHeldActorsAreWriters(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var seen = Collections.synchronizedList(new ArrayList<String>());
            var actor = scope.anonymous().readers(4).newActor((Read message) -> {
                begun2.countDown();
                Waits.on(open);
                seen.add("read");
            });
            actor.sendMessage(new Read("a"));
            actor.sendMessage(new Read("b"));
            var held = Actors.holding(List.of(actor)).execFuture(() -> seen.add("held"));
            actor.execAsync(() -> seen.add("code"));
            Waits.on(begun2);
            assertThat(held).isNotDone();
            open.countDown();
            Waits.on(held);
            Waits.on(actor.execFuture(() -> "after"));
            assertThat(seen).containsExactly("read", "read", "held", "code");
        }
    }

    @Promise("38.3")
    @EveryStrategy
    void thePillAndTheCloseOfTheScopeComeAfterTheReaders(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        var ended = new AtomicInteger();
        Actor<Read, Void> actor;
        try (var scope = Scopes.on(strategy, events)) {
            actor = scope.anonymous().readers(4).onExit(() -> assertThat(ended.get()).isEqualTo(2)).newActor(
                    (Read message) -> {
                        begun2.countDown();
                        Waits.on(open);
                        ended.incrementAndGet();
                    });
            actor.sendMessage(new Read("a"));
            actor.sendMessage(new Read("b"));
            Waits.on(begun2);
            actor.sendPoisonPill();
            actor.askExit();
            assertThat(actor.state()).isNotEqualTo(ActorState.STOPPED);
            open.countDown();
        }
        assertThat(ended.get()).isEqualTo(2);
        assertThat(actor.counters().handled()).isEqualTo(2);
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("38.3")
    @EveryStrategy
    void aForcedStopInterruptsAllReaders(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var interrupted = new CountDownLatch(2);
            var actor = scope.anonymous().readers(4)
                    .newActor((Read message) -> Waits.untilInterrupted(begun2, interrupted));
            actor.sendMessage(new Read("a"));
            actor.sendMessage(new Read("b"));
            Waits.on(begun2);
            assertThat(actor.stop(Duration.ZERO).stopped()).isTrue();
            Waits.on(interrupted);
        }
    }

    @Promise("38.4")
    @EveryStrategy
    void failuresAreReportedOnceAndThePolicyComesBetweenMessages(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var made = new AtomicInteger();
            var actor = scope.anonymous().onFailure(FailurePolicy.restart()).readers(4)
                    .state(made::incrementAndGet)
                    .newActorWithReturn((Integer state, Object message) -> {
                        if (message instanceof Read) {
                            begun2.countDown();
                            Waits.on(open);
                            throw new IllegalStateException("read in " + state);
                        }
                        return state;
                    });
            var one = actor.sendMessageReturn(new Read("a"));
            var other = actor.sendMessageReturn(new Read("b"));
            var write = actor.sendMessageReturn("write");
            Waits.on(begun2);
            open.countDown();
            assertThat(Waits.failure(one)).hasMessage("read in 1");
            assertThat(Waits.failure(other)).hasMessage("read in 1");
            assertThat(Waits.on(write)).isEqualTo(2);
            assertThat(actor.counters().failed()).isEqualTo(2);
            assertThat(actor.counters().handled()).isEqualTo(1);
            assertThat(events.of(Failed.class)).hasSize(2);
            assertThat(events.of(Restarted.class)).hasSize(1);
        }
    }

    @Promise("38.4")
    @EveryStrategy
    void thePolicyIsAppliedAlthoughNoMessageFollows(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor =
                    scope.anonymous().onFailure(FailurePolicy.stop()).readers(4).newActor((Read message) -> {
                        throw new IllegalStateException("read");
                    });
            actor.sendMessage(new Read("a"));
            Waits.stopped(actor);
        }
    }

    @Promise("38.5")
    @EveryStrategy
    void aCycleThroughAnyReaderIsFound(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var target = new CompletableFuture<Actor<Object, Object>>();
            var other = scope.anonymous().newActorWithReturn((Object message) -> {
                if (message instanceof Read) {
                    return "plain";
                }
                Waits.on(begun2);
                return Waits.on(target).sendMessageReturn("write").get();
            });
            var actor = scope.anonymous().readers(4).newActorWithReturn((Object message) -> {
                begun2.countDown();
                return message instanceof Read read && read.what.equals("cycle")
                        ? other.sendMessageReturn("ask").get()
                        : "done";
            });
            target.complete(actor);
            var cycle = actor.sendMessageReturn(new Read("cycle"));
            var beside = actor.sendMessageReturn(new Read("no cycle"));
            assertThat(Waits.failure(cycle)).hasStackTraceContaining(AskCycleException.class.getName());
            assertThat(Waits.on(beside)).isEqualTo("done");
        }
    }

    @Promise("38.5")
    @EveryStrategy
    void aReaderThatAsksItsOwnActorIsACycle(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var self = new CompletableFuture<Actor<Read, Object>>();
            var actor = scope.anonymous().readers(4)
                    .newActorWithReturn(
                            (Read message) -> Waits.on(self).sendMessageReturn(new Read("x")).get());
            self.complete(actor);
            assertThat(Waits.failure(actor.sendMessageReturn(new Read("a"))))
                    .hasStackTraceContaining(AskCycleException.class.getName());
        }
    }

    @Promise("38.6")
    @EveryStrategy
    void whatChangesTheActorIsRefusedInAReader(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().readers(4)
                    .newActorWithReturn((ActorContext<Read, Object> context, Read message) -> {
                        switch (message.what) {
                            case "timers" -> context.timers();
                            case "child" -> context.child();
                            case "become" -> context.unbecome();
                            case "defer" -> {
                                var reply = context.deferReply();
                                Thread.startVirtualThread(() -> reply.complete("later"));
                            }
                            case "left" -> {
                                return context.timeLeft();
                            }
                            default -> context.askExit();
                        }
                        return null;
                    });
            for (var what : List.of("timers", "child", "become")) {
                assertThat(Waits.failure(actor.sendMessageReturn(new Read(what))))
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("a reader of actor");
            }
            assertThat(Waits.on(actor.sendMessageReturn(new Read("defer")))).isEqualTo("later");
            var left = Waits.on(actor.sendMessageReturn(new Read("left"), Duration.ofMinutes(1)));
            assertThat(left).isNotEqualTo(Optional.empty()).isInstanceOf(Optional.class);
            assertThat(Waits.on(actor.sendMessageReturn(new Read("left")))).isEqualTo(Optional.empty());
            actor.sendMessage(new Read("exit"));
            Waits.stopped(actor);
        }
    }

    private record Sum(int more) implements Request<Integer>, ReadOnly {
    }

    @Promise("38.2")
    @EveryStrategy
    void manySendersSeeTheirOwnWrites(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            for (var mailbox : List.of(MailboxPolicy.unbounded(),
                    MailboxPolicy.bounded(3, OverflowPolicy.block()))) {
                var actor = scope.anonymous().mailbox(mailbox).readers(3).state(() -> new int[4])
                        .newActorWithReturn((int[] state, Object message) -> message instanceof Sum sum
                                ? state[sum.more] : (Object) state[(Integer) message]++);
                var senders = new ArrayList<CompletableFuture<Void>>();
                for (int s = 0; s < 4; s++) {
                    var mine = s;
                    senders.add(CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < 100; i++) {
                            actor.sendMessage(mine);
                            var seen = actor.sendMessageReturn(new Sum(mine));
                            actor.sendMessage(mine);
                            assertThat(seen.join()).isEqualTo(2 * i + 1);
                        }
                    }, task -> Thread.startVirtualThread(task)));
                }
                for (var sender : senders) {
                    Waits.on(sender);
                }
                actor.close();
                assertThat(actor.counters().handled()).isEqualTo(4 * 300);
            }
        }
    }

    @Promise("38.1")
    @EveryStrategy
    void aMessageWhosePredicateThrowsIsAWriter(Strategy strategy) throws Exception {
        onlyIfLibraryOwnsThreads(strategy);
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().readers(4, message -> {
                throw new IllegalStateException("no idea");
            }).newActorWithReturn((String message) -> message);
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo("a");
            assertThat(actor.counters().handled()).isEqualTo(1);
            assertThat(events.of(Failed.class)).hasSize(1);
        }
    }

    private static void refused(ActorBuilder builder, String why) {
        assertThatThrownBy(() -> builder.newActor((Read message) -> {
        })).isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("an actor cannot have readers: it ")
                .hasMessageContaining(why);
    }

    @Promise("38.7")
    @Test
    void whatCannotHaveReadersIsRefused() {
        try (var scope = ActorScope.open("refusals")) {
            var readers = scope.anonymous().readers(2);
            refused(readers.strategy(CreationStrategy.caller()), "threads that do not belong to the library");
            refused(readers.strategy(CreationStrategy.of(Runnable::run)),
                    "use fibers(), threads() or pool(n)");
            refused(readers.runByCallers(), "leave out runByCallers()");
            refused(readers.interruptOnCancel(), "leave out interruptOnCancel()");
            refused(readers.stash(2), "leave out stash(capacity)");
            refused(readers.abandonStuck(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                    "leave out abandonStuck");
            assertThatThrownBy(() -> readers.newReceivingActor(context -> context.receive()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("receives messages itself");
            assertThatThrownBy(() -> scope.anonymous().readers(0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
