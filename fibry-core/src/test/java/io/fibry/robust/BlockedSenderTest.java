package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Strategy;
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
                    Soon.reached(release);
                    return n;
                });
        Thread.ofVirtual().start(() -> actor.sendMessage(1));
        Soon.reached(handling);
        actor.sendMessage(2);
        return actor;
    }

    @EveryStrategy
    void sendersAreRefusedWhenTheActorStopsMeanwhile(Strategy strategy) throws Exception {
        var scope = Quiet.scope(strategy);
        var results = new ArrayList<Future<Boolean>>();
        try (scope) {
            var actor = fullActor(scope);
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < SENDERS; i++) {
                var result = new CompletableFuture<Boolean>();
                threads.add(Thread.ofPlatform().start(() -> result.complete(actor.sendMessage(3))));
                results.add(result);
            }
            threads.forEach(Soon::parked);
            actor.askExit();
            release.countDown();
            for (var result : results) {
                assertThat(Soon.get(result)).isFalse();
            }
            Soon.stopped(actor);
            assertThat(actor.mailboxSize()).isZero();
        }
        var counters = scope.counters();
        assertThat(counters.handled()).isEqualTo(1);
        assertThat(counters.undelivered()).isEqualTo(1);
        assertThat(counters.refused()).isEqualTo(SENDERS);
    }

    @EveryStrategy
    void askersAreToldWhenTheActorIsForcedToStopMeanwhile(Strategy strategy) throws Exception {
        try (var scope = Quiet.scope(strategy)) {
            var actor = fullActor(scope);
            var answer = new CompletableFuture<Future<Integer>>();
            var asker = Thread.ofPlatform().start(() -> answer.complete(actor.sendMessageReturn(3)));
            Soon.parked(asker);
            actor.stop(Duration.ofMillis(20));

            assertThat(Soon.failure(Soon.get(answer))).isInstanceOf(ActorStoppedException.class);
            Soon.stopped(actor);
        }
    }
}
