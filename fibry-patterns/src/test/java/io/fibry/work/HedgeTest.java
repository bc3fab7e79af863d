package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
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
import java.util.concurrent.CopyOnWriteArrayList;

/** A second try that begins before the first one has ended. */
class HedgeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<WorkEvent> events = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<String>> attempts = new CopyOnWriteArrayList<>();
    private final HedgeOptions options = HedgeOptions.after(SECOND).withListener(events::add);

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private CompletableFuture<String> attempt() {
        var made = new CompletableFuture<String>();
        attempts.add(made);
        return made;
    }

    @Promise("46.9")
    @EveryStrategy
    void theFirstSuccessWinsAndTheOtherIsCancelled(Strategy strategy) throws Exception {
        for (int winner = 0; winner < 2; winner++) {
            attempts.clear();
            events.clear();
            try (var scope = scope(strategy)) {
                var result = Hedge.open(scope, "hedge", options).start(this::attempt);
                time.advance(SECOND.minusNanos(1));
                assertThat(attempts).hasSize(1);
                time.advance(Duration.ofNanos(1));
                assertThat(attempts).hasSize(2);
                attempts.get(winner).complete("won");
                assertThat(Waits.on(result)).isEqualTo("won");
                assertThat(attempts.get(1 - winner)).isCancelled();
                assertThat(events).containsExactly(new WorkEvent.HedgeStarted("hedge", 2),
                        new WorkEvent.HedgeWon("hedge", winner + 1));
            }
        }
    }

    @Promise("46.9")
    @EveryStrategy
    void aCallThatIsFastIsMadeOnce(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var hedge = Hedge.open(scope, "hedge", options);
            var result = hedge.start(this::attempt);
            attempts.getFirst().complete("fast");
            assertThat(Waits.on(result)).isEqualTo("fast");
            var failed = hedge.start(this::attempt);
            attempts.getLast().completeExceptionally(new IllegalStateException("first"));
            assertThat(Waits.failure(failed)).hasMessage("first");
            assertThat(time.pending()).isZero();
            time.advance(SECOND.multipliedBy(2));
            assertThat(attempts).hasSize(2);
            assertThat(events).isEmpty();
        }
    }

    @Promise("46.9")
    @EveryStrategy
    void itFailsWhenAllThatHaveBegunHaveFailed(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var result = Hedge.open(scope, "hedge", options.withAttempts(3)).start(this::attempt);
            time.advance(SECOND);
            attempts.get(0).completeExceptionally(new IllegalStateException("first"));
            assertThat(result).isNotDone();
            time.advance(SECOND);
            assertThat(attempts).hasSize(3);
            attempts.get(2).completeExceptionally(new IllegalStateException("third"));
            attempts.get(1).completeExceptionally(new IllegalStateException("second"));
            assertThat(Waits.failure(result)).hasMessage("first");
            assertThatThrownBy(() -> HedgeOptions.after(Duration.ZERO))
                    .hasMessageContaining("more than zero");
            assertThatThrownBy(() -> options.withAttempts(1)).hasMessageContaining("at least 2");
        }
    }

    @Promise("46.9")
    @EveryStrategy
    void theAskThatLosesIsTakenBack(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // no message waits there
        }
        try (var scope = scope(strategy)) {
            var slow = scope.anonymous().newActorWithReturn((String text) -> text + "slow");
            var fast = scope.anonymous().newActorWithReturn((String text) -> text + "fast");
            try (var gate = Gate.in(slow)) {
                var asked = new CopyOnWriteArrayList<String>();
                var result = Hedge.open(scope, "hedge", options).start(() -> {
                    asked.add("x");
                    return (asked.size() == 1 ? slow : fast).sendMessageReturn("");
                });
                time.advance(SECOND);
                assertThat(Waits.on(result)).isEqualTo("fast");
                gate.open();
            }
            slow.execAndWait(() -> {
            });
            assertThat(slow.counters().expired()).isOne();
        }
    }
}
