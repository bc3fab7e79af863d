package io.fibry.scopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AwaitIdleTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    @Promise("25.9")
    @EveryStrategy
    void allMessagesAreHandledAndThoseThatCameOfThem(Strategy strategy) throws InterruptedException {
        try (var scope =
                ActorSystem.configure("test").strategy(strategy.create()).time(new ManualTime()).open();
                var inner = scope.child("inner").open()) {
            var counts = new int[2];
            var other = new AtomicReference<Actor<Integer, Void>>();
            var one = inner.anonymous().newActor((Integer left) -> {
                counts[0]++;
                if (left > 0) {
                    other.get().sendMessage(left - 1);
                }
            });
            other.set(scope.anonymous().newActor((Integer left) -> {
                counts[1]++;
                if (left > 0) {
                    one.sendMessage(left - 1);
                }
            }));
            for (var round = 1; round <= 20; round++) {
                one.sendMessage(99);
                assertThat(scope.awaitIdle(LONG)).isTrue();
                assertThat(counts).containsExactly(50 * round, 50 * round);
                assertThat(one.counters().total()).isEqualTo(50L * round);
            }
        }
    }

    @Promise("25.9")
    @Test
    void anActorThatIsHeldUpIsNotIdle() throws InterruptedException {
        try (var scope = ActorSystem.open("test")) {
            var begun = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var held = scope.anonymous().newActor((String message) -> {
                begun.countDown();
                Waits.on(goOn);
            });
            held.sendMessage("a");
            Waits.on(begun);
            assertThat(scope.awaitIdle(Duration.ofMillis(20))).isFalse();
            goOn.countDown();
            assertThat(scope.awaitIdle(LONG)).isTrue();
        }
    }

    @Promise("25.9")
    @Test
    void anInterruptEndsTheWait() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> scope.awaitIdle(LONG)).isInstanceOf(InterruptedException.class)
                    .hasMessageContaining("scope 'test'");
            assertThat(Thread.interrupted()).isFalse();
            assertThat(scope.awaitIdle(LONG)).isTrue();
        }
    }

    @Promise("25.9")
    @Test
    void aScopeThatIsClosedIsIdleAndALimitIsPositive() throws InterruptedException {
        var scope = ActorSystem.open("test");
        scope.anonymous().newActor((String message) -> {
        }).sendMessage("a");
        scope.close();
        assertThat(scope.awaitIdle(LONG)).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> scope.awaitIdle(Duration.ZERO))
                .withMessageContaining("limit must be more than zero");
    }
}
