package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorState;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailurePolicyTest {
    private static final FailurePolicy.Decide POLICY =
            FailurePolicy.when(Exception.class, FailurePolicy.resume())
                    .when(IOException.class, FailurePolicy.restart())
                    .when(FileNotFoundException.class, FailurePolicy.stop())
                    .otherwise(FailurePolicy.escalate());

    @Promise("10.1")
    @Test
    void theNearestClassCountsInWhateverOrder() {
        assertThat(POLICY.policyFor(new IllegalStateException())).isEqualTo(FailurePolicy.resume());
        assertThat(POLICY.policyFor(new IOException())).isEqualTo(FailurePolicy.restart());
        assertThat(POLICY.policyFor(new java.net.ConnectException())).isEqualTo(FailurePolicy.restart());
        assertThat(POLICY.policyFor(new FileNotFoundException())).isEqualTo(FailurePolicy.stop());
        assertThat(POLICY.policyFor(new StackOverflowError())).isEqualTo(FailurePolicy.escalate());
    }

    @Promise("10.1")
    @EveryStrategy
    void theActorDoesWhatIsSaidOfTheClass(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var nested =
                    FailurePolicy.when(ArithmeticException.class, FailurePolicy.resume()).otherwise(POLICY);
            var actor = scope.anonymous().onFailure(nested).newActor((Exception thrown) -> {
                throw thrown;
            });
            actor.sendMessage(new ArithmeticException());
            actor.sendMessage(new IllegalArgumentException());
            actor.execAndWait(() -> {
            });
            assertThat(recorder.of(Restarted.class)).isEmpty();
            actor.sendMessage(new IOException());
            actor.execAndWait(() -> {
            });
            assertThat(recorder.of(Restarted.class)).hasSize(1);
            actor.sendMessage(new FileNotFoundException());
            actor.waitForExit();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
            assertThat(recorder.of(Failed.class)).hasSize(4);
        }
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> FailurePolicy.restart(0, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("limit")
                .hasMessageContaining("0");
        assertThatThrownBy(() -> FailurePolicy.restart(1, Duration.ZERO)).hasMessageContaining("window");
        var restart = FailurePolicy.restart();
        assertThatThrownBy(() -> restart.withBackoff(Duration.ZERO, Duration.ofSeconds(1), 0))
                .hasMessageContaining("min");
        assertThatThrownBy(() -> restart.withBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1), 0))
                .hasMessageContaining("max");
        for (var jitter : new double[]{-0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(
                    () -> restart.withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(1), jitter))
                    .hasMessageContaining("jitter");
        }
        assertThatThrownBy(() -> POLICY.when(IOException.class, FailurePolicy.stop()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("java.io.IOException");
    }
}
