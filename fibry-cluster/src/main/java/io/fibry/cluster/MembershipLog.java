package io.fibry.cluster;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes to the log which nodes come and go, and what was not in order, for people who look into it later. */
final class MembershipLog {
    private static final Logger LOGGER = LoggerFactory.getLogger(Cluster.class);

    private final String self;

    MembershipLog(String self) {
        this.self = self;
    }

    /** This node leaves, and its time is over. */
    void notHandedOver(Duration within, List<String> left) {
        LOGGER.warn(
                "The node '{}' has not handed over all of its keys within {}: others take it for lost. {}",
                self, within,
                left.isEmpty()
                        ? "Not all that it has sent has a fate, or not all nodes know what it has taken"
                        : "Left here: " + String.join(", ", left));
    }

    /** This node has handed over all, and others do not know that it leaves. */
    void notHeard(Duration within) {
        LOGGER.warn("The node '{}' has handed over all of its keys, and its goodbye was not heard within {}:"
                + " others take it for lost", self, within);
    }

    /** A watcher misses events. */
    void watcherIsSlow(int limit) {
        LOGGER.warn(
                "A watcher of node '{}' does not keep up: {} events wait for it, and it misses some. It is told"
                        + " how many; what a watcher does must be quick",
                self, limit);
    }

    void write(ClusterEvent event) {
        switch (event) {
            case ClusterEvent.Joined joined ->
                LOGGER.info("Node '{}' sees node '{}' ({})", self, joined.node().name(),
                        joined.node().incarnation());
            case ClusterEvent.Left left ->
                LOGGER.info("Node '{}' sees that node '{}' ({}) has left, and has handed over its keys", self,
                        left.node().name(), left.node().incarnation());
            case ClusterEvent.Lost lost -> LOGGER.warn(
                    "Node '{}' has lost node '{}' ({}): its keys get actors on other nodes, and"
                            + " what was underway to it is uncertain",
                    self, lost.node().name(), lost.node().incarnation());
            case ClusterEvent.CutOff cut ->
                LOGGER.warn("Node '{}' is cut off: it refuses messages to shared actors, and"
                        + " ends those that it has, until it serves again", self);
            case ClusterEvent.Restored restored ->
                LOGGER.info("Node '{}' serves, with {} in view", self,
                        restored.members().size() == 1 ? "one node" : restored.members().size() + " nodes");
            default -> {
                // What becomes of messages is told to watchers, and not written here: it may be much.
            }
        }
    }
}
