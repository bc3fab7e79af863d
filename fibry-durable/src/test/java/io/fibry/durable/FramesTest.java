package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is in the columns of a store. */
class FramesTest {
    private static final byte[] FIRST = {1, 2, 3};
    private static final byte[] SECOND = {0, 0, 0, 0, 0, 0};

    @Test
    void whatIsJoinedIsSplit() {
        assertThat(Frames.split(Frames.join(List.of(FIRST, SECOND)))).containsExactly(FIRST, SECOND);
        assertThat(Frames.split(Frames.join(List.of()))).isEmpty();
        assertThat(Frames.unsealed(Frames.sealed(FIRST))).isEqualTo(FIRST);
        assertThat(Frames.sealed(new byte[0])).isEmpty();
    }

    @Test
    @Promise("63.7")
    void eachByteThatIsAnotherOneIsSeen() {
        var joined = Frames.join(List.of(FIRST, SECOND));
        for (int i = 0; i < joined.length; i++) {
            var changed = joined.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> Frames.split(changed)).as("byte %d", i)
                    .hasMessageContaining("not what was written");
            var end = joined.clone();
            Arrays.fill(end, i, end.length, (byte) 0);
            if (!Arrays.equals(end, joined)) {
                assertThatThrownBy(() -> Frames.split(end)).as("zeros from %d", i)
                        .hasMessageContaining("not what was written");
            }
            if (i > 0) {
                var cut = Arrays.copyOf(joined, i);
                assertThatThrownBy(() -> Frames.split(cut)).as("cut at %d", i)
                        .hasMessageContaining("not what was written");
            }
        }
    }
}
