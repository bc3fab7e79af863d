package io.fibry.deadlines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.AskTimeoutException;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Code and receives with time limits. */
class TimedCodeTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();

    @Promise("32.9")
    @EveryStrategy
    void codeHasATimeLimit(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.named("busy").newActorWithReturn((Integer n) -> n);
            var ran = new AtomicInteger();
            assertThat(Waits.on(actor.execFuture(ran::incrementAndGet, LONG))).isEqualTo(1);
            actor.execFuture(ran::incrementAndGet, LONG).get();
            assertThat(ran).hasValue(2);
            assertThatThrownBy(() -> actor.execFuture(() -> {
                throw new IllegalStateException("code");
            }, LONG).get()).isInstanceOf(ExecutionException.class).cause().hasMessage("code");
            try (var gate = Gate.in(actor)) {
                var late = actor.execFuture(ran::incrementAndGet, LONG);
                time.advance(LONG);
                assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class)
                        .hasMessageContaining("'busy'");
                gate.open();
            }
            assertThat(actor.apply(1)).isEqualTo(1);
            assertThat(ran).hasValue(2);
            assertThat(actor.counters().expired()).isEqualTo(1);
            assertThatThrownBy(() -> actor.execFuture(ran::incrementAndGet, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("timeout");
        }
    }

    @Promise("32.9")
    @EveryStrategy
    void aReceiveHasATimeLimit(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var got = new CompletableFuture<List<Object>>();
            var body = scope.anonymous().<Object>newReceivingActor(inbox -> {
                var first = inbox.receive(Integer.class, LONG);
                got.complete(List.of(first, inbox.receive(Duration.ZERO), inbox.receive(Duration.ZERO),
                        inbox.receive(Integer.class, Duration.ZERO)));
            });
            body.sendMessage("text");
            body.sendMessage(7);
            assertThat(Waits.on(got))
                    .hasToString("[Optional[7], Optional[text], Optional.empty, Optional.empty]");
            Waits.stopped(body);
        }
    }
}
