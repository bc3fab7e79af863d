package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnBudgetTest {
    private static final int BUDGET = 1_024;

    /** Two ready actors and one thread: how many messages the first handles before the second starts. */
    private static int headStart(CreationStrategy oneThread, TimeSource time, Runnable work)
            throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(oneThread).time(time).open()) {
            var handled = new AtomicInteger();
            var before = new CompletableFuture<Integer>();
            var greedy = scope.anonymous().newActor((Integer n) -> {
                handled.incrementAndGet();
                work.run();
            });
            var other = scope.anonymous().newActor((Integer n) -> {
                before.complete(handled.get());
            });
            try (var gate = Gate.in(scope.anonymous().newActor((Integer n) -> {
            }))) {
                for (int i = 0; i < 10 * BUDGET; i++) {
                    greedy.sendMessage(i);
                }
                other.sendMessage(1);
                gate.open();
            }
            return Waits.on(before);
        }
    }

    private static final Runnable NOTHING = () -> {
    };

    @Promise("8.1")
    @Test
    void onAPoolTheBudgetIsSoManyMessages() throws Exception {
        var pool = CreationStrategy.pool(1);
        assertThat(headStart(pool, new ManualTime(), NOTHING)).isBetween(1, BUDGET);
    }

    @Promise("8.1")
    @Test
    void onAUsersExecutorItIsTheSame() throws Exception {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            assertThat(headStart(CreationStrategy.of(thread), new ManualTime(), NOTHING)).isBetween(1,
                    BUDGET);
            assertThat(headStart(actor -> thread, new ManualTime(), NOTHING)).isBetween(1, BUDGET);
        }
    }

    @Promise("8.1")
    @Test
    void orAboutAMillisecond() throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // its moves wait for no actor
        var pool = CreationStrategy.pool(1);
        // A tenth of a millisecond each: ten fill the budget, and the clock is not looked at every time.
        assertThat(headStart(pool, time, () -> time.advance(Duration.ofNanos(100_000))))
                .isBetween(1, 50);
    }
}
