package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.internal.EngineProbe;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LeaksTest {
    @Test
    void aFiberThatIsStuckInAHandlerIsFound() throws Exception {
        var handling = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        var actor = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).newActor((String message) -> {
            handling.countDown();
            end.await();
        });
        actor.sendMessage("stay");
        handling.await();
        var found = FibryThreads.alive("fibry-timer").values();
        end.countDown();
        assertThat(found).singleElement().asString().contains("\"fibry\"", "virtual", getClass().getName());
        actor.close();
    }

    @Test
    void aThreadOfAnActorIsFound() {
        var actor =
                ActorSystem.named("tom").strategy(CreationStrategy.threads()).newActor((String message) -> {
                });
        assertThat(FibryThreads.alive("fibry-timer").values()).singleElement().asString()
                .contains("fibry-tom");
        assertThat(EngineProbe.rootFootprint()).isEqualTo(1);
        actor.close();
    }

    @Test
    void aTimerIsFound() {
        var actor = ActorSystem.anonymous().<String>newActor((context, message) -> context.timers()
                .once("key", Duration.ofHours(1), "later"));
        actor.sendMessage("set");
        await().until(() -> EngineProbe.pendingTimers() == 1);
        actor.close();
        assertThat(EngineProbe.pendingTimers()).isZero();
    }

    @EveryStrategy
    void everyStrategyRunsAnActor(Strategy strategy) throws Exception {
        try (var actor = ActorSystem.anonymous().strategy(strategy.create())
                .newActorWithReturn((Integer n) -> n + 1)) {
            assertThat(actor.sendMessageReturnWait(1)).isEqualTo(2);
        }
    }
}
