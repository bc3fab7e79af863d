package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class SpinningTest {
    private final Spinning spinning = new Spinning();

    /** How many of so many chances are taken, if these would pay. */
    private int taken(int chances, IntPredicate pays) {
        var taken = 0;
        for (int i = 0; i < chances; i++) {
            if (spinning.takeChance()) {
                taken++;
                var chance = i;
                spinning.recordResult(spinning.spin(() -> pays.test(chance)));
            }
        }
        return taken;
    }

    @Test
    void whatPaysIsDoneEachTime() {
        assertThat(taken(1000, chance -> true)).isEqualTo(1000);
    }

    @Test
    void whatNeverPaysIsTriedLessAndLess() {
        assertThat(taken(1024, chance -> false)).isLessThan(15);
        assertThat(taken(1024, chance -> false)).isLessThan(5);
        assertThat(taken(100 * 1024, chance -> false)).as("but not given up").isBetween(50, 110);
    }

    @Test
    void whatPaysAgainIsDoneEachTimeAgain() {
        taken(10_000, chance -> false);
        assertThat(taken(2_000, chance -> true)).isGreaterThan(900);
    }

    @Test
    void whatPaysEverySecondTimeIsMetWhateverItBeginsWith() {
        for (int first = 0; first < 2; first++) {
            var begin = first;
            var paid = new int[1];
            taken(3_000, chance -> {
                var pays = chance % 2 == begin;
                paid[0] += pays ? 1 : 0;
                return pays;
            });
            assertThat(paid[0]).isGreaterThan(500);
        }
    }

    @Test
    void itEndsAsSoonAsItIsThere() {
        var looks = new int[1];
        assertThat(spinning.spin(() -> ++looks[0] == 3)).isTrue();
        assertThat(looks[0]).isEqualTo(3);
        assertThat(spinning.spin(() -> false)).isFalse();
    }
}
