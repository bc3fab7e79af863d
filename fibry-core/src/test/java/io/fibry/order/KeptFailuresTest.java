package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.function.Body;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events of failures that have the message. */
class KeptFailuresTest {
    private final Recorder recorder = new Recorder();

    private static void fail() {
        throw new IllegalStateException("as wanted");
    }

    @Promise("35.5")
    @EveryStrategy
    void theEventHasTheMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().keepFailedMessages()
                    .onFailure(FailurePolicy.restart(10, Duration.ofMinutes(1)))
                    .newActor((String message) -> fail());
            Body code = KeptFailuresTest::fail;
            actor.sendMessage("told");
            Waits.failure(actor.sendMessageReturn("asked"));
            actor.execAsync(code);
            assertThat(recorder.await(Failed.class, 3))
                    .extracting(failed -> failed.keptMessage().orElseThrow())
                    .containsExactly("told", "asked", code);
            assertThat(recorder.of(Failed.class).getFirst().toString()).contains("java.lang.String")
                    .doesNotContain("told");
        }
    }

    @Promise("35.5")
    @EveryStrategy
    void withoutItTheEventHasTheClassAlone(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            scope.anonymous().newActor((String message) -> fail()).sendMessage("told");
            var failed = recorder.await(Failed.class);
            assertThat(failed.keptMessage()).isEmpty();
            assertThat(failed.message()).isEqualTo(Optional.of(String.class));
        }
    }

    @Promise("35.5")
    @EveryStrategy
    void ofActorsByKeyAndOfWorkers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var keeping = scope.anonymous().keepFailedMessages();
            var keyed = keeping.<String, String>keyed(message -> message)
                    .newActorsFrom(key -> (context, message) -> fail());
            keyed.sendMessage("a");
            assertThat(recorder.await(Failed.class).keptMessage()).contains("a");
            Stereotypes.with(keeping).workers((String message) -> fail()).sendMessage("b");
            assertThat(recorder.await(Failed.class, 2).getLast().keptMessage()).contains("b");
        }
    }

    @Promise("35.5")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void withAStandIn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            scope.anonymous().keepFailedMessages().abandonStuck(Duration.ofMinutes(1), Duration.ofMinutes(1))
                    .newActor((String message) -> fail()).sendMessage("a");
            assertThat(recorder.await(Failed.class).keptMessage()).contains("a");
        }
    }

    @Promise("35.5")
    @Test
    void aReceivingActorIsRefused() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            assertThatThrownBy(() -> scope.named("tom").keepFailedMessages()
                    .newReceivingActor((ReceivingContext<String> context) -> {
                    })).isInstanceOf(IllegalStateException.class).hasMessageContaining("keepFailedMessages")
                    .hasMessageContaining("'tom'").hasMessageContaining("catch");
        }
    }
}
