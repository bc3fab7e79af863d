package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.event.Failed;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

@BugClass(19)
class ReceiveFailureTest {
    @EveryStrategy
    void aMessageOnWhichAPredicateThrowsIsNotLost(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "the sender would wait in its own receive");
        var events = new Recorder();
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(events).open()) {
            var seen = new LinkedBlockingQueue<String>();
            var actor = scope.anonymous().<String>newReceivingActor((context, message) -> {
                seen.add(message);
                if (message.equals("receive")) {
                    context.receive(offered -> {
                        throw new IllegalArgumentException("no opinion on " + offered);
                    });
                }
            });
            actor.sendMessage("receive");
            actor.sendMessage("offered");

            assertThat(events.await(Failed.class).cause()).hasMessage("no opinion on offered");
            assertThat(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("receive");
            assertThat(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("offered");
        }
    }

    @EveryStrategy
    void aMessageOnWhichAPredicateThrowsMeetsAFate(Strategy strategy) throws Exception {
        var events = new Recorder();
        var scope = Scopes.configure().strategy(strategy.create()).listener(events).open();
        try (scope) {
            var actor = scope.anonymous().<String>newReceivingActor(context -> context.receive(offered -> {
                throw new StackOverflowError();
            }));
            actor.sendMessage("offered");
            Waits.stopped(actor);
        }
        assertThat(events.only(Failed.class).cause()).isInstanceOf(StackOverflowError.class);
        assertThat(scope.counters().total()).isEqualTo(1);
    }
}
