package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

class ReceivingHandlerTest {
    private final Recorder recorder = new Recorder();
    private final List<Object> got = new CopyOnWriteArrayList<>();

    @EveryStrategy
    void aHandlerMayTakeFurtherMessages(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().<Integer>newReceivingActor((context, first) -> got
                    .add(first + context.receive() + context.receive()));
            try (var gate = Gate.in(actor)) {
                for (int i = 1; i <= 6; i++) {
                    actor.sendMessage(i);
                }
                gate.open();
            }
            actor.close();
            assertThat(got).containsExactly(6, 15);
        }
    }

    @EveryStrategy
    void aContextIsOfUseInsideItsHandlerOnly(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var kept = new CompletableFuture<ActorContext<Integer, Void>>();
            var actor = scope.named("tom").<Integer>newActor((context, n) -> kept.complete(context));
            actor.sendMessage(1);
            var context = Waits.on(kept);
            assertThat(context.self()).isSameAs(actor);
            assertThat(context.scope()).isSameAs(scope);
            assertThatThrownBy(context::timers)
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("'tom'");
            assertThatThrownBy(context::askExit)
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
