package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.testing.BugClass;
import io.fibry.testing.Child;
import io.fibry.testing.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@BugClass(17)
class StarvedCarriersTest {
    @ParameterizedTest
    @ValueSource(strings = {"get", "timedGet", "join"})
    void aTimeOutReachesAPlatformThreadThatWaits(String wait) throws Exception {
        Child.run(Starved.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1"), wait);
    }

    /** The one carrier is kept by a virtual thread that computes. */
    static final class Starved {
        private static volatile boolean end;

        public static void main(String[] arguments) throws Exception {
            var computing = new CountDownLatch(1);
            var computer = Thread.ofVirtual().start(() -> {
                computing.countDown();
                while (!end) {
                    Thread.onSpinWait();
                }
            });
            computing.await();
            for (var strategy : List.of(CreationStrategy.fibers(), CreationStrategy.threads())) {
                var never = new CompletableFuture<Integer>();
                Actor<Integer, Integer> actor =
                        ActorSystem.anonymous().strategy(strategy)
                                .newActorWithReturn((Integer n) -> never.get());
                assertThatThrownBy(() -> await(arguments[0],
                        actor.ask(1, Duration.ofMillis(100))))
                        .hasCauseInstanceOf(AskTimeoutException.class);
                never.complete(1);
            }
            end = true;
            computer.join();
            assertThat(computer.isAlive()).isFalse();
        }

        private static void await(String wait, CompletableFuture<Integer> answer) throws Exception {
            switch (wait) {
                case "get" -> answer.get();
                case "timedGet" -> answer.get(Patience.MILLIS, TimeUnit.MILLISECONDS);
                default -> answer.join();
            }
        }
    }
}
