package io.fibry.interrupts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorInterruptedException;
import io.fibry.CreationStrategy;
import io.fibry.testing.Aside;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

@BugClass(18)
class InterruptFlagTest {
    @AfterEach
    void clearOurOwnFlag() {
        Thread.interrupted();
    }

    @EveryStrategy
    void theNextMessageFindsTheFlagClear(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var flags = new LinkedBlockingQueue<Boolean>();
            var actor = scope.anonymous().newActor((String message) -> {
                flags.add(Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt();
                if (message.equals("throw")) {
                    throw new IllegalStateException("with the flag set");
                }
            });
            for (var message : new String[]{"return", "throw", "return", "throw", "return"}) {
                actor.sendMessage(message);
                assertThat(flags.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isFalse();
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @EveryStrategy
    void aSendersFlagStaysWithTheSender(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var seen = new CompletableFuture<Boolean>();
            var actor = scope.anonymous()
                    .newActor((String message) -> seen.complete(Thread.currentThread().isInterrupted()));
            Thread.currentThread().interrupt();
            actor.sendMessage("message");

            assertThat(Thread.interrupted()).isTrue();
            assertThat(Waits.on(seen)).isFalse();
        }
    }

    @EveryStrategy
    void anInterruptedCloseStopsTheActorAndKeepsTheFlag(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var handling = new CountDownLatch(1);
            var never = new CountDownLatch(1);
            var actor = scope.anonymous().newActor((String message) -> {
                handling.countDown();
                never.await();
            });
            Aside.run(() -> actor.sendMessage("wait"));
            Waits.on(handling);
            Thread.currentThread().interrupt();
            actor.close();

            assertThat(Thread.interrupted()).isTrue();
            Waits.stopped(actor);
        }
    }

    @EveryStrategy
    void anInterruptedWaitForAnAnswerEndsAndTheHandlerGoesOn(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "the waiting thread would be the handler's own");
        try (var scope = Scopes.on(strategy)) {
            var begun = new Semaphore(0);
            var release = new CountDownLatch(1);
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> {
                begun.release();
                Waits.on(release);
                return n;
            });
            var self = Thread.currentThread();
            Thread.startVirtualThread(() -> {
                begun.acquireUninterruptibly();
                self.interrupt();
            });
            assertThatThrownBy(() -> actor.sendMessageReturnWait(1)).isInstanceOf(InterruptedException.class);
            Thread.startVirtualThread(() -> {
                Waits.until("it is in the mailbox", () -> actor.mailboxSize() > 0);
                self.interrupt();
            });
            assertThatThrownBy(() -> actor.apply(1)).isInstanceOf(ActorInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertThatThrownBy(actor::waitForExit).isInstanceOf(ActorInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();

            release.countDown();
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo(2);
            assertThat(actor.counters().handled()).isEqualTo(3);
        }
    }

    /** Two actors take turns on one thread; interrupts are aimed at the one at every moment. */
    @Test
    void anInterruptReachesNoOtherActorOnTheSameThread() throws Exception {
        var thread = Executors.newSingleThreadExecutor();
        try (var scope = Scopes.configure().strategy(CreationStrategy.of(thread)).open()) {
            var strays = new LinkedBlockingQueue<Integer>();
            var bystander = scope.anonymous().newActorWithReturn((Integer n) -> {
                if (Thread.interrupted()) {
                    strays.add(n);
                }
                return n;
            });
            for (int n = 0; n < 500; n++) {
                var victim = scope.anonymous().newActor((Integer message) -> Thread.sleep(message));
                victim.sendMessage(1);
                var answer = bystander.sendMessageReturn(n);
                victim.sendMessage(1);
                victim.stop(Duration.ofNanos(n * 10_000));
                Waits.stopped(victim);
                Waits.on(answer);
            }
            assertThat(strays).isEmpty();
        } finally {
            thread.shutdown();
        }
    }
}
