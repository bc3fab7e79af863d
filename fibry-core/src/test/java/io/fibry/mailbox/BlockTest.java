package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BlockTest {
    private static final MailboxPolicy ONE = MailboxPolicy.bounded(1, OverflowPolicy.block());

    private final Recorder recorder = new Recorder();

    @Promise("4.6")
    @EveryStrategy
    void anActorThatSendsToItselfIsRefused(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var results = new CompletableFuture<String>();
            scope.anonymous().mailbox(ONE).<String>newActor((context, message) -> {
                if (message.equals("go")) {
                    results.complete(context.self().sendMessage("1") + " " + context.self().sendMessage("2"));
                }
            }).sendMessage("go");
            assertThat(Waits.on(results)).isEqualTo("true false");
        }
    }

    @Promise({"4.6", "11.1"})
    @EveryStrategy
    void whoWouldCloseACircleOfWaitingActorsIsRefused(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actors = new ArrayList<Actor<Integer, Void>>();
            var ended = new CountDownLatch(3);
            for (int i = 0; i < 3; i++) {
                var next = (i + 1) % 3;
                actors.add(scope.named("a" + i).mailbox(ONE).newActor((Integer n) -> {
                    // Each sends far more than the next one has room for before it looks at its own.
                    for (int k = 0; k < n; k++) {
                        actors.get(next).sendMessage(0);
                    }
                    if (n > 0) {
                        ended.countDown();
                    }
                }));
            }
            Senders.run(3, sender -> actors.get(sender).sendMessage(5));
            Waits.on(ended);
            assertThat(recorder.of(Undelivered.class)).allMatch(e -> e.cause() == Cause.BLOCK_CYCLE);
        }
    }

    @Promise("4.6")
    @EveryStrategy
    void aTimeLimitEndsTheWait(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var actor = scope.anonymous()
                    .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block(Duration.ofSeconds(5))))
                    .newActor((Integer n) -> {
                    });
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                var sent = CompletableFuture.supplyAsync(() -> actor.sendMessage(2));
                await().until(() -> time.pending() == 1);
                time.advance(Duration.ofSeconds(5).minusNanos(1));
                assertThat(sent).isNotDone();
                time.advance(Duration.ofNanos(1));
                assertThat(Waits.on(sent)).isFalse();
                gate.open();
            }
        }
        assertThat(recorder.only(Undelivered.class).cause()).isEqualTo(Cause.BLOCK_TIMEOUT);
    }

    @Promise("4.6")
    @EveryStrategy
    void theTargetsStopEndsTheWait(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().mailbox(ONE).newActor((Integer n) -> {
            });
            var sent = new ArrayList<CompletableFuture<Boolean>>();
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                for (int i = 0; i < 4; i++) {
                    var result = new CompletableFuture<Boolean>();
                    sent.add(result);
                    var sender = Thread.ofPlatform().start(() -> result.complete(actor.sendMessage(2)));
                    Patience.spin("it waits for room", () -> sender.getState() == Thread.State.WAITING);
                }
                actor.askExit();
                gate.open();
            }
            for (var result : sent) {
                assertThat(Waits.on(result)).isFalse();
            }
        }
        assertThat(recorder.of(Undelivered.class)).hasSize(5);
    }

    @Promise("4.6")
    @Test
    void aPoolGoesOnWhileItsThreadsWaitForRoom() throws Exception {
        var pool = CreationStrategy.pool(1);
        try (var scope = ActorSystem.configure("test").strategy(pool).listener(recorder).open()) {
            var got = new CountDownLatch(10);
            var target = scope.named("target").mailbox(ONE).newActor((Integer n) -> {
                got.countDown();
            });
            var source = scope.named("source").newActor((Integer count) -> {
                for (int i = 0; i < count; i++) {
                    target.sendMessage(i);
                }
            });
            source.sendMessage(10);
            Waits.on(got);
        }
    }
}
