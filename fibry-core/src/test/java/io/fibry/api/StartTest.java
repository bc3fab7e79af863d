package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorBuilder;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Stereotypes;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Hooks for the start of an actor. */
class StartTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final AtomicInteger starts = new AtomicInteger();

    private void start() {
        seen.add("start " + starts.incrementAndGet());
    }

    private void failTwice() {
        start();
        if (starts.get() <= 2) {
            throw new IllegalStateException("start " + starts);
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void hooksRunInsideTheActorBeforeItsFirstMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.named("ann").onStart(this::start).<String>onStart(context -> {
                seen.add(context.self().name() + " " + io.fibry.ActorSystem.currentActor().orElse("none"));
                context.self().sendMessage("from inside");
            }).newActor((String message) -> {
                seen.add(message);
            });
            Waits.until("the start, although nothing was sent", () -> seen.size() == 3);
            actor.sendMessage("a");
        }
        assertThat(seen).containsExactly("start 1", "ann ann", "from inside", "a");
    }

    @Promise("33.4")
    @EveryStrategy
    void theStateAndTheHandlerOfAFactoryAreMadeFirst(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            scope.anonymous().onStart(() -> seen.add("hook")).state(() -> seen.add("state"))
                    .onStart(state -> seen.add("hook with " + state))
                    .of(Integer.class)
                    .onStart((context, state) -> context.timers().once("tick", Duration.ZERO, 1))
                    .newActor((state, n) -> {
                        seen.add("handler " + n);
                    });
            Waits.until("the message of the timer", () -> seen.size() == 4);
            scope.anonymous().onStart(() -> seen.add("hook")).newActorFrom(() -> {
                seen.add("factory");
                return (Handler<Integer>) n -> {
                };
            }).close();
            scope.anonymous().onStart(() -> seen.add("hook")).newReceivingActor(inbox -> seen.add("body"))
                    .waitForExit();
            Stereotypes.with(scope.anonymous().onStart(() -> seen.add("hook")))
                    .runOnce(() -> seen.add("once"))
                    .waitForExit();
        }
        assertThat(seen).containsExactly("state", "hook", "hook with true", "handler 1", "factory", "hook",
                "hook", "body", "hook", "once");
    }

    @Promise("33.4")
    @EveryStrategy
    void hooksRunAgainAfterARestart(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var builder = scope.anonymous().onFailure(FailurePolicy.restart()).onStart(this::start);
            Handler<String> handler = message -> {
                seen.add(message);
                if (message.equals("fail")) {
                    throw new IllegalArgumentException("as wanted");
                }
            };
            var actor = builder.newActor(handler);
            actor.sendMessage("fail");
            actor.sendMessage("b");
            actor.close();
            assertThat(seen).containsExactly("start 1", "fail", "start 2", "b");
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void afterARestartNoMessageIsLost(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("ann").onFailure(FailurePolicy.restart()).onStart(this::failTwice)
                    .newActorWithReturn((String message) -> message);
            assertThat(Waits.on(actor.sendMessageReturn("a"))).isEqualTo("a");
            assertThat(seen).containsExactly("start 1", "start 2", "start 3");
            var failures = recorder.of(Failed.class);
            assertThat(failures).hasSize(2).allMatch(each -> each.part() == Failed.Part.START);
            assertThat(recorder.of(Restarted.class)).hasSize(1);
            assertThat(actor.counters().failed()).isZero();
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void toResumeTheNextMessageStartsTheActorAgain(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        var closed = new CopyOnWriteArrayList<Integer>();
        try (var scope = Scopes.on(strategy, recorder)) {
            var made = new AtomicInteger();
            record Part(int number, List<Integer> closed) implements AutoCloseable {
                @Override
                public void close() {
                    closed.add(number);
                }
            }
            var actor = scope.anonymous().onStart(this::failTwice)
                    .state(() -> new Part(made.incrementAndGet(), closed))
                    .newActorWithReturn((Part part, String message) -> message + part.number());
            Waits.until("the start", () -> !recorder.of(Failed.class).isEmpty());
            assertThat(closed).containsExactly(1);
            assertThat(Waits.failure(actor.sendMessageReturn("a"))).hasMessage("start 2");
            assertThat(Waits.on(actor.sendMessageReturn("b"))).isEqualTo("b3");
            assertThat(Waits.on(actor.sendMessageReturn("c"))).isEqualTo("c3");
            assertThat(recorder.of(Failed.class)).extracting(Failed::part)
                    .containsExactly(Failed.Part.START, Failed.Part.HANDLER);
            assertThat(closed).containsExactly(1, 2);
        }
        assertThat(closed).containsExactly(1, 2, 3);
    }

    @Promise("33.4")
    @EveryStrategy
    void toStopTheMessagesAreUndelivered(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var go = new CountDownLatch(strategy.isAsync() ? 1 : 0);
            var actor = scope.named("ann").onFailure(FailurePolicy.stop()).onExit(() -> seen.add("exit"))
                    .onStart(() -> {
                        go.await();
                        failTwice();
                    }).newActorWithReturn((String message) -> message);
            var answer = actor.sendMessageReturn("a");
            go.countDown();
            assertThat(Waits.failure(answer)).isInstanceOf(ActorStoppedException.class);
            Waits.stopped(actor);
            assertThat(recorder.only(Failed.class).part()).isEqualTo(Failed.Part.START);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Stopped.Reason.FAILURE);
            assertThat(seen).containsExactly("start 1", "exit");
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void aBodyThatCannotStartDoesNotBegin(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var builder = scope.anonymous().onStart(this::failTwice);
            Waits.stopped(builder.newReceivingActor(inbox -> seen.add("body")));
            Waits.stopped(builder.onFailure(FailurePolicy.restart())
                    .newReceivingActor(inbox -> seen.add("body")));
            assertThat(seen).containsExactly("start 1", "start 2", "start 3", "body");
            assertThat(recorder.of(Failed.class)).extracting(Failed::part).containsOnly(Failed.Part.START);
            assertThat(recorder.of(Stopped.class)).extracting(Stopped::reason).containsExactly(
                    Stopped.Reason.FAILURE, Stopped.Reason.EXIT);
        }
    }

    /** A policy that depends on the failure may restart a body, and resume when its next start fails. */
    @Promise("33.4")
    @EveryStrategy
    void aBodyThatCannotStartAgainEndsItsActor(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous()
                    .onFailure(FailurePolicy.when(IllegalStateException.class, FailurePolicy.restart())
                            .otherwise(FailurePolicy.resume()))
                    .onStart(() -> {
                        if (starts.incrementAndGet() == 2) {
                            throw new IllegalArgumentException("start");
                        }
                    }).newReceivingActor(inbox -> {
                        throw new IllegalStateException("body");
                    });
            Waits.stopped(actor);
            assertThat(recorder.of(Failed.class)).extracting(Failed::part)
                    .containsExactly(Failed.Part.BODY, Failed.Part.START);
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void toEscalateTheParentDecides(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var parent = scope.named("parent").onFailure(FailurePolicy.stop())
                    .<String>newActor((context, message) -> context.child("child")
                            .onFailure(FailurePolicy.escalate()).onStart(this::failTwice)
                            .newActor((String inside) -> {
                            }));
            parent.sendMessage("go");
            Waits.stopped(parent);
            assertThat(recorder.of(Escalated.class)).isNotEmpty();
            assertThat(recorder.only(Failed.class).part()).isEqualTo(Failed.Part.START);
        }
    }

    @Promise("33.8")
    @Test
    void groupsAndWorkersSayWhyTheyHaveNone() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            ActorBuilder builder = scope.named("ann").onStart(this::start);
            assertThatThrownBy(() -> builder.newGroup(GroupPolicy.oneForOne()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("onStart", "'ann'", "a group", "members");
            var actors = Stereotypes.with(builder);
            Handler<String> worker = message -> {
            };
            assertThatThrownBy(() -> actors.workers(worker)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("onStart", "'ann'", "workers", "each worker");
            assertThat(scope.names()).isEmpty();
        }
        assertThat(seen).isEmpty();
    }
}
