package io.fibry.cluster.circle;

import java.util.Comparator;
import java.util.UUID;

/**
 * An ask that goes from node to node.
 *
 * @param node incarnation of the node that asks
 * @param number number of the ask at that node
 */
public record NodeAsk(UUID node, long number) implements Comparable<NodeAsk> {
    private static final Comparator<NodeAsk> ORDER =
            Comparator.comparing(NodeAsk::node).thenComparingLong(NodeAsk::number);

    @Override
    public int compareTo(NodeAsk other) {
        return ORDER.compare(this, other);
    }
}
