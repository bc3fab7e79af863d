package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine;
import java.time.Duration;
import java.util.Optional;

/**
 * How a node takes part in a cluster. Immutable; the methods return changed copies.
 *
 * @param name what this node is called in reports
 * @param engine what connects it with others; empty if it is alone. An engine can be used once
 * @param slices in how many parts the keys of a group move from node to node; the same on all nodes of a cluster
 * @param askLimit how long an ask may take that has no other limit: none without a limit leaves a node
 * @param sendBuffer how many bytes of a group may be underway from this node: messages whose fate is not known, and asks without an answer
 * @param roomLimit how long a sender waits for room when as much is underway; zero if its message is to be refused at once
 */
public record ClusterOptions(String name, Optional<ClusterEngine> engine, int slices, Duration askLimit,
        long sendBuffer, Duration roomLimit) {
    private static final int MOST_SLICES = 4096;

    /** Checks the values. */
    public ClusterOptions {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of a node is blank; give it one, as \"node-1\"");
        }
        if (slices < 1 || slices > MOST_SLICES) {
            throw new IllegalArgumentException("slices must be 1 to " + MOST_SLICES + ": " + slices);
        }
        if (askLimit.isNegative() || askLimit.isZero()) {
            throw new IllegalArgumentException("askLimit must be more than zero: " + askLimit);
        }
        if (sendBuffer < 1) {
            throw new IllegalArgumentException("sendBuffer must be at least 1: " + sendBuffer);
        }
        if (roomLimit.isNegative()) {
            throw new IllegalArgumentException("roomLimit must not be negative: " + roomLimit);
        }
    }

    /**
     * A cluster of one node: no engine, no socket. Shared actors are the scope's own.
     *
     * @return the options
     */
    public static ClusterOptions alone() {
        return new ClusterOptions("alone", Optional.empty(), 256, Duration.ofSeconds(10), 16 << 20,
                Duration.ofSeconds(5));
    }

    /**
     * A cluster of all nodes that an engine finds, with 256 slices, 10 seconds for an ask, 16 MiB underway, and 5 seconds
     * for room.
     *
     * @param name what this node is called in reports
     * @param engine what connects it with others, not started yet. The cluster starts and closes it
     * @return the options
     */
    public static ClusterOptions on(String name, ClusterEngine engine) {
        return new ClusterOptions(name, Optional.of(engine), 256, Duration.ofSeconds(10), 16 << 20,
                Duration.ofSeconds(5));
    }

    /**
     * Names this node.
     *
     * @param node the name
     * @return a changed copy
     */
    public ClusterOptions name(String node) {
        return new ClusterOptions(node, engine, slices, askLimit, sendBuffer, roomLimit);
    }

    /**
     * Sets in how many parts the keys of a group move.
     *
     * @param number 1 to 4096, the same on all nodes
     * @return a changed copy
     */
    public ClusterOptions slices(int number) {
        return new ClusterOptions(name, engine, number, askLimit, sendBuffer, roomLimit);
    }

    /**
     * Sets how long an ask may take that has no other limit.
     *
     * @param limit more than zero
     * @return a changed copy
     */
    public ClusterOptions askLimit(Duration limit) {
        return new ClusterOptions(name, engine, slices, limit, sendBuffer, roomLimit);
    }

    /**
     * Sets how many bytes of a group may be underway from this node.
     *
     * @param bytes at least 1; a message that is larger than this is sent when nothing else is underway
     * @return a changed copy
     */
    public ClusterOptions sendBuffer(long bytes) {
        return new ClusterOptions(name, engine, slices, askLimit, bytes, roomLimit);
    }

    /**
     * Sets how long a sender waits for room.
     *
     * @param limit zero if a message for which there is no room is to be refused at once
     * @return a changed copy
     */
    public ClusterOptions roomLimit(Duration limit) {
        return new ClusterOptions(name, engine, slices, askLimit, sendBuffer, limit);
    }
}
