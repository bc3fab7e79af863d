package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorName;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class KeptOrderTest {
    private static final int KEPT = 50;
    private static final int MORE = 200;

    @Promise("2.1")
    @EveryStrategy
    void keptMessagesAreTheFirstInTheOrderTheyWereSent(Strategy strategy) throws Exception {
        for (int round = 0; round < 20; round++) {
            var got = new ArrayList<Integer>();
            try (var scope = Scopes.on(strategy)) {
                for (int i = 0; i < KEPT; i++) {
                    assertThat(scope.sendOrKeep(ActorName.of("late"), i, KEPT)).isTrue();
                }
                // The others send from the first moment on in which the name can be found.
                var refused = new AtomicInteger();
                var senders = Senders.start(3, sender -> {
                    for (int i = 0; i < MORE; i++) {
                        if (!scope.sendOrKeep(ActorName.of("late"), -1, 0)) {
                            refused.incrementAndGet();
                        }
                    }
                });
                var actor = scope.named("late").newActor((Integer n) -> {
                    got.add(n);
                });
                senders.join();
                actor.execAndWait(() -> assertThat(got).hasSize(KEPT + 3 * MORE - refused.get()));
            }
            assertThat(got.subList(0, KEPT)).containsExactlyElementsOf(
                    IntStream.range(0, KEPT).boxed().toList());
        }
    }

    @Promise("2.1")
    @EveryStrategy
    void aSenderKeepsItsOrderWhileTheActorIsBeingMade(Strategy strategy) throws Exception {
        for (int round = 0; round < 20; round++) {
            var got = new ArrayList<Integer>();
            try (var scope = Scopes.on(strategy)) {
                var some = new CountDownLatch(1);
                var sender = Senders.start(1, ignored -> {
                    for (int i = 0; i < MORE; i++) {
                        assertThat(scope.sendOrKeep(ActorName.of("late"), i, MORE))
                                .isTrue();
                        if (i == MORE / 4) {
                            some.countDown();
                        }
                    }
                });
                Waits.on(some);
                var actor = scope.named("late").newActor((Integer n) -> {
                    got.add(n);
                });
                sender.join();
                actor.execAndWait(() -> assertThat(got).containsExactlyElementsOf(
                        IntStream.range(0, MORE).boxed().toList()));
            }
        }
    }
}
