package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

class ActorMethodsTest {
    private final List<Object> got = new CopyOnWriteArrayList<>();

    @EveryStrategy
    void anActorIsAConsumerAFunctionAndAnExecutor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                got.add(n);
                return n + 1;
            });
            Consumer<Integer> consumer = actor;
            Function<Integer, Integer> function = actor;
            Executor executor = actor;
            List.of(1, 2).forEach(consumer);
            assertThat(function.andThen(n -> n * 10).apply(3)).isEqualTo(40);
            assertThat(Waits.on(CompletableFuture.supplyAsync(() -> got.size(), executor))).isEqualTo(3);
            assertThat(got).containsExactly(1, 2, 3);
        }
    }

    @EveryStrategy
    void failuresComeInTheFormOfEachMethod(Strategy strategy) throws Exception {
        var failure = new IOException("broken");
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Integer, Integer>newActorWithReturn((Integer n) -> {
                throw failure;
            });
            assertThatThrownBy(() -> actor.apply(1)).isInstanceOf(CompletionException.class).cause()
                    .isSameAs(failure);
            assertThatThrownBy(() -> actor.sendMessageReturnWait(1)).isInstanceOf(ExecutionException.class)
                    .cause().isSameAs(failure);
            assertThatThrownBy(() -> actor.execAndWait(() -> {
                throw failure;
            })).isInstanceOf(ExecutionException.class).cause().isSameAs(failure);
            assertThat(Waits.failure(actor.execFuture(() -> {
                throw failure;
            }))).isSameAs(failure);
            actor.close();
            assertThatThrownBy(() -> actor.apply(1)).hasCauseInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> actor.execAndWait(() -> {
            })).hasCauseInstanceOf(ActorStoppedException.class);
        }
    }

    @EveryStrategy
    void codeRunsInTurnWithMessages(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActor((Integer n) -> {
                got.add(n);
            });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.execute(() -> got.add("execute"));
                assertThat(actor.execAsync(() -> {
                    got.add("execAsync");
                    throw new IOException("reported");
                })).isTrue();
                actor.sendMessage(2);
                actor.execFuture(() -> got.add("execFuture"));
                gate.open();
            }
            actor.execAndWait(() -> got.add("execAndWait"));
            assertThat(Waits.on(actor.execFuture(() -> "value"))).isEqualTo("value");
            assertThat(got).containsExactly(1, "execute", "execAsync", 2, "execFuture", "execAndWait");
            assertThat(recorder.only(Failed.class).cause()).hasMessage("reported");
        }
    }

    @EveryStrategy
    void itCanBeLookedAtFromOutside(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var mailbox : List.of(MailboxPolicy.unbounded(),
                    MailboxPolicy.bounded(5, OverflowPolicy.reject()))) {
                var actor = scope.named("tom").mailbox(mailbox).newActor((Integer n) -> {
                });
                assertThat(actor.state()).isEqualTo(ActorState.IDLE);
                assertThat(actor.mailboxSize()).isZero();
                assertThat(actor.counters()).isEqualTo(new Counters(0, 0, 0, 0, 0, 0));
                try (var gate = Gate.in(actor)) {
                    for (int i = 0; i < 5; i++) {
                        actor.sendMessage(i);
                    }
                    assertThat(actor.state()).isEqualTo(ActorState.BUSY);
                    assertThat(actor.mailboxSize()).isEqualTo(5);
                    assertThat(actor.toString()).contains("tom", "BUSY", "5");
                    gate.open();
                }
                actor.close();
                assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
                assertThat(actor.mailboxSize()).isZero();
                assertThat(actor.counters()).isEqualTo(new Counters(6, 0, 0, 0, 0, 0));
                assertThat(actor.name()).isEqualTo("tom");
                assertThat(actor.toString()).contains("tom", "STOPPED");
            }
            var anonymous = scope.anonymous().newActor((Integer n) -> {
            });
            assertThat(anonymous.name()).startsWith("anonymous").isEqualTo(anonymous.name());
        }
    }

    @EveryStrategy
    void closeWaitsForWhatIsQueued(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().newActor((Integer n) -> {
                got.add(n);
            });
            var gate = Gate.in(actor);
            actor.sendMessage(1);
            var closed = CompletableFuture.runAsync(actor::close);
            Patience.spin("the pill is queued", () -> actor.mailboxSize() == 2);
            assertThat(closed).isNotDone();
            gate.close();
            Waits.on(closed);
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
            assertThat(got).hasSize(1);
        }
    }

    @EveryStrategy
    void closeOnExitClosesOtherActorsInOrder(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var one = scope.anonymous().onExit(() -> got.add("one")).newActor((Integer n) -> {
            });
            var two = scope.anonymous().onExit(() -> got.add("two")).newActor((Integer n) -> {
            });
            var actor = scope.anonymous().newActor((Integer n) -> {
            });
            assertThat(actor.closeOnExit(one).closeOnExit(two)).isSameAs(actor);
            actor.close();
            assertThat(got).containsExactly("one", "two");
            assertThat(List.of(one.state(), two.state())).containsOnly(ActorState.STOPPED);
        }
    }
}
