package io.fibry.cluster;

import java.io.Serializable;
import java.util.UUID;

/**
 * A node of a cluster.
 *
 * @param incarnation a number of its own for each start of a node
 * @param name the name of the node in reports
 */
public record ClusterNode(UUID incarnation, String name) implements Serializable {
}
