package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

@BugClass(7)
class BlockedSenderTest {
    private static final int SENDERS = 4;

    private final CountDownLatch handling = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    /** An actor that handles one message and has another one waiting, which is all that may. */
    private Actor<Integer, Integer> fullActor(ActorScope scope) throws InterruptedException {
        var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                .newActorWithReturn((Integer n) -> {
                    handling.countDown();
                    Waits.on(release);
                    return n;
                });
        Thread.ofVirtual().start(() -> actor.sendMessage(1));
        Waits.on(handling);
        actor.sendMessage(2);
        return actor;
    }

    @EveryStrategy
    void sendersAreRefusedWhenTheActorStopsMeanwhile(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy);
        var results = new ArrayList<Future<Boolean>>();
        try (scope) {
            var actor = fullActor(scope);
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < SENDERS; i++) {
                var result = new CompletableFuture<Boolean>();
                threads.add(Thread.ofPlatform().start(() -> result.complete(actor.sendMessage(3))));
                results.add(result);
            }
            threads.forEach(Waits::parked);
            actor.askExit();
            release.countDown();
            for (var result : results) {
                assertThat(Waits.on(result)).isFalse();
            }
            Waits.stopped(actor);
            assertThat(actor.mailboxSize()).isZero();
        }
        var counters = scope.counters();
        assertThat(counters.handled()).isEqualTo(1);
        assertThat(counters.undelivered()).isEqualTo(1);
        assertThat(counters.refused()).isEqualTo(SENDERS);
    }

    @EveryStrategy
    void askersAreToldWhenTheActorIsForcedToStopMeanwhile(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = fullActor(scope);
            var answer = new CompletableFuture<CompletableFuture<Integer>>();
            var asker = Thread.ofPlatform().start(() -> answer.complete(actor.sendMessageReturn(3)));
            Waits.parked(asker);
            actor.stop(Duration.ofMillis(20));

            assertThat(Waits.failure(Waits.on(answer))).isInstanceOf(ActorStoppedException.class);
            Waits.stopped(actor);
        }
    }
}
