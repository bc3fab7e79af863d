package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Strategy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** An actor that had nothing rare about it when its turn began is asked to stop: the turn hears of it at once. */
class StopDuringTurnTest {
    @EveryStrategy
    void aTurnHearsOfTheEndThatIsAskedForWhileItRuns(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        List<Integer> handled = new CopyOnWriteArrayList<>();
        var actor = ActorSystem.anonymous().strategy(strategy.create()).newActor((Integer n) -> {
            begun.countDown();
            goOn.await();
            handled.add(n);
        });
        var sender = Thread.ofPlatform().start(() -> actor.sendMessage(1));
        begun.await();
        actor.sendMessage(2);
        actor.askExit();
        goOn.countDown();
        sender.join();
        actor.waitForExit();
        assertThat(handled).containsExactly(1);
    }
}
