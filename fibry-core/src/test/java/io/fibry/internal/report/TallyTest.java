package io.fibry.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Patience;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final int MOST = 64;
    private final Fates fates = new Fates();

    private Tally borrow() {
        return Objects.requireNonNull(fates.borrowTally());
    }

    @Test
    void theCountIsTheSumOfAllWhoeverHasThem() {
        fates.add(Fates.Kind.HANDLED, 1);
        var one = borrow();
        var other = borrow();
        one.add(10);
        other.add(100);
        one.giveBack();
        assertThat(fates.counters().handled()).isEqualTo(111);
        var again = borrow();
        assertThat(again).isSameAs(one);
        again.add(1_000);
        assertThat(fates.counters().handled()).isEqualTo(1_111);
    }

    @Test
    void eachIsLentToOneAndThereIsAnEnd() {
        Set<Tally> lent = new HashSet<>();
        for (int i = 0; i < MOST; i++) {
            lent.add(borrow());
        }
        assertThat(lent).hasSize(MOST);
        assertThat(fates.borrowTally()).isNull();
        var back = lent.iterator().next();
        back.giveBack();
        assertThat(fates.borrowTally()).isSameAs(back);
    }

    /** A lane that runs on and on for one scope, and then for another, misses none. */
    @Test
    void lanesThatWorkForTwoScopesCountEachMessageWhereItBelongs() throws Exception {
        var hops = 10_000;
        var done = new CountDownLatch(8);
        try (var one = ActorSystem.configure("one").strategy(CreationStrategy.fibers()).open();
                var other = ActorSystem.configure("other").strategy(CreationStrategy.fibers()).open()) {
            for (int i = 0; i < 8; i++) {
                var pair = new Pair(i % 2 == 0 ? one : other, i % 3 == 0 ? one : other, done);
                pair.start(hops);
            }
            assertThat(done.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            Patience.spin("all are counted",
                    () -> one.counters().handled() + other.counters().handled() == 8L * (hops + 1));
            // Pairs 0 and 6 are all of the first scope, 1, 5 and 7 of the other, and 2, 3 and 4 half of each.
            assertThat(one.counters().handled()).isEqualTo(2L * (hops + 1) + 2 * (hops / 2 + 1) + hops / 2);
        }
    }

    /** Two actors that tell each other how many hops are left. */
    private static final class Pair {
        private final Actor<Integer, Void> first;
        private final Actor<Integer, Void> second;

        Pair(ActorScope home, ActorScope away, CountDownLatch done) {
            first = home.anonymous().newActor((Integer left) -> hop(left, done));
            second = away.anonymous().newActor((Integer left) -> hop(left, done));
        }

        private void hop(int left, CountDownLatch done) {
            if (left == 0) {
                done.countDown();
            } else {
                (left % 2 == 0 ? second : first).sendMessage(left - 1);
            }
        }

        void start(int hops) {
            first.sendMessage(hops);
        }
    }
}
