package io.fibry.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Circles of asks under random schedules: {@code -Dfibry.seeds=100000} plays more. */
class CirclePlayTest {
    private static final long SEEDS = 3L * Integer.getInteger("fibry.seeds", 1_000);

    @Promise("82.4")
    @Test
    void eachCircleIsFoundAndNothingElse() {
        LongStream.rangeClosed(1, SEEDS)
                .forEach(seed -> assertThat(CirclePlay.run(seed, 0)).as("seed %d", seed).isEmpty());
    }

    @Promise("82.4")
    @Test
    void lostProbesLetNothingBeTakenForACircle() {
        LongStream.rangeClosed(1, SEEDS)
                .forEach(seed -> assertThat(CirclePlay.run(seed, 0.2)).as("seed %d", seed).isEmpty());
    }

    /** Without this, the play could have no circles, or end them by other means. */
    @Test
    void thereAreCirclesAndTheyAreRefused() {
        var circles = 0;
        var refusals = 0;
        for (long seed = 1; seed <= 200; seed++) {
            var counts = CirclePlay.counts(seed);
            circles += counts[0];
            refusals += counts[1];
        }
        assertThat(circles).isGreaterThan(1_000);
        assertThat(refusals).isBetween(circles / 10, circles);
    }
}
