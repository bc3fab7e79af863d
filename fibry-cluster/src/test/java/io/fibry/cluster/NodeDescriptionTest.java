package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeDescriptionTest {
    @Test
    void whatALaterVersionAddsIsIgnored() {
        for (var hosts : List.of(true, false)) {
            var node = new NodeDescription("näme", 17, hosts);
            assertThat(NodeDescription.of(node.bytes())).isEqualTo(node);
            assertThat(NodeDescription.of(Arrays.copyOf(node.bytes(), node.bytes().length + 3)))
                    .isEqualTo(node);
        }
    }

    /** All versions begin with the version and the name, so that an error can name both. */
    @Test
    void ofAnotherVersionTheNameIsKnown() {
        var other = new NodeDescription(4, 3, "näme", 17, true);
        assertThat(other.bytes()).startsWith(0, 0, 0, 4, 0, 0, 0, 5, 'n');
        assertThat(NodeDescription.of(Arrays.copyOf(other.bytes(), 13)))
                .isEqualTo(new NodeDescription(4, 4, "näme", 0, true));
    }

    @Promise("92.11")
    @Test
    void neighboursAreTogetherAndOthersAreNot() {
        for (int own = 2; own <= 6; own++) {
            for (int there = 2; there <= 6; there++) {
                var mine = new NodeDescription(own, own - 1, "own", 16, true);
                var other = new NodeDescription(there, there - 1, "there", 16, true);
                if (Math.abs(own - there) <= 1) {
                    mine.requireLike(other);
                } else {
                    assertThatThrownBy(() -> mine.requireLike(other)).isInstanceOf(ClusterException.class)
                            .hasMessageContaining("'there' versions " + (there - 1) + " to " + there);
                }
            }
        }
    }
}
