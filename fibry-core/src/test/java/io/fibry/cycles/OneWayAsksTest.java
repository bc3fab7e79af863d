package io.fibry.cycles;

import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import io.fibry.testing.Seeds;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Actors that ask in one direction only are never told of a cycle, on the one carrier there is. {@code -Dfibry.seeds=N} plays
 * N rounds. {@code -Dfibry.seed=S} plays the round of one seed again and again, since threads need not meet as they have
 * met before.
 */
class OneWayAsksTest {
    private static final int ROUNDS = 3_000;

    /** The first seeds of the runs. Each run has a JVM of its own. */
    static LongStream runs() {
        var only = Seeds.only();
        return only != null ? LongStream.of(only)
                : LongStream.iterate(1, first -> first <= rounds(), first -> first + ROUNDS);
    }

    private static int rounds() {
        return Seeds.count(Boolean.getBoolean("fibry.thorough") ? 10 * ROUNDS : ROUNDS / 3);
    }

    @Promise({"4.1", "5.2", "9.9", "11.1"})
    @ParameterizedTest(name = "from seed {0}")
    @MethodSource("runs")
    void nobodyIsToldOfACycle(long first) throws Exception {
        var again = Seeds.only() != null;
        var rounds = again ? ROUNDS : Math.min(ROUNDS, rounds() - first + 1);
        Child.run(OneWayAsks.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1"),
                Long.toString(first),
                Long.toString(rounds), Integer.toString(again ? ROUNDS : 1));
    }
}
