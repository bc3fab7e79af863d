package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;

/** The clock of a scope, and the time that a handler has left. */
class TimeOfWorkTest {
    @Promise("46.5")
    @EveryStrategy
    void theClockAndTheTimeLeft(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, new Recorder(), time)) {
            assertThat(scope.time()).isSameAs(time);
            assertThat(scope.child("inner").open().time()).isSameAs(time);
            var actor = scope.anonymous().newActorWithReturn((String text) -> ActorSystem.timeLeft());
            assertThat(Waits.on(actor.sendMessageReturn("x"))).isEmpty();
            assertThat(Waits.on(actor.ask("x", Duration.ofSeconds(3))))
                    .contains(Duration.ofSeconds(3));
            assertThat(ActorSystem.timeLeft()).isEmpty();
        }
    }
}
