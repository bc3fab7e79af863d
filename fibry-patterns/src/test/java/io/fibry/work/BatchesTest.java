package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Undelivered;
import io.fibry.message.MessageFate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<List<String>> handled = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, events, time);
    }

    private void handle(List<String> batch) {
        handled.add(batch);
        if (batch.contains("fail")) {
            throw new IllegalStateException("as wanted");
        }
    }

    @Promise("46.25")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void aBatchEndsWhenItIsFullOrItsTimeIsOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = Batches.newActor(scope.anonymous(), 3, SECOND, this::handle);
            List.of("a", "b", "c", "d").forEach(actor::sendMessage);
            var asked = actor.sendMessageReturn("e");
            Waits.until("the second batch is open", () -> actor.mailboxSize() == 0 && time.pending() == 1);
            assertThat(handled).containsExactly(List.of("a", "b", "c"));
            assertThat(asked).isNotDone();
            time.advance(SECOND);
            assertThat(Waits.on(asked)).isNull();
            assertThat(handled).containsExactly(List.of("a", "b", "c"), List.of("d", "e"));
        }
    }

    @Promise("46.25")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void theMessagesOfABatchFailTogetherAndThePolicyDecidesOnce(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var policy : List.of(FailurePolicy.resume(),
                    FailurePolicy.restart(9, Duration.ofMinutes(1)))) {
                var actor = Batches.newActor(scope.anonymous().onFailure(policy), 3, SECOND, this::handle);
                var fate = actor.sendTracked("a");
                actor.sendMessage("fail");
                assertThat(Waits.failure(actor.sendMessageReturn("b"))).hasMessage("as wanted");
                assertThat(Waits.on(fate)).isInstanceOf(MessageFate.Failed.class);
                var next = actor.sendTracked("c");
                List.of("d", "e").forEach(actor::sendMessage);
                assertThat(Waits.on(next)).isInstanceOf(MessageFate.Handled.class);
                assertThat(actor.counters().failed()).isEqualTo(3);
            }
            assertThat(events.of(Failed.class)).hasSize(2);
            assertThat(events.of(Restarted.class)).hasSize(1);
        }
    }

    @Promise("46.25")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER", mode = EnumSource.Mode.EXCLUDE)
    void whatWaitsAtTheEndIsHandled(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var closed = Batches.newActor(scope.anonymous(), 3, SECOND, this::handle);
            List.of("a", "b").forEach(closed::sendMessage);
            closed.close();
            var left = Batches.newActor(scope.anonymous(), 3, SECOND, this::handle);
            List.of("c", "d").forEach(left::sendMessage);
            scope.stop(SECOND);
            assertThat(handled).containsExactly(List.of("a", "b"), List.of("c", "d"));
        }
        assertThat(events.of(Undelivered.class)).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Promise("46.25")
    @Test
    void misuseIsRefusedWithTheRemedy() {
        try (var scope = scope(Strategy.FIBERS)) {
            var builder = scope.named("rows");
            assertThatThrownBy(() -> Batches.newActor(builder, 0, SECOND, this::handle))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least 1");
            assertThatThrownBy(() -> Batches.newActor(builder, 1, Duration.ZERO, this::handle))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("more than zero");
            assertThatThrownBy(() -> Batches.newActor(builder.stash(1), 1, SECOND, this::handle))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("stash");
        }
    }
}
