package io.fibry.cluster;

import java.io.Serializable;
import java.util.UUID;

/**
 * A node of a cluster.
 *
 * @param incarnation a number of its own for each start of a node
 * @param name the name of the node in reports
 * @param hosts whether it may be the home of what it shares; false if it {@linkplain ClusterOptions#reachOnly() only reaches}
 */
public record ClusterNode(UUID incarnation, String name, boolean hosts) implements Serializable {
}
