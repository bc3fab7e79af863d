package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** It is compared with a list, change after change. */
class PassedOverTest {
    @Test
    void itIsAListWhateverIsDoneWithIt() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new SplittableRandom(seed);
            var expected = new ArrayList<>();
            var passed = new PassedOver();
            var most = 1 + random.nextInt(40);
            for (int i = 0; i < 400; i++) {
                change(random, expected, passed, i, most);
                assertThat(passed.toString()).as("seed %d, change %d", seed, i)
                        .isEqualTo(expected.toString());
                assertThat(passed.size()).isEqualTo(expected.size());
                assertThat(passed.isEmpty()).isEqualTo(expected.isEmpty());
                assertThat(passed.last()).isEqualTo(expected.isEmpty() ? null : expected.getLast());
                for (int at = 0; at < expected.size(); at++) {
                    assertThat(passed.get(at)).isEqualTo(expected.get(at));
                }
            }
        }
    }

    private static void change(SplittableRandom random, ArrayList<Object> expected, PassedOver passed,
            int entry,
            int most) {
        switch (random.nextInt(expected.size() < most ? 4 : 2)) {
            case 0 -> assertThat(passed.poll()).isEqualTo(expected.isEmpty() ? null : expected.removeFirst());
            case 1 -> {
                if (!expected.isEmpty()) {
                    var at = random.nextInt(expected.size());
                    expected.remove(at);
                    passed.remove(at);
                }
            }
            case 2 -> {
                expected.add(entry);
                passed.add(entry);
            }
            default -> {
                expected.addFirst(entry);
                passed.addFirst(entry);
            }
        }
    }

    @Test
    void manyThatComeAndGoTakeNoMoreSpaceThanThoseThatAreThere() {
        var passed = new PassedOver();
        for (int i = 0; i < 1_000_000; i++) {
            passed.add(i);
            if (i >= 10) {
                assertThat(passed.poll()).isEqualTo(i - 10);
            }
        }
        assertThat(passed.size()).isEqualTo(10);
        assertThat(passed.capacity()).isLessThanOrEqualTo(64);
        for (int i = 0; i < 10_000; i++) {
            passed.add(i);
        }
        while (passed.poll() != null) {
            // Until it is empty.
        }
        assertThat(passed.capacity()).isLessThanOrEqualTo(64);
    }
}
