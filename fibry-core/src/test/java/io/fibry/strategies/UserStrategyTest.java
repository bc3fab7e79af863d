package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorExecutor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.Patience;
import io.fibry.testing.Probe;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Sneaky;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@BugClass({24, 25})
class UserStrategyTest {
    private final Recorder events = new Recorder();

    private ActorScope scope(CreationStrategy strategy) {
        return Scopes.configure().strategy(strategy).listener(events).open();
    }

    /** An {@link ActorExecutor} that ends with its actor. */
    private record Own(ExecutorService service, AtomicInteger told) implements ActorExecutor {
        @Override
        public void execute(Runnable turn) {
            service.execute(turn);
        }

        @Override
        public void actorStopped() {
            told.incrementAndGet();
            service.shutdown();
        }
    }

    @Test
    void anExecutorOfAnActorsOwnIsToldOnceThatItIsNotNeededAnyMore() throws Exception {
        var own = new Own(Executors.newSingleThreadExecutor(), new AtomicInteger());
        try (var scope = scope(name -> own)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            actor.execute(actor::askExit); // so that it ends on its own thread
            Waits.stopped(actor);
            assertThat(own.service.awaitTermination(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
        assertThat(own.told).hasValue(1);
    }

    /** The simplest strategy that a user writes. Fibry does not shut it down, and so does not wait for it. */
    @Test
    void anActorOnAnExecutorServiceOfItsOwnStops() throws Exception {
        var service = Executors.newSingleThreadExecutor();
        try (var scope = scope(name -> service)) {
            var actor = scope.anonymous().newActor((Integer n) -> {
            });
            actor.execute(actor::askExit);
            Waits.stopped(actor);
            assertThat(service.isShutdown()).isFalse();
        } finally {
            service.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RejectedExecutionException.class, StackOverflowError.class,
        OutOfMemoryError.class,
        Error.class, IllegalStateException.class})
    void whatAnExecutorThrowsReachesNoSenderAndNoOtherMessage(Class<? extends Throwable> type)
            throws Exception {
        var refuses = new AtomicBoolean(true);
        var thrown = type.getConstructor().newInstance();
        Executor executor = turn -> {
            if (refuses.get()) {
                throw Sneaky.thrown(thrown);
            }
            Thread.ofVirtual().start(turn);
        };
        try (var scope = scope(CreationStrategy.of(executor))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            assertThat(actor.sendMessage(1)).isTrue();
            assertThat(events.await(Undelivered.class).cause()).isEqualTo(Undelivered.Cause.STRATEGY_REFUSED);
            assertThat(Waits.failure(actor.sendMessageReturn(2))).isExactlyInstanceOf(ActorException.class)
                    .hasCause(thrown);

            refuses.set(false);
            Waits.until("it runs again", () -> actor.sendMessageReturn(3).exceptionally(e -> 0).join() == 3);
            assertThat(scope.counters().undelivered()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void anActorWhoseExecutorRefusesStillStops() {
        try (var scope = scope(CreationStrategy.of(turn -> {
            throw new RejectedExecutionException("shut down");
        }))) {
            var ended = new AtomicInteger();
            var actor = scope.anonymous().onExit(ended::incrementAndGet).newActor((Integer n) -> {
            });
            actor.sendMessage(1);
            assertThat(actor.stop(Duration.ofSeconds(20)).stopped()).isTrue();
            assertThat(ended).hasValue(1);
        }
    }

    @Test
    void anExecutorThatRunsATurnTwiceDoesNoHarm() throws Exception {
        var probe = new Probe();
        Executor twice = turn -> {
            Thread.ofVirtual().start(turn);
            Thread.ofVirtual().start(turn);
            Thread.ofVirtual().start(turn);
        };
        var left = new CountDownLatch(2_000);
        var scope = scope(CreationStrategy.of(twice));
        try (scope) {
            var actor = scope.anonymous().newActor((Integer n) -> {
                probe.visit();
                left.countDown();
            });
            for (int n = 0; n < 2_000; n++) {
                actor.sendMessage(n);
                if (n % 10 == 0) {
                    Thread.yield();
                }
            }
            Waits.on(left);
        }
        probe.assertNeverTwoInside();
        assertThat(scope.counters().handled()).isEqualTo(2_000);
    }

    @Test
    void anExecutorThatRunsATurnAndThenThrowsDoesNoHarm() throws Exception {
        try (var scope = scope(CreationStrategy.of(turn -> {
            turn.run();
            throw new RejectedExecutionException("after the fact");
        }))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(2);
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(3);
        }
        assertThat(events.of(Undelivered.class)).isEmpty();
    }

    /** As docs/semantics.md says: the actor waits. Its stop is bounded all the same, and names it as stuck. */
    @Test
    void anActorWhoseExecutorDropsItsTurnIsReportedAsStuck() {
        var dropped = new ArrayList<Runnable>();
        try (var scope = scope(CreationStrategy.of(dropped::add))) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var answer = actor.sendMessageReturn(1);
            var report = actor.stop(Duration.ofMillis(50));

            assertThat(report.stopped()).isFalse();
            assertThat(report.stuck()).isEqualTo(List.of(actor.name()));
            dropped.forEach(Runnable::run); // late is as good as never: the actor ends now
            Waits.stopped(actor);
            assertThat(answer).isCompletedExceptionally();
        }
    }

    @Test
    void whatExecutorForThrowsReachesTheMakerAndLeavesNothing() {
        assertNotMade(name -> {
            throw new IllegalStateException("no executor today");
        }, "no executor today");
    }

    @Test
    void aStrategyWithoutAnExecutorIsRefusedAtOnce() {
        assertNotMade(name -> null, "executor");
    }

    private void assertNotMade(CreationStrategy strategy, String why) {
        try (var scope = scope(strategy)) {
            assertThatThrownBy(() -> scope.named("unlucky").newActor((Integer n) -> {
            })).hasMessageContaining(why);
            assertThat(scope.find(ActorName.of("unlucky"))).isEmpty();
        }
    }
}
