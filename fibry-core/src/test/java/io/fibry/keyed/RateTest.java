package io.fibry.keyed;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.RateLimit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    /** When messages were handled, in seconds. */
    private final List<Long> at = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, time);
    }

    /** Moves the clock to the next message, until all are handled. */
    private void handleAll(int count) {
        soon().until(() -> {
            if (at.size() < count && time.nanosToNext() <= SECOND.toNanos()) {
                time.advanceToNext();
            }
            return at.size() == count;
        });
    }

    @Promise("21.6")
    @EveryStrategy
    void noMoreAreHandledThanTheLimitAllows(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = Stereotypes.with(scope.anonymous()).<Integer>rateLimited(
                    RateLimit.of(2, Duration.ofSeconds(2)).burst(3),
                    n -> at.add(time.nanoTime() / SECOND.toNanos()));
            Thread.startVirtualThread(() -> { // on caller() it is the sender who waits
                for (int n = 0; n < 6; n++) {
                    actor.sendMessage(n);
                }
            });
            handleAll(6);
            assertThat(at).containsExactly(0L, 0L, 0L, 1L, 2L, 3L);
            at.clear();
            time.advance(Duration.ofMinutes(1));
            Thread.startVirtualThread(() -> {
                for (int n = 0; n < 4; n++) {
                    actor.sendMessage(n);
                }
            });
            handleAll(4);
            assertThat(at).containsExactly(63L, 63L, 63L, 64L); // quiet for long, but no more than the burst
        }
    }

    @Promise("21.7")
    @EveryStrategy
    void tooManyAreShedByTheMailboxAndAStopNeedNotWait(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = Stereotypes
                    .with(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())))
                    .<Integer, Integer>rateLimitedWithReturn(RateLimit.of(1, Duration.ofHours(1)), n -> n);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            var waiting = Thread.startVirtualThread(() -> actor.sendMessage(2));
            soon().until(() -> time.nanosToNext() > SECOND.toNanos() && time.pending() > 0
                    && actor.mailboxSize() == 0);
            assertThat(actor.sendMessage(3)).isTrue();
            assertThat(actor.sendMessage(4)).isFalse();
            var report = actor.stop(Duration.ZERO);
            assertThat(report.forced()).isTrue();
            Waits.stopped(actor);
            Waits.on(waiting);
            assertThat(actor.counters().handled()).isEqualTo(1);
            assertThat(actor.counters().refused()).isEqualTo(1);
            assertThat(actor.counters().undelivered()).isEqualTo(1);
            assertThat(actor.counters().failed()).isEqualTo(1);
        }
        assertThat(time.pending()).isZero();
    }

    @Test
    void aLimitMustMakeSense() {
        assertThatThrownBy(() -> RateLimit.of(0, SECOND))
                .hasMessageContaining("messages must be at least 1: 0");
        assertThatThrownBy(() -> RateLimit.of(1, SECOND).burst(0))
                .hasMessageContaining("burst must be at least 1");
        assertThatThrownBy(() -> RateLimit.of(5, Duration.ofNanos(4))).hasMessageContaining("PT0.000000004S");
        assertThat(RateLimit.of(5, Duration.ofDays(9)).burst(Integer.MAX_VALUE).burst()).isPositive();
    }
}
