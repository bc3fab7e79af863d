package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.testing.Child;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Actors that are started before two others begin to send to each other for ever, all on the one carrier there is. */
class DisplacedBesideRingTest {
    @Promise("7.1")
    @Test
    void whoHadToMakeRoomForAnEndlessRingStarts() throws Exception {
        Child.run(Started.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
    }

    static final class Started {
        private static final int DISPLACED = 100;

        public static void main(String[] arguments) throws Exception {
            var begun = new CountDownLatch(DISPLACED);
            var ring = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < 2; i++) {
                var other = 1 - i;
                ring.add(ActorSystem.anonymous()
                        .newActor((Integer message) -> ring.get(other).sendMessage(message)));
            }
            var first = ActorSystem.anonymous().newActor((Integer count) -> {
                for (int i = 0; i < count; i++) {
                    ActorSystem.anonymous().newActor((Integer message) -> begun.countDown()).sendMessage(i);
                }
                ring.getFirst().sendMessage(1);
            });
            first.sendMessage(DISPLACED);
            assertThat(begun.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("all begin").isTrue();
        }
    }
}
