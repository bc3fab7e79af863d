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
}
