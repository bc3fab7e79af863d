package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NodeDescriptionTest {
    @Test
    void whatALaterVersionAddsIsIgnored() {
        var node = new NodeDescription("näme", 17);
        assertThat(NodeDescription.of(node.bytes())).isEqualTo(node);
        assertThat(NodeDescription.of(Arrays.copyOf(node.bytes(), node.bytes().length + 3))).isEqualTo(node);
    }

    /** All versions begin with the version and the name, so that an error can name both. */
    @Test
    void ofAnotherVersionTheNameIsKnown() {
        var other = new NodeDescription(3, "näme", 17);
        assertThat(other.bytes()).startsWith(0, 0, 0, 3, 0, 0, 0, 5, 'n');
        assertThat(NodeDescription.of(other.bytes())).isEqualTo(new NodeDescription(3, "näme", 0));
        assertThat(NodeDescription.of(Arrays.copyOf(other.bytes(), 13)).name()).isEqualTo("näme");
    }
}
