package io.fibry.scopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ShutdownTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private final Recorder recorder = new Recorder();

    private static CompletableFuture<StopReport> stop(ActorScope scope, Duration deadline) {
        var report = new CompletableFuture<StopReport>();
        Thread.ofVirtual().start(() -> report.complete(scope.stop(deadline)));
        return report;
    }

    /** An actor that takes nothing from outside any more. */
    private static void awaitNoIntake(Actor<Integer, ?> idle) {
        await().until(() -> !idle.sendMessage(0));
    }

    @Promise("25.1")
    @EveryStrategy
    void whileItIsDrainedWhatComesFromOutsideIsRefusedAndWhatComesFromInsideIsHandled(Strategy strategy)
            throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var handled = new CopyOnWriteArrayList<Integer>();
        var inner = scope.child("inner").open();
        var last = inner.named("last").newActorWithReturn((Integer n) -> {
            handled.add(n);
            return -n;
        });
        var middle = scope.named("middle").newActor((Integer n) -> {
            scope.anonymous().newActor((Integer m) -> handled.add(last.apply(m))).sendMessage(n);
        });
        var first = scope.named("first").newActor((Integer n) -> middle.sendMessage(n));
        var idle = scope.anonymous().newActor((Integer n) -> {
        });
        CompletableFuture<StopReport> report;
        try (var gate = Gate.in(first)) {
            first.sendMessage(7);
            report = stop(scope, LONG);
            awaitNoIntake(idle);
            assertThat(first.sendMessage(1)).isFalse();
            assertThat(last.sendMessage(2)).as("into a scope inside").isFalse();
            assertThat(Waits.failure(first.sendMessageReturn(3))).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("'first'").hasMessageContaining("is being closed");
            assertThatThrownBy(() -> scope.anonymous().newActor((Integer n) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
            gate.open();
        }
        assertThat(Waits.on(report).stopped()).isTrue();
        assertThat(Waits.on(report).forced()).isFalse();
        assertThat(handled).containsExactly(7, -7);
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause).containsOnly(Cause.CLOSING);
        assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).contains(1, 2, 3);
    }

    @Promise("25.1")
    @EveryStrategy
    void whatLeadsToFurtherMessagesIsHandledToItsEnd(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var rest = new AtomicInteger(20_000); // so long that no count of tries ends the drain
        var other = new AtomicReference<Actor<Integer, Void>>();
        Actor<Integer, Void> one = scope.anonymous().newActor((Integer n) -> {
            if (rest.getAndDecrement() > 0) {
                other.get().sendMessage(n);
            }
        });
        other.set(scope.anonymous().newActor((Integer n) -> one.sendMessage(n)));
        CompletableFuture<StopReport> report;
        var idle = scope.anonymous().newActor((Integer n) -> {
        });
        try (var gate = Gate.in(one)) {
            Thread.startVirtualThread(() -> one.sendMessage(1));
            await().until(() -> one.mailboxSize() == 1);
            report = stop(scope, LONG);
            awaitNoIntake(idle);
            gate.open();
        }
        assertThat(Waits.on(report).forced()).isFalse();
        assertThat(rest).hasValue(-1);
    }

    @Promise("25.1")
    @EveryStrategy
    void workersAreWaitedForAndCanStillSend(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var handled = new CopyOnWriteArrayList<Integer>();
        var sink = scope.anonymous().newActor((Integer n) -> handled.add(n));
        var released = new CountDownLatch(1);
        var working = new CountDownLatch(1);
        var workers = Stereotypes.with(scope.anonymous()).workers((Integer n) -> {
            working.countDown();
            released.await();
            sink.sendMessage(n);
        });
        var sender = Thread.startVirtualThread(() -> workers.sendMessage(5));
        Waits.on(working);
        var report = stop(scope, LONG);
        awaitNoIntake(sink);
        released.countDown();
        Waits.on(report);
        Waits.on(sender);
        assertThat(handled).contains(5);
    }

    private void next(ActorScope scope, AtomicInteger rest) {
        var next = new AtomicReference<Actor<Integer, Void>>();
        next.set(scope.anonymous().newActor((Integer n) -> {
            next.get().askExit();
            if (rest.decrementAndGet() > 0) {
                next(scope, rest);
            }
        }));
        next.get().sendMessage(1);
    }

    @Promise("25.1")
    @Test
    void actorsThatComeAndGoAreAwaitedHoweverManyTheyAre() throws Exception {
        var scope = Scopes.on(Strategy.POOL, recorder);
        var rest = new AtomicInteger(40_000);
        next(scope, rest);
        assertThat(Waits.on(stop(scope, ChronoUnit.FOREVER.getDuration())).forced()).isFalse();
        assertThat(rest).hasValue(0);
    }

    /** The deadline never comes, so another rule ends the drain. */
    @Promise("25.1")
    @EveryStrategy
    void messagesWithoutEndAreGivenUpWhereTimeStandsStill(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder, new ManualTime());
        var self = new AtomicReference<Actor<Integer, Void>>();
        self.set(scope.anonymous().newActor((Integer n) -> self.get().sendMessage(n)));
        Thread.startVirtualThread(() -> self.get().sendMessage(1));
        await().until(() -> self.get().counters().handled() > 0);
        assertThat(Waits.on(stop(scope, LONG)).stopped()).isTrue();
    }

    @Promise("25.1")
    @EveryStrategy
    void messagesWithoutEndAreGivenUpAtTheDeadline(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var self = new AtomicReference<Actor<Integer, Void>>();
        self.set(scope.anonymous().newActor((Integer n) -> self.get().sendMessage(n)));
        Thread.startVirtualThread(() -> self.get().sendMessage(1));
        await().until(() -> self.get().counters().handled() > 0);
        var report = Waits.on(stop(scope, Duration.ofMillis(100)));
        assertThat(report.stopped()).isTrue();
        assertThat(report.counters().total()).isEqualTo(self.get().counters().total());
    }

    @Promise("25.3")
    @EveryStrategy
    void whatBringsInWorkIsStoppedFirstAndThenPhaseByPhase(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var inner = scope.child("inner").open();
        var steps = new CopyOnWriteArrayList<String>();
        var last = scope.anonymous().stopPhase(2).onExit(() -> steps.add("last")).newActor((Integer n) -> {
            steps.add("drained");
        });
        scope.anonymous().stopPhase(1).onExit(() -> steps.add("middle")).newActor((Integer n) -> {
        });
        inner.anonymous().onExit(() -> steps.add("inner")).newActor((Integer n) -> {
        });
        scope.anonymous().onExit(() -> steps.add("normal")).newActor((Integer n) -> {
        });
        scope.anonymous().stopPhase(-1).onExit(() -> {
            steps.add("source");
            last.sendMessage(1);
        }).newActor((Integer n) -> {
        });
        inner.anonymous().stopPhase(-1).onExit(() -> steps.add("inner source")).newActor((Integer n) -> {
        });
        scope.closeOnExit(() -> steps.add("resource"));
        var report = scope.stop(LONG);
        assertThat(steps).containsExactly("inner source", "source", "drained", "inner", "normal", "middle",
                "last",
                "resource");
        assertThat(report.stopped()).isTrue();
        assertThat(report.inner()).extracting(StopReport::name).containsExactly("inner");
    }

    @Promise("25.4")
    @EveryStrategy
    void resourcesAreClosedOnceInOrderAlsoIfOneThrows(Strategy strategy) {
        var scope = Scopes.on(strategy, recorder);
        var steps = new CopyOnWriteArrayList<String>();
        var failure = new IllegalStateException("as wanted");
        var actor = scope.anonymous().onExit(() -> steps.add("actor")).newActor((Integer n) -> {
        });
        assertThat(scope.closeOnExit(() -> steps.add("one"))).isSameAs(scope);
        scope.closeOnExit(() -> {
            throw failure;
        });
        scope.closeOnExit(() -> steps.add("three"));
        actor.sendMessage(1);
        scope.close();
        scope.close();
        scope.closeOnExit(() -> steps.add("late"));
        assertThat(steps).containsExactly("actor", "one", "three", "late");
        assertThat(recorder.only(Failed.class).cause()).isSameAs(failure);
        var never = ActorSystem.configure("never used").listener(recorder).open();
        never.close();
        never.closeOnExit(() -> steps.add("after"));
        never.closeOnExit(() -> {
            throw failure;
        });
        assertThat(steps).endsWith("after");
        assertThat(recorder.of(Failed.class)).hasSize(2).last().extracting(Failed::actor)
                .isEqualTo("never used");
    }

    @Promise({"25.4", "9.6"})
    @EveryStrategy
    void closedFromInsideItClosesItsResourcesWhenThatHandlerIsDone(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var steps = new CopyOnWriteArrayList<String>();
        var closed = new CountDownLatch(1);
        scope.closeOnExit(() -> {
            steps.add("resource");
            closed.countDown();
        });
        var actor = scope.named("closer").<Integer>newActor((context, n) -> {
            context.scope().close();
            steps.add("handler");
        });
        actor.sendMessage(1);
        Waits.on(closed);
        assertThat(steps).containsExactly("handler", "resource");
        actor.waitForExit();
    }

    @Promise("25.4")
    @EveryStrategy
    void theReportAddsUpAndShowsWhereAStuckHandlerIs(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var scope = Scopes.on(strategy, recorder, time);
        var end = new CompletableFuture<Void>();
        var stuck = scope.named("stuck").newActor((Integer n) -> waitForever(end));
        var fine = scope.named("fine").newActor((Integer n) -> {
            if (n == 0) {
                throw new IllegalStateException("as wanted");
            }
        });
        for (int i = 0; i < 5; i++) {
            fine.sendMessage(i);
        }
        await().until(() -> fine.counters().total() == 5);
        var sender = Thread.startVirtualThread(() -> stuck.sendMessage(1));
        await().until(() -> stuck.counters().total() == 0 && stuck.state() == io.fibry.ActorState.BUSY
                && stuck.mailboxSize() == 0);
        if (strategy.isAsync()) {
            stuck.sendMessage(2);
            stuck.sendMessage(3);
        }
        scope.sendOrKeep(ActorName.of("nobody"), 1, 0);
        var stopping = stop(scope, Duration.ofSeconds(5));
        await().until(() -> time.pending() == 1);
        assertThat(fine.sendMessage(9)).isFalse();
        time.advance(Duration.ofSeconds(5));
        var report = Waits.on(stopping);
        assertThat(report.stuck()).containsExactly("stuck");
        assertThat(report.stacks()).containsOnlyKeys("stuck");
        assertThat(report.stacks().get("stuck"))
                .anyMatch(frame -> frame.getMethodName().equals("waitForever"));
        assertThat(report.drain()).isEqualTo(Duration.ofSeconds(5));
        end.complete(null);
        stuck.waitForExit();
        Waits.on(sender);
        var after = scope.stop(Duration.ZERO);
        var counters = after.counters();
        assertThat(counters.total()).as("what was offered").isEqualTo(strategy.isAsync() ? 10 : 8);
        assertThat(counters.handled()).isEqualTo(5);
        assertThat(counters.failed()).isEqualTo(1);
        assertThat(after.lost()).containsEntry(Cause.CLOSING, 1L).containsEntry(Cause.NO_SUCH_ACTOR, 1L);
        if (strategy.isAsync()) {
            assertThat(after.lost()).containsEntry(Cause.STOPPED_BEFORE_TURN, 2L);
        }
        assertThat(after.lost().values().stream().mapToLong(n -> n).sum())
                .isEqualTo(counters.dropped() + counters.refused() + counters.undelivered());
        assertThat(stuck.stop(Duration.ZERO).lost().values().stream().mapToLong(n -> n).sum())
                .isEqualTo(stuck.counters().undelivered() + stuck.counters().refused());
    }

    private static void waitForever(CompletableFuture<Void> end) {
        end.join();
    }

    @Promise("25.6")
    @EveryStrategy
    void itHoldsTheJvmByOneThreadThatEndsWithIt(Strategy strategy) throws Exception {
        var scope =
                ActorSystem.configure("holding").strategy(strategy.create()).keepJvmAlive().closeAtShutdown()
                        .open();
        var holding = threads();
        assertThat(holding).hasSize(1).allMatch(thread -> !thread.isDaemon());
        scope.close();
        for (var thread : holding) {
            Waits.on(thread);
        }
        assertThat(threads()).isEmpty();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fibry-keep-alive-holding")).toList();
    }

    @Promise("25.6")
    @Test
    void theCloseTimeoutOfAScopeIsWhatItsCloseAllows() throws Exception {
        var time = new ManualTime();
        try (var plain = ActorSystem.open("plain")) {
            assertThat(plain.closeTimeout()).isEqualTo(Duration.ofSeconds(30));
        }
        var scope = ActorSystem.configure("short").time(time).closeTimeout(Duration.ofSeconds(3)).open();
        assertThat(scope.closeTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(scope.child("inner").open().closeTimeout()).isEqualTo(Duration.ofSeconds(3));
        var begun = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        scope.anonymous().newActor((Integer n) -> Waits.untilInterrupted(begun, interrupted)).sendMessage(1);
        Waits.on(begun);
        var closing = Thread.ofVirtual().start(scope::close);
        Waits.until("the close waits", () -> time.pending() > 0);
        time.advance(Duration.ofMillis(2_999));
        assertThat(interrupted.getCount()).isEqualTo(1);
        time.advance(Duration.ofMillis(1));
        Waits.on(interrupted);
        Waits.on(closing);
    }

    @Promise("25.6")
    @Test
    void aScopeIsClosingFromTheBeginningOfTheStopAroundIt() throws Exception {
        try (var outer = ActorSystem.open("outer");
                var inner = outer.child("inner").open();
                var beside = ActorSystem.open("beside")) {
            var begun = new CountDownLatch(1);
            var release = new CountDownLatch(1);
            inner.anonymous().newActor((Integer n) -> {
                begun.countDown();
                Waits.on(release);
            }).sendMessage(1);
            Waits.on(begun);
            assertThat(List.of(outer.isClosing(), inner.isClosing())).containsExactly(false, false);
            var closing = Thread.ofVirtual().start(outer::close);
            Waits.until("the stop has begun", outer::isClosing);
            Waits.until("it has begun inside as well", inner::isClosing);
            assertThat(closing.isAlive()).isTrue();
            release.countDown();
            Waits.on(closing);
            assertThat(List.of(outer.isClosing(), inner.isClosing(), beside.isClosing()))
                    .containsExactly(true, true, false);
        }
    }

    /** The list of actors is read part by part: a part that was read may get the next actor while the last one leaves another. */
    @Test
    void aChainOfActorsThatEachMakeTheNextOneAndEndIsDrained() throws Exception {
        for (int round = 0; round < 12; round++) {
            var handled = new AtomicInteger();
            try (var scope = ActorSystem.open("chain")) {
                makeNext(scope, 20_000, handled);
                assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
                assertThat(handled).hasValue(20_000);
            }
        }
    }

    @Test
    void aClockSeesSuchAChainAtWork() throws Exception {
        for (int round = 0; round < 12; round++) {
            var handled = new AtomicInteger();
            var time = new ManualTime();
            try (var scope = ActorSystem.configure("chain").time(time).open()) {
                makeNext(scope, 20_000, handled);
                time.awaitRest();
                assertThat(handled).hasValue(20_000);
            }
        }
    }

    private static void makeNext(ActorScope scope, int left, AtomicInteger handled) {
        scope.anonymous().<Integer>newActor((context, still) -> {
            handled.incrementAndGet();
            if (still > 1) {
                makeNext(scope, still - 1, handled);
            }
            context.askExit();
        }).sendMessage(left);
    }
}
