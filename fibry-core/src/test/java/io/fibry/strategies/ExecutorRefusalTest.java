package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a refusing executor must not swallow besides messages. */
class ExecutorRefusalTest {
    private final AtomicBoolean refuses = new AtomicBoolean();
    private final CreationStrategy strategy = CreationStrategy.of(turn -> {
        if (refuses.get()) {
            throw new RejectedExecutionException("not now");
        }
        turn.run();
    });

    @Promise("6.3")
    @Test
    void anActorWhoseBodyIsRefusedDoesNotStayForEver() {
        refuses.set(true);
        try (var scope = ActorSystem.configure("test").listener(event -> {
        }).strategy(strategy).open()) {
            Actor<String, Void> actor = scope.anonymous().newReceivingActor(context -> {
            });
            assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
        }
    }

    @Promise({"6.3", "20.2"})
    @Test
    void aRepeatingTimerOutlivesARefusal() {
        var time = new ManualTime();
        var got = new ArrayList<String>();
        try (var scope = ActorSystem.configure("test").listener(event -> {
        }).strategy(strategy).time(time).open()) {
            var actor = scope.anonymous().<String>newActor((context, message) -> {
                got.add(message);
                if (message.equals("start")) {
                    context.timers().fixedDelay("key", Duration.ofSeconds(1), "tick");
                }
            });
            actor.sendMessage("start");
            refuses.set(true);
            time.advance(Duration.ofSeconds(1));
            actor.waitForExit(Duration.ZERO);
            org.awaitility.Awaitility.await().until(() -> actor.state() == io.fibry.ActorState.IDLE);
            refuses.set(false);
            time.advance(Duration.ofSeconds(1));
            org.awaitility.Awaitility.await().until(() -> time.pending() > 0);
        }
    }
}
