package io.fibry.interrupts;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@BugClass(2)
class SpuriousWakeTest {
    private static final int STORM = 50_000;

    private static void storm(Thread target) {
        for (int i = 0; i < STORM; i++) {
            LockSupport.unpark(target);
        }
    }

    @Test
    void anIdleActorsThreadOutlivesAStorm() throws Exception {
        var thread = new CompletableFuture<Thread>();
        try (var actor = idle(CreationStrategy.threads())) {
            actor.execute(() -> thread.complete(Thread.currentThread()));
            storm(Waits.on(thread));

            assertThat(thread.get().isAlive()).isTrue();
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            Waits.until("idle", () -> actor.state() == ActorState.IDLE);
        }
    }

    private static Actor<Integer, Integer> idle(CreationStrategy strategy) {
        return ActorSystem.anonymous().strategy(strategy).newActorWithReturn((Integer n) -> n);
    }

    @EveryStrategy
    void aReceiveReturnsOnlyWithAMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var thread = new CompletableFuture<Thread>();
            var received = new CompletableFuture<String>();
            var actor = scope.anonymous().<String>newReceivingActor(context -> {
                thread.complete(Thread.currentThread());
                received.complete(context.receive());
            });
            Waits.parked(Waits.on(thread));
            storm(thread.get());
            assertThat(received).isNotDone();

            actor.sendMessage("a message");
            assertThat(Waits.on(received)).isEqualTo("a message");
        }
    }

    @EveryStrategy
    void aWaitForAnAnswerEndsOnlyWithIt(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "the ask would be handled on the asker's thread");
        try (var scope = Scopes.on(strategy)) {
            var answer = new CompletableFuture<String>();
            var slow = scope.anonymous().newActorWithReturn((String ask) -> answer.get());
            var got = new CompletableFuture<String>();
            var thread = new CompletableFuture<Thread>();
            scope.anonymous().newActor((String go) -> {
                thread.complete(Thread.currentThread());
                got.complete(slow.sendMessageReturnWait(go));
            }).sendMessage("go");
            Waits.parked(Waits.on(thread));
            storm(thread.get());
            assertThat(got).isNotDone();

            answer.complete("the answer");
            assertThat(Waits.on(got)).isEqualTo("the answer");
        }
    }

    @EveryStrategy
    void aBlockedSenderWaitsOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var release = new CountDownLatch(1);
            var handling = new CountDownLatch(1);
            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((Integer n) -> {
                        handling.countDown();
                        Waits.on(release);
                    });
            var occupant = Thread.ofVirtual().start(() -> full.sendMessage(1));
            Waits.on(handling);
            full.sendMessage(2);
            var accepted = new CompletableFuture<Boolean>();
            var blocked = Thread.ofPlatform().start(() -> accepted.complete(full.sendMessage(3)));
            Waits.parked(blocked);
            storm(blocked);
            assertThat(accepted).isNotDone();
            assertThat(full.mailboxSize()).isEqualTo(1);

            release.countDown();
            assertThat(Waits.on(accepted)).isTrue();
            Waits.on(occupant);
        }
    }

    /** A platform thread parks with the limit; a virtual thread has an alarm. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitForAnExitGoesOn(boolean virtual) throws Exception {
        var actor = idle(CreationStrategy.fibers());
        var stopped = new CompletableFuture<Boolean>();
        var waiter = (virtual ? Thread.ofVirtual() : Thread.ofPlatform())
                .start(() -> stopped.complete(actor.waitForExit(Duration.ofHours(1))));
        Waits.until("it waits",
                () -> waiter.getState() == (virtual ? Thread.State.WAITING : Thread.State.TIMED_WAITING));
        storm(waiter);
        assertThat(stopped).isNotDone();

        actor.askExit();
        assertThat(Waits.on(stopped)).isTrue();
    }
}
