package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RestDetectorTest {
    /** A clock that tells nothing but what follows it. */
    private static final class Followed implements TimeSource {
        final CompletableFuture<Activity> activity = new CompletableFuture<>();

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
            return () -> false;
        }

        @Override
        public Cancellable follow(Activity followed) {
            activity.complete(followed);
            return () -> false;
        }
    }

    /** The handler is released at the tenth look. By a clock that a stop of the machine moves, it has waited for long. */
    @Promise("20.11")
    @Test
    void aMachineThatStoodStillDoesNotMakeAnActorStand() throws Exception {
        var time = new Followed();
        var mayGo = new CountDownLatch(1);
        var waits = new CountDownLatch(1);
        var isHandled = new CompletableFuture<Boolean>();
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.threads()).time(time)
                .open()) {
            scope.anonymous().newActor(message -> {
                waits.countDown();
                mayGo.await();
                isHandled.complete(true);
            }).sendMessage("wait");
            Waits.on(waits);
            var looks = new int[1];
            var detector = (RestDetector) Waits.on(time.activity);
            detector.clock = () -> {
                if (++looks[0] == 10) {
                    mayGo.countDown();
                }
                return TimeUnit.SECONDS.toNanos(looks[0]);
            };
            assertThat(detector.awaitRest(Duration.ofMinutes(1), false)).isPositive();
            assertThat(isHandled).isDone();
            assertThat(looks[0]).isGreaterThan(10);
        }
    }
}
