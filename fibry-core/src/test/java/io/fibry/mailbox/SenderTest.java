package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SenderTest {
    @Promise("6.1")
    @EveryStrategy
    void sendingToAStoppedActorReturnsFalseOrAFailedAnswer(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.named("gone").newActorWithReturn((Integer n) -> n);
            actor.close();
            assertThat(actor.sendMessage(1)).isFalse();
            actor.accept(1);
            assertThat(actor.execAsync(() -> {
            })).isFalse();
            assertThat(actor.sendMessageReturn(1)).isCompletedExceptionally();
            assertThat(Waits.failure(actor.execFuture(() -> 1))).isInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> actor.execute(() -> {
            })).isInstanceOf(RejectedExecutionException.class).hasMessageContaining("'gone'");
        }
    }

    @Promise("6.1")
    @EveryStrategy
    void soDoesSendingToAFullOne(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var policy : List.of(OverflowPolicy.reject(), OverflowPolicy.dropNewest())) {
                var actor = scope.named("full").mailbox(MailboxPolicy.bounded(1, policy))
                        .newActorWithReturn((Integer n) -> n);
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage(1);
                    assertThat(actor.sendMessage(1)).isFalse();
                    actor.accept(1);
                    assertThat(actor.execAsync(() -> {
                    })).isFalse();
                    assertThat(Waits.failure(actor.sendMessageReturn(1)))
                            .isInstanceOf(MailboxFullException.class);
                    assertThatThrownBy(() -> actor.execute(() -> {
                    })).isInstanceOf(RejectedExecutionException.class).hasMessageContaining("'full'");
                    gate.open();
                }
                actor.close();
            }
        }
    }

    @Promise({"6.3", "10.3"})
    @EveryStrategy
    void nothingThatAHandlerThrowsReachesTheSender(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().onExit(() -> {
                throw new AssertionError("hook");
            }).newActor((String message) -> {
                throw new StackOverflowError(message);
            });
            assertThat(actor.sendMessage("one")).isTrue();
            assertThat(actor.execAsync(() -> {
                throw new OutOfMemoryError("not a real one");
            })).isTrue();
            actor.execute(() -> {
                throw new IllegalStateException("code");
            });
            actor.close();
        }
    }

    @Promise({"6.3", "10.3"})
    @EveryStrategy
    void nothingThatAListenerThrowsReachesTheSender(Strategy strategy) {
        var log = (Logger) LoggerFactory.getLogger("io.fibry");
        log.setLevel(Level.OFF); // it would say ERROR each time
        try (var scope = Scopes.on(strategy, event -> {
            throw new AssertionError("listener");
        })) {
            var actor = scope.named("heard").newActor((String message) -> {
                throw new IllegalStateException("handler");
            });
            assertThat(actor.sendMessage("one")).isTrue();
            actor.close();
            assertThat(actor.sendMessage("two")).isFalse();
        } finally {
            log.setLevel(null);
        }
    }

    @Promise("6.3")
    @Test
    void nothingThatAnExecutorThrowsReachesTheSender() throws Exception {
        var recorder = new Recorder();
        for (var failure : List.of(new RejectedExecutionException("full"), new AssertionError("broken"))) {
            var ended = new CountDownLatch(1);
            try (var scope = ActorSystem.configure("test").listener(recorder)
                    .strategy(actor -> turn -> sneak(failure)).open()) {
                var actor = scope.anonymous().onExit(ended::countDown)
                        .newActorWithReturn((Integer n) -> n);
                assertThat(actor.sendMessage(1)).isTrue();
                assertThat(Waits.failure(actor.sendMessageReturn(1))).hasRootCause(failure);
            }
            Waits.on(ended); // the scope could be closed, and the hook has run
        }
        assertThat(recorder.await(Undelivered.class, 4)).allMatch(e -> e.cause() == Cause.STRATEGY_REFUSED);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    /** Also the one that comes before the first is lost. */
    @Promise("6.3")
    @Test
    void eachMessageTriesAgain() throws Exception {
        var tries = new AtomicInteger();
        var first = new CompletableFuture<Void>();
        try (var threads = Executors.newFixedThreadPool(1);
                var scope = ActorSystem.configure("test").listener(event -> {
                }).strategy(CreationStrategy.of(turn -> {
                    if (tries.incrementAndGet() <= 2) {
                        first.join();
                        throw new RejectedExecutionException("not now");
                    }
                    threads.execute(turn);
                })).open();
                var senders = Executors.newVirtualThreadPerTaskExecutor()) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var lost = CompletableFuture.supplyAsync(() -> actor.sendMessageReturn(1), senders);
            Waits.until("the first try", () -> tries.get() == 1);
            var alsoLost = actor.sendMessageReturn(2);
            var handled = actor.sendMessageReturn(3);
            first.complete(null);
            assertThat(Waits.failure(Waits.on(lost))).isExactlyInstanceOf(ActorException.class);
            assertThat(Waits.failure(alsoLost)).isExactlyInstanceOf(ActorException.class);
            assertThat(Waits.on(handled)).isEqualTo(3);
            assertThat(actor.counters().undelivered()).isEqualTo(2);
        }
    }

    @Promise("6.3")
    @Test
    void afterARefusalTheNextMessageTriesAgain() throws Exception {
        var refuses = new AtomicBoolean(true);
        try (var threads = Executors.newFixedThreadPool(1);
                var scope = ActorSystem.configure("test").listener(event -> {
                }).strategy(CreationStrategy.of(turn -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("not now");
                    }
                    threads.execute(turn);
                })).open()) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            assertThat(Waits.failure(actor.sendMessageReturn(1)))
                    .isExactlyInstanceOf(ActorException.class);
            refuses.set(false);
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(2);
            assertThat(actor.counters().undelivered()).isEqualTo(1);
        }
    }
}
