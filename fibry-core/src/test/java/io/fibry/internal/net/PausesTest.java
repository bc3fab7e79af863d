package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PausesTest {
    private final SplittableRandom random = new SplittableRandom(1);

    @Test
    void pausesDoubleUpToTheLongestAndLoseAHalfAtMost() {
        for (int attempt = 1; attempt < 200; attempt++) {
            var whole = (long) Math.min(5e9, 1e8 * Math.pow(2, attempt - 1));
            assertThat(Pauses.nanos(Duration.ofMillis(100), Duration.ofSeconds(5), attempt, random))
                    .isBetween(whole - whole / 2, whole);
        }
    }

    @Test
    void noNumberIsTooLarge() {
        var ages = Duration.ofSeconds(Long.MAX_VALUE);
        for (var attempt : new int[]{1, 2, 30, 31, 63, 64, 65, Integer.MAX_VALUE}) {
            assertThat(Pauses.nanos(Duration.ofSeconds(10), ages, attempt, random)).isPositive();
            assertThat(Pauses.nanos(ages, ages, attempt, random)).isGreaterThanOrEqualTo(Long.MAX_VALUE / 2);
        }
    }
}
