package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodesInViewTest {
    private static NodeInfo node(String name) {
        return new NodeInfo(UUID.randomUUID(), new NodeDescription(name, 16, true).bytes());
    }

    /** Their names are for reports. */
    @Test
    void nodesThatAreGoneAreForgottenWhenTheyAreMany() {
        var nodes = new NodesInView();
        var stays = node("stays");
        var gone = new ArrayList<NodeInfo>();
        for (int i = 0; i < 2_500; i++) {
            gone.add(node("n" + i));
            nodes.see(new View(i + 1, List.of(stays, gone.getLast()), true), Set.of(), event -> {
            });
        }
        var named =
                gone.stream().filter(info -> nodes.node(info.incarnation()).name().startsWith("n")).toList();
        assertThat(named).hasSizeLessThan(1_000)
                .endsWith(gone.subList(2_400, 2_500).toArray(NodeInfo[]::new));
        assertThat(nodes.node(stays.incarnation()).name()).isEqualTo("stays");
    }
}
