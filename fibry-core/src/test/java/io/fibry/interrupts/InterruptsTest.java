package io.fibry.interrupts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorInterruptedException;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InterruptsTest {
    @Promise("12.1")
    @EveryStrategy
    void aHandlerStartsWithAClearFlagWhateverTheOneBeforeDid(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var dirty = new AtomicInteger();
            var actor = scope.anonymous().onExit(() -> {
                dirty.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                Thread.currentThread().interrupt();
            }).onExit(() -> {
            }).newActor((Integer n) -> {
                dirty.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                Thread.currentThread().interrupt();
                if (n % 2 == 0) {
                    throw new IllegalStateException();
                }
            });
            try (var gate = Gate.in(actor)) {
                for (int i = 0; i < 100; i++) {
                    actor.sendMessage(i);
                }
                gate.open();
            }
            actor.close();
            assertThat(dirty).hasValue(0);
        }
    }

    @Promise({"12.1", "12.3"})
    @EveryStrategy
    void aSendersInterruptStaysWithTheSender(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var flag = new CompletableFuture<Boolean>();
            var actor = scope.anonymous().newActor((Integer n) -> {
                flag.complete(Thread.currentThread().isInterrupted());
            });
            Thread.currentThread().interrupt();
            actor.sendMessage(1);
            assertThat(Thread.interrupted()).as("the sender's own flag").isTrue();
            assertThat(Waits.on(flag)).as("the handler's").isFalse();
        }
    }

    @Promise("12.1")
    @EveryStrategy
    void aForcedStopInterruptsItsActorOnly(Strategy strategy) throws Exception {
        for (int round = 0; round < 50; round++) {
            try (var scope = Scopes.on(strategy)) {
                var others = new AtomicInteger();
                Actor<Integer, Void> other = scope.anonymous().newActor((Integer n) -> {
                    others.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                    Thread.yield();
                    others.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                });
                var target = scope.anonymous().newActor((Integer n) -> {
                    other.sendMessage(n); // on caller() that one runs right here
                });
                Senders.run(3, sender -> {
                    for (int i = 0; i < 50; i++) {
                        target.sendMessage(i);
                        assertThat(Thread.currentThread().isInterrupted()).as("the sender").isFalse();
                    }
                    if (sender == 0) {
                        target.stop(Duration.ZERO);
                    }
                });
                target.waitForExit();
                assertThat(others).as("the other actor").hasValue(0);
            }
        }
    }

    /** What a caller may do that waits. */
    @FunctionalInterface
    private interface Wait {
        void on(Actor<Integer, Integer> actor) throws Exception;
    }

    private static void interrupted(Strategy strategy, Wait wait, boolean flagIsSetAgain) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.block()))
                    .newActorWithReturn((Integer n) -> n);
            var flag = new CompletableFuture<Boolean>();
            try (var gate = Gate.in(actor)) {
                var waiter = Thread.ofPlatform().start(() -> {
                    try {
                        wait.on(actor);
                        flag.complete(Thread.currentThread().isInterrupted());
                    } catch (InterruptedException e) {
                        flag.complete(Thread.currentThread().isInterrupted());
                    } catch (Exception e) {
                        flag.completeExceptionally(e);
                    }
                });
                Patience.spin("the caller waits", () -> waiter.getState() == Thread.State.WAITING
                        || waiter.getState() == Thread.State.TIMED_WAITING);
                waiter.interrupt();
                assertThat(Waits.on(flag)).isEqualTo(flagIsSetAgain);
                gate.open();
            }
        }
    }

    @Promise("12.3")
    @EveryStrategy
    void aCallerThatIsInterruptedGetsTheException(Strategy strategy) throws Exception {
        for (Wait wait : List.<Wait>of(actor -> actor.sendMessageReturn(1).get(),
                actor -> actor.sendMessageReturnWait(1),
                actor -> actor.execAndWait(() -> {
                }))) {
            interrupted(strategy, actor -> assertThatThrownBy(() -> wait.on(actor))
                    .isInstanceOf(InterruptedException.class), false);
        }
    }

    @Promise("12.3")
    @EveryStrategy
    void orFindsItsFlagSetAgain(Strategy strategy) throws Exception {
        for (Wait wait : List.<Wait>of(actor -> actor.apply(1), Actor::waitForExit,
                actor -> actor.waitForExit(Duration.ofHours(1)))) {
            interrupted(strategy, actor -> assertThatThrownBy(() -> wait.on(actor))
                    .isInstanceOf(ActorInterruptedException.class), true);
        }
        for (Wait wait : List.<Wait>of(actor -> actor.apply(1),
                actor -> actor.apply(1, Duration.ofHours(1)))) {
            interrupted(strategy, actor -> assertThatThrownBy(() -> wait.on(actor))
                    .isInstanceOf(ActorInterruptedException.class)
                    .hasMessageContaining("the message was sent"),
                    true);
            interrupted(strategy, actor -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> wait.on(actor)).isInstanceOf(ActorInterruptedException.class)
                        .hasMessageContaining("nothing was sent");
                assertThat(Thread.interrupted()).isTrue();
                Thread.sleep(Duration.ofMinutes(1)); // until it is interrupted, as each caller is here
            }, false);
        }
        interrupted(strategy, actor -> { // it waits for room, so the answer fails
            actor.sendMessage(1);
            actor.sendMessage(1);
            assertThatThrownBy(() -> actor.apply(1)).isInstanceOf(CompletionException.class);
        }, true);
        interrupted(strategy, Actor::close, true);
        interrupted(strategy, actor -> actor.stop(Duration.ofHours(1)), true);
        interrupted(strategy, actor -> {
            actor.sendMessage(1);
            actor.sendMessage(1);
            assertThat(actor.sendMessage(1)).as("no room").isFalse();
        }, true);
    }

    /** Whether the asked actor would have run before anybody looked at the flag, must not matter. */
    @Promise("12.3")
    @EveryStrategy
    void whoIsInterruptedAlreadyAsksNobody(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var byCallers : new boolean[]{false, true}) {
                var asked = new AtomicInteger();
                var builder = byCallers ? scope.anonymous().runByCallers() : scope.anonymous();
                Actor<Integer, Integer> actor =
                        builder.newActorWithReturn((Integer n) -> asked.incrementAndGet());
                Actor<Integer, String> asking = scope.anonymous().newActorWithReturn((Integer n) -> {
                    Thread.currentThread().interrupt();
                    return outcomes(actor);
                });
                assertThat(Waits.on(asking.sendMessageReturn(1)))
                        .isEqualTo("flag, flag, exception, exception, ");
                for (var threads : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
                    var seen = new CompletableFuture<String>();
                    threads.start(() -> {
                        Thread.currentThread().interrupt();
                        seen.complete(outcomes(actor));
                    });
                    assertThat(Waits.on(seen)).isEqualTo("flag, flag, exception, exception, ");
                }
                assertThat(Waits.on(actor.sendMessageReturn(1))).as("it was asked once only").isEqualTo(1);
            }
        }
    }

    private static String outcomes(Actor<Integer, Integer> actor) {
        var seen = new StringBuilder();
        for (Wait wait : List.<Wait>of(asked -> asked.apply(1),
                asked -> asked.apply(1, Duration.ofHours(1)))) {
            Thread.currentThread().interrupt();
            try {
                wait.on(actor);
                seen.append("answer, ");
            } catch (ActorInterruptedException e) {
                seen.append(Thread.interrupted() ? "flag, " : "no flag, ");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        for (Wait wait : List.<Wait>of(asked -> asked.sendMessageReturnWait(1),
                asked -> asked.execAndWait(() -> {
                }))) {
            Thread.currentThread().interrupt();
            try {
                wait.on(actor);
                seen.append("answer, ");
            } catch (InterruptedException e) {
                seen.append(Thread.interrupted() ? "exception and flag, " : "exception, ");
            } catch (Exception e) {
                seen.append(e);
            }
        }
        return seen.toString();
    }

    @Promise("12.3")
    @Test
    void aLentThreadIsGivenBackWithItsFlagAsItCame() throws Exception {
        var flags = new LinkedBlockingQueue<Boolean>();
        var turns = new AtomicInteger();
        var strategy = CreationStrategy.of(turn -> Thread.ofPlatform().start(() -> {
            var before = turns.getAndIncrement() % 2 == 0;
            if (before) {
                Thread.currentThread().interrupt();
            }
            turn.run();
            flags.add(before == Thread.currentThread().isInterrupted());
        }));
        try (var scope = ActorSystem.configure("test").strategy(strategy).open()) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                var clear = !Thread.currentThread().isInterrupted();
                Thread.currentThread().interrupt();
                return clear;
            });
            for (int i = 0; i < 50; i++) {
                assertThat(Waits.on(actor.sendMessageReturn(i))).isTrue();
                assertThat(flags.take()).isTrue();
            }
        }
        assertThat(flags).allMatch(same -> same);
    }
}
