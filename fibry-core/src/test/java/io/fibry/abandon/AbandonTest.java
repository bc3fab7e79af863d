package io.fibry.abandon;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AbandonTest {
    static final Duration LIMIT = Duration.ofSeconds(5);
    static final Duration GRACE = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final Recorder recorder = new Recorder();
    private final Stubborn stubborn = new Stubborn(time);

    private ActorScope scope(Strategy strategy) {
        return ActorSystem.configure("test").strategy(strategy.create()).time(time).listener(recorder).open();
    }

    private static ActorBuilder abandoning(ActorScope scope, String name) {
        return scope.named(name).abandonStuck(LIMIT, GRACE);
    }

    /** An actor that is stuck with zero, and gives back what else it gets. */
    private Actor<Integer, Integer> echo(ActorBuilder builder) {
        return builder.newActorWithReturn((Integer n) -> {
            if (n == 0) {
                stubborn.stay();
                stubborn.ends();
            }
            return n;
        });
    }

    @Promise({"27.1", "27.2"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theActorGoesOnWithoutAHandlerThatDoesNotEnd(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom"));
            var stuck = actor.sendMessageReturn(0);
            var next = actor.sendMessageReturn(1);
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.on(next)).isEqualTo(1);
            var failure = (HandlerAbandonedException) Waits.failure(stuck);
            assertThat(failure).hasMessageContaining("'tom'").hasMessageContaining("java.lang.Integer")
                    .hasMessageContaining("6 s").hasMessageContaining("Stubborn.stay");
            assertThat(failure.actor()).isEqualTo("tom");
            assertThat(failure.runningFor()).isEqualTo(LIMIT.plus(GRACE));
            assertThat(failure.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(Stubborn.class.getName()));
            var failed = recorder.only(Failed.class);
            assertThat(failed.cause()).isSameAs(failure);
            assertThat(failed.message()).contains(Integer.class);

            stubborn.release();
            stubborn.awaitEnd();
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(2);
            assertThat(recorder.of(Failed.class)).as("nobody hears of its end").hasSize(1);
            assertThat(actor.counters().handled()).isEqualTo(2);
            assertThat(actor.counters().failed()).isEqualTo(1);
            Waits.until("the scope knows as well", () -> scope.counters().equals(actor.counters()));
        }
    }

    @Promise("27.1")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void whoEndsInTheGraceHasEndedLikeAnyOther(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom"));
            var stuck = actor.sendMessageReturn(0);
            stubborn.interrupted(LIMIT);
            stubborn.release();
            assertThat(Waits.on(stuck)).isZero();
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            assertThat(recorder.of(Failed.class)).isEmpty();
            var sleeper = abandoning(scope, "sleeper").newActorWithReturn((Integer n) -> {
                stubborn.begins();
                new CountDownLatch(1).await();
                return n;
            });
            var asleep = sleeper.sendMessageReturn(1);
            stubborn.awaitLimit();
            time.advance(LIMIT);
            assertThat(Waits.failure(asleep)).isInstanceOf(InterruptedException.class);
        }
    }

    @Promise({"27.1", "27.2"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void codeThatWasGivenToTheActorIsAbandonedAsWell(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom"));
            var stuck = actor.execFuture(() -> {
                stubborn.stay();
                return 1;
            });
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.failure(stuck)).isInstanceOf(HandlerAbandonedException.class);
            actor.execAsync(stubborn::stay);
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            assertThat(recorder.of(Failed.class)).hasSize(2);
        }
    }

    @Promise("27.2")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void thePolicyDecidesAsForWhatIsThrown(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var policy = FailurePolicy.when(HandlerAbandonedException.class, FailurePolicy.stop())
                    .otherwise(FailurePolicy.resume());
            var stops = echo(abandoning(scope, "stops").onFailure(policy));
            stops.sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            Waits.stopped(stops);

            Actor<String, Void> parent = scope.named("parent").onFailure(FailurePolicy.stop())
                    .newActorFrom(context -> {
                        var child = echo(context.child("child").abandonStuck(LIMIT, GRACE)
                                .onFailure(FailurePolicy.escalate()));
                        return message -> child.sendMessage(0);
                    });
            parent.sendMessage("go");
            stubborn.abandon(LIMIT, GRACE);
            Waits.stopped(parent);
            assertThat(recorder.await(Escalated.class).cause()).isInstanceOf(HandlerAbandonedException.class);
        }
    }

    @Promise("27.2")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void restartsWithinTheWindowAreCountedAndOneTooManyStops(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom")
                    .onFailure(FailurePolicy.restart(1, Duration.ofMinutes(1))));
            for (int i = 0; i < 2; i++) {
                actor.sendMessage(0);
                stubborn.abandon(LIMIT, GRACE);
            }
            Waits.stopped(actor);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
            assertThat(recorder.await(Escalated.class).cause()).isInstanceOf(HandlerAbandonedException.class);
        }
    }

    /** What the old thread tries when its actor has gone on. */
    private interface Attempt {
        void on(ActorContext<Integer, Integer> context) throws Exception;
    }

    @Promise("27.3")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theOldThreadCannotActAsTheActor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var other = scope.named("other").newActorWithReturn((Integer n) -> n);
            var timers = new AtomicReference<Timers<Integer>>();
            var children = new AtomicReference<ActorBuilder>();
            List<Attempt> attempts = List.of(ActorContext::self, ActorContext::scope, ActorContext::timers,
                    ActorContext::timeLeft, c -> c.withoutDeadline(() -> 1), ActorContext::child,
                    c -> c.child("kid"), c -> c.watch(other, stopped -> 1), c -> c.unwatch(other),
                    c -> c.link(other),
                    c -> c.unlink(other), ActorContext::askExit, ActorContext::exitRequested,
                    c -> timers.get().once("tick", Duration.ofSeconds(1), 7),
                    c -> timers.get().cancel("tick"),
                    c -> timers.get().isSet("tick"), c -> children.get().newActor((Integer n) -> {
                    }), c -> other.apply(1), c -> other.sendMessageReturn(1).get(),
                    c -> other.sendMessageReturn(1).join(),
                    c -> other.sendMessageReturn(1).get(1, TimeUnit.HOURS),
                    c -> other.sendMessageReturnWait(1));
            var outcomes = new CopyOnWriteArrayList<Object>();
            var self = new AtomicReference<Actor<Integer, Integer>>();
            Actor<Integer, Integer> actor = abandoning(scope, "tom").newActorWithReturn((context, n) -> {
                if (n == 0) {
                    timers.set(context.timers());
                    children.set(context.child());
                    self.set(context.self());
                    stubborn.stay();
                    for (var attempt : attempts) {
                        try {
                            attempt.on(context);
                            outcomes.add("allowed: number " + attempts.indexOf(attempt));
                        } catch (Throwable thrown) {
                            outcomes.add(thrown);
                        }
                    }
                    try {
                        self.get().closeOnExit(() -> outcomes.add("closed"));
                    } catch (HandlerAbandonedException wanted) {
                        outcomes.add(wanted);
                    }
                    stubborn.ends();
                }
                return n;
            });
            actor.sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            try (var busy = Gate.in(other)) { // an answer that is there is not waited for
                stubborn.release();
                stubborn.awaitEnd();
                busy.open();
            }
            assertThat(outcomes).hasSize(attempts.size() + 1)
                    .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(HandlerAbandonedException.class));
            assertThat((Throwable) outcomes.getFirst()).hasMessageContaining("'tom'")
                    .hasMessageContaining("java.lang.Integer");
            assertThat(time.pending()).as("timers").isZero();
            actor.close();
            assertThat(outcomes).doesNotContain("closed");
        }
    }

    @Promise("27.3")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void whatTheOldThreadSendsCountsAsFromOutside(Strategy strategy) throws Exception {
        var got = new CopyOnWriteArrayList<Integer>();
        try (var scope = scope(strategy); stubborn) {
            var other = scope.named("other").newActor((Integer n) -> {
                got.add(n);
            });
            var actor = new AtomicReference<Actor<Integer, Integer>>();
            actor.set(abandoning(scope, "tom").newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    stubborn.stay();
                    other.sendMessage(1);
                    actor.get().sendMessage(2);
                    stubborn.ends();
                } else {
                    got.add(n);
                }
                return n;
            }));
            actor.get().sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            stubborn.release();
            stubborn.awaitEnd();
            Waits.until("both are there", () -> got.size() == 2);
            assertThat(got).containsExactlyInAnyOrder(1, 2);
        }
    }

    @Promise("27.3")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void whomTheOldThreadWaitsForIsNotWaitedForByTheActor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var target = new AtomicReference<Actor<Integer, Integer>>();
            var actor = new AtomicReference<Actor<Integer, Integer>>();
            target.set(scope.named("target").newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    stubborn.stay();
                    return actor.get().sendMessageReturn(1).get(); // no circle any more
                }
                return n;
            }));
            actor.set(abandoning(scope, "tom").newActorWithReturn((Integer n) -> {
                while (n == 0) {
                    try {
                        target.get().sendMessageReturn(0).join();
                    } catch (HandlerAbandonedException end) {
                        stubborn.ends();
                        throw end;
                    }
                }
                return n;
            }));
            var stuck = actor.get().sendMessageReturn(0);
            stubborn.awaitLimit();
            Waits.until("tom waits for its answer", () -> EngineProbe.waits(actor.get()));
            time.advance(LIMIT);
            Waits.until("the grace has begun", () -> time.pending() == 1);
            time.advance(GRACE);
            assertThat(Waits.failure(stuck)).isInstanceOf(HandlerAbandonedException.class)
                    .hasMessageContaining("waits for actor 'target'");
            stubborn.release();
            stubborn.awaitEnd(); // its wait has ended: the answer has come, and it tries to ask once more
            assertThat(Waits.on(target.get().sendMessageReturn(3))).isEqualTo(3);
        }
    }

    /** Knows what has become of it. */
    private static final class Made implements AutoCloseable {
        final AtomicInteger closed = new AtomicInteger();
        final Set<Thread> closers = ConcurrentHashMap.newKeySet();
        final Set<Thread> users = ConcurrentHashMap.newKeySet();

        @Override
        public void close() {
            closed.incrementAndGet();
            closers.add(Thread.currentThread());
        }
    }

    @Promise("27.3")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void whatAFactoryHasMadeIsLeftToTheOldThread(Strategy strategy) throws Exception {
        for (var policy : List.of(FailurePolicy.resume(), FailurePolicy.restart())) {
            var stubborn = new Stubborn(time);
            var handlers = new CopyOnWriteArrayList<Made>();
            try (var scope = scope(strategy); stubborn) {
                final class Replying implements ReplyHandler<Integer, Integer>, AutoCloseable {
                    final Made made = new Made();

                    @Override
                    public Integer handle(Integer n) {
                        made.users.add(Thread.currentThread());
                        if (n == 0) {
                            stubborn.stay();
                        }
                        return n;
                    }

                    @Override
                    public void close() {
                        made.close();
                        if (made == handlers.getFirst()) {
                            stubborn.ends();
                        }
                    }
                }
                Actor<Integer, Integer> actor = abandoning(scope, "tom").onFailure(policy)
                        .newActorWithReturnFrom(() -> {
                            var fresh = new Replying();
                            handlers.add(fresh.made);
                            return fresh;
                        });
                actor.sendMessage(0);
                stubborn.abandon(LIMIT, GRACE);
                assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
                assertThat(handlers).hasSize(2);
                assertThat(handlers.getFirst().closed).as("it is still in use").hasValue(0);
                stubborn.letGo();
                stubborn.awaitEnd();
                assertThat(handlers.getFirst().closers).isEqualTo(handlers.getFirst().users);
                actor.close();
            }
            assertThat(handlers).extracting(made -> made.closed.get()).containsExactly(1, 1);
        }
    }

    @Promise("27.3")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void aStateIsLeftToTheOldThread(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = abandoning(scope, "tom").state(CopyOnWriteArrayList<Integer>::new)
                    .newActorWithReturn((CopyOnWriteArrayList<Integer> state, Integer n) -> {
                        state.add(n);
                        if (n == 0) {
                            stubborn.stay();
                            state.add(-1);
                            stubborn.ends();
                        }
                        return List.copyOf(state);
                    });
            assertThat(Waits.on(actor.sendMessageReturn(1))).containsExactly(1);
            assertThat(Waits.on(actor.sendMessageReturn(2))).containsExactly(1, 2);
            actor.sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.on(actor.sendMessageReturn(3))).containsExactly(3);
            stubborn.release();
            stubborn.awaitEnd();
            assertThat(Waits.on(actor.sendMessageReturn(4))).containsExactly(3, 4);
        }
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void aForcedStopInterruptsTheHandlerAndThenLeavesIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom"));
            var stuck = actor.sendMessageReturn(0);
            var queued = actor.sendMessageReturn(1);
            stubborn.awaitLimit();
            var stopper = Thread.startVirtualThread(() -> actor.stop(Duration.ZERO));
            stubborn.awaitInterrupt();
            Waits.until("only the grace is waited for", () -> time.nanosToNext() == GRACE.toNanos());
            time.advance(GRACE);
            Waits.stopped(actor);
            Waits.on(stopper);
            assertThat(Waits.failure(stuck)).isInstanceOf(HandlerAbandonedException.class)
                    .hasMessageContaining("forced stop");
            assertThat(Waits.failure(queued)).isInstanceOf(ActorStoppedException.class);
            assertThat(recorder.of(Stopped.class)).extracting(Stopped::reason)
                    .containsExactly(Reason.FORCED);
        }
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void aCancellationReachesTheHandlerAndNotTheNext(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = abandoning(scope, "tom").interruptOnCancel().newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    stubborn.begins();
                    new CountDownLatch(1).await();
                }
                return Thread.currentThread().isInterrupted();
            });
            var cancelled = actor.sendMessageReturn(0);
            stubborn.awaitBegun();
            cancelled.cancel(true);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isFalse();
            assertThat(actor.counters().expired()).isEqualTo(1);
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Promise("27.7")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theReportNamesWhoseAbandonedThreadStillRuns(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = echo(abandoning(scope, "tom"));
            actor.sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            actor.execAndWait(() -> {
            });
            var mine = actor.stop(Duration.ofHours(1));
            assertThat(mine.stopped()).isFalse();
            assertThat(mine.forced()).isFalse();
            assertThat(mine.stuck()).containsExactly("tom");
            var report = scope.stop(Duration.ofHours(1));
            assertThat(report.stopped()).isFalse();
            assertThat(report.stuck()).containsExactly("tom");
            assertThat(report.stacks().get("tom"))
                    .anyMatch(frame -> frame.getClassName().equals(Stubborn.class.getName()));
            stubborn.release();
            Waits.left(scope);
            assertThat(scope.stop(Duration.ofHours(1)).stopped()).isTrue();
        }
    }

    @Promise("27.1")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void withoutATimerTheHandlerHasAllTheTimeAndNoneRunsBesideIt(Strategy strategy) throws Exception {
        var fails = new AtomicBoolean(true);
        var noTimers = new TimeSource() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(long delayNanos, Runnable task) {
                if (fails.get()) {
                    throw new OutOfMemoryError("no timer, as this test wants it");
                }
                return time.schedule(delayNanos, task);
            }
        };
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder)
                .time(noTimers).open()) {
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            var actor = abandoning(scope, "tom").newActorWithReturn((Integer n) -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.yield();
                inside.decrementAndGet();
                return n;
            });
            var answers = IntStream.range(0, 100).mapToObj(actor::sendMessageReturn).toList();
            for (int i = 0; i < 100; i++) {
                assertThat(Waits.on(answers.get(i))).isEqualTo(i);
            }
            assertThat(most).hasValue(1);
            fails.set(false);
        }
    }

    @Promise("27.7")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void messagesThatComeTogetherAreHandledOnOneThread(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var threads = ConcurrentHashMap.<Thread>newKeySet();
            Handler<Integer> handler = n -> threads.add(Thread.currentThread());
            Actor<Integer, Void> actor = abandoning(scope, "tom").newActor(handler);
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 100; i++) {
                    actor.sendMessage(i);
                }
                gate.open();
            }
            actor.execAndWait(() -> threads.add(Thread.currentThread()));
            var expected = strategy == Strategy.FIBERS ? 2 : 1; // the last one may have found it idle
            assertThat(threads).hasSizeBetween(1, expected)
                    .allMatch(thread -> thread.isVirtual() == (strategy == Strategy.FIBERS));
            assertThat(time.pending()).isZero();
        }
    }
}
