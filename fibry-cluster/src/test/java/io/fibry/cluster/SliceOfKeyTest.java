package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SliceOfKeyTest {
    private final SliceOfKey slices = new SliceOfKey(256, key -> ((Place) key).bytes());

    private enum Color {
        RED {
        }
    }

    private record Place(byte[] bytes) {
    }

    /** Nodes of different versions must agree, so these numbers never change. */
    @Test
    void theSliceOfAKeyNeverChanges() {
        assertThat(slices.of(4711L)).isEqualTo(32);
        assertThat(slices.of(4711)).isEqualTo(32);
        assertThat(slices.of(-1L)).isEqualTo(237);
        assertThat(slices.of("account-1")).isEqualTo(7);
        assertThat(slices.of(new UUID(0x123456789abcdef0L, 0x0fedcba987654321L))).isEqualTo(87);
        assertThat(slices.of(Color.RED)).isEqualTo(215);
        assertThat(slices.of(new Place(new byte[]{1, 2, -1}))).isEqualTo(67);
    }

    @Test
    void keysAreSpreadOverAllSlices() {
        assertThat(IntStream.range(0, 5000).map(slices::of).distinct()).hasSize(256);
        assertThat(IntStream.range(0, 5000).map(number -> slices.of("key-" + number)).distinct())
                .hasSize(256);
    }
}
