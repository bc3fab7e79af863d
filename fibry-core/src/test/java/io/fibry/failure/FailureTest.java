package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.ActorExecutor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;
import io.fibry.event.Failed;
import io.fibry.event.Failed.Part;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FailureTest {
    private final Recorder recorder = new Recorder();

    @Promise("10.1")
    @EveryStrategy
    void aFailureIsReportedOnceWithActorAndMessageClass(Strategy strategy) throws Exception {
        var failure = new IOException("broken");
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("tom").<Object, Void>newActorWithReturn((Object message) -> {
                throw failure;
            });
            actor.sendMessage("text");
            assertThat(Waits.failure(actor.sendMessageReturn(1))).isSameAs(failure);
            actor.close();
            assertThat(recorder.of(Failed.class)).containsExactly(
                    Failed.onMessage("tom", String.class, failure),
                    Failed.onMessage("tom", Integer.class, failure));
        }
    }

    @Promise("10.1")
    @EveryStrategy
    void aFailureOfCodeIsReportedOnceToo(Strategy strategy) throws Exception {
        var failure = new IllegalStateException("broken");
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.named("tom").newActor((Integer n) -> {
            });
            actor.execute(() -> {
                throw failure;
            });
            assertThat(Waits.failure(actor.execFuture(() -> {
                throw failure;
            }))).isSameAs(failure);
            actor.close();
            assertThat(recorder.of(Failed.class)).hasSize(2)
                    .allMatch(event -> event.actor().equals("tom") && event.cause() == failure);
        }
    }

    @Promise({"10.1", "10.3"})
    @EveryStrategy
    void aFailureTellsWhatHasFailed(Strategy strategy) {
        var failure = new IllegalStateException("broken");
        try (var scope = Scopes.on(strategy, recorder)) {
            scope.closeOnExit(() -> {
                throw failure;
            });
            scope.named("body").newReceivingActor((ReceivingContext<String> inbox) -> {
                throw failure;
            }).waitForExit();
            ReplyHandler<ActorContext<String, Void>, Handler<String>> factory = context -> {
                throw failure;
            };
            var start = scope.named("start").onFailure(FailurePolicy.stop()).newActorFrom(factory);
            start.sendMessage("text");
            start.waitForExit();
            scope.named("hook").onExit(() -> {
                throw failure;
            }).newActor((String message) -> {
            }).close();
            scope.named("resource").newActor((String message) -> {
            }).closeOnExit(() -> {
                throw failure;
            }).close();
            var made = scope.named("made").<String>newActorFrom(() -> new Broken(failure));
            made.sendMessage("text");
            made.close();
        }
        assertThat(recorder.of(Failed.class)).containsExactlyInAnyOrder(
                Failed.in(Part.BODY, "body", failure), Failed.in(Part.START, "start", failure),
                Failed.in(Part.EXIT_HOOK, "hook", failure), Failed.in(Part.CLOSE, "resource", failure),
                Failed.in(Part.CLOSE, "made", failure), Failed.in(Part.CLOSE, "test", failure));
    }

    private record Broken(RuntimeException failure) implements Handler<String>, AutoCloseable {
        @Override
        public void handle(String message) {
        }

        @Override
        public void close() {
            throw failure;
        }
    }

    @Promise({"10.1", "10.3"})
    @Test
    void anExecutorThatFailsAtTheEndIsTold() {
        var failure = new IllegalStateException("broken");
        class Own implements ActorExecutor {
            @Override
            public void execute(Runnable turn) {
                turn.run();
            }

            @Override
            public void actorStopped() {
                throw failure;
            }
        }
        try (var scope = ActorSystem.configure("own").listener(recorder).open()) {
            CreationStrategy own = actor -> new Own();
            scope.named("tom").strategy(own).newActor((String message) -> {
            }).close();
        }
        assertThat(recorder.of(Failed.class)).containsExactly(Failed.in(Part.EXECUTOR, "tom", failure));
    }

    @Promise("10.1")
    @EveryStrategy
    void byDefaultTheActorGoesOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> 10 / n);
            for (int i = 0; i < 100; i++) {
                actor.sendMessage(0);
                assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(5);
            }
            assertThat(actor.counters().failed()).isEqualTo(100);
        }
    }

    @Promise("10.1")
    @EveryStrategy
    void withThePolicyStopItEnds(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder)
                .onFailure(FailurePolicy.stop()).open()) {
            var actor = scope.named("tom").newActorWithReturn((Integer n) -> 10 / n);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.sendMessage(0);
                actor.sendMessage(2);
                gate.open();
            }
            actor.waitForExit();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
            assertThat(recorder.only(Stopped.class)).isEqualTo(new Stopped("tom", Reason.FAILURE));
            assertThat(recorder.of(Failed.class)).hasSize(1);
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly(2);
        }
    }

    private static int overflow(int n) {
        return n == Integer.MAX_VALUE ? n : overflow(n + 1) + overflow(n + 2);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    private static final List<Runnable> THROWERS = List.of(() -> overflow(0),
            () -> sneak(new Throwable("neither error nor exception")),
            () -> sneak(new OutOfMemoryError("not a real one")),
            () -> sneak(new NoClassDefFoundError("gone")),
            () -> sneak(new InterruptedException("not ours")), () -> sneak(new VirtualMachineError("vm") {
                private static final long serialVersionUID = 1L;
            }), () -> sneak(new RuntimeException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new IllegalStateException("even its message throws");
                }
            }));

    @Promise({"10.3", "6.3"})
    @EveryStrategy
    void whateverIsThrownActorAndThreadLiveOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActor(Runnable::run);
            var other = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var thread = new CompletableFuture<Thread>();
            actor.sendMessage(() -> thread.complete(Thread.currentThread()));
            for (var thrower : THROWERS) {
                assertThat(actor.sendMessage(thrower)).isTrue();
                assertThat(Waits.failure(actor.sendMessageReturn(thrower))).isNotNull();
                assertThat(Waits.failure(actor.execFuture(() -> {
                    thrower.run();
                    return null;
                }))).isNotNull();
                assertThat(Waits.on(other.sendMessageReturn(1))).isEqualTo(1);
            }
            var later = new CompletableFuture<Thread>();
            actor.sendMessage(() -> later.complete(Thread.currentThread()));
            if (strategy == Strategy.THREADS) {
                assertThat(Waits.on(later)).isSameAs(Waits.on(thread));
            }
            actor.close();
            assertThat(actor.counters().failed()).isEqualTo(3L * THROWERS.size());
            assertThat(recorder.of(Failed.class)).hasSize(3 * THROWERS.size());
        }
    }
}
