package io.fibry.cluster;

import io.fibry.cluster.database.DatabaseEngine;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.cluster.engine.ClusterEngine;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * How a node takes part in a cluster. Immutable; the methods return changed copies.
 *
 * @param name the name of this node in reports
 * @param engine what connects this node with others; empty if it is alone. An engine can be opened once
 * @param slices the number of parts in which the keys of a group move from node to node; the same on all nodes of a cluster
 * @param askLimit the time limit of asks that have no other one: each ask that leaves a node has a limit
 * @param sendBuffer how many bytes of a group may be underway from this node to each other one. Underway are messages
 *        without a known fate and asks without an answer, those whose time is over until taken, refused or lost
 * @param roomLimit how long a sender waits for room when that many bytes are underway; zero to have its message refused at once
 * @param moveLimit how long a handler may hold up a move of its key to another node before it is interrupted
 * @param hosts whether this node may be the home of what it shares
 */
public record ClusterOptions(String name, Optional<ClusterEngine> engine, int slices, Duration askLimit,
        long sendBuffer, Duration roomLimit, Duration moveLimit, boolean hosts) {
    private static final int MOST_SLICES = 4096;

    /** Checks the values. */
    public ClusterOptions {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of a node is blank; give it one, as \"node-1\"");
        }
        Objects.requireNonNull(engine, "engine");
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
        if (moveLimit.isNegative() || moveLimit.isZero()) {
            throw new IllegalArgumentException("moveLimit must be more than zero: " + moveLimit);
        }
        if (!hosts && engine.isEmpty()) {
            throw new IllegalArgumentException(
                    "a node that is alone has to host what it shares: give it an engine, or leave out reachOnly()");
        }
    }

    /**
     * Returns options for a cluster of one node, without an engine and a socket. It shares the actors of the scope as they are.
     *
     * @return the options
     */
    public static ClusterOptions alone() {
        return of("alone", Optional.empty());
    }

    /**
     * Returns options for a cluster of all nodes that have a database in common: PostgreSQL, as {@code
     * jdbc:postgresql://host/bank?user=u&password=p}, with {@code org.postgresql:postgresql} on the class path; or a file
     * of SQLite for one machine, as {@code file:cluster.db}, with {@code org.xerial:sqlite-jdbc}. Missing tables are made.
     *
     * <p>The node listens on 127.0.0.1 and is named after its process number; {@link DatabaseSettings} has other addresses.
     *
     * @param url the place of the database, such as that of the store of durable actors
     * @return the options
     */
    public static ClusterOptions on(String url) {
        return on(DatabaseSettings.of(url));
    }

    /**
     * Returns options for a cluster of all nodes that have a database in common, as {@link #on(String)} does. The
     * node keeps two connections while it is in the cluster.
     *
     * @param source makes connections to PostgreSQL or SQLite
     * @return the options
     */
    public static ClusterOptions on(DataSource source) {
        return on(DatabaseSettings.of(source));
    }

    /**
     * Returns options for a cluster of all nodes that have a database in common.
     *
     * @param settings the database, and where this node listens
     * @return the options
     */
    public static ClusterOptions on(DatabaseSettings settings) {
        return on(settings.nodeName(), new DatabaseEngine(settings));
    }

    /**
     * Returns options for a cluster of all nodes that an engine finds, with 256 slices, 10 seconds for an ask, 16 MiB
     * underway to each node, 5 seconds for room, and 10 seconds for a handler that holds up a move.
     *
     * @param name the name of this node in reports
     * @param engine what connects this node with others, not started yet. The cluster starts it and closes it
     * @return the options
     */
    public static ClusterOptions on(String name, ClusterEngine engine) {
        return of(name, Optional.of(engine));
    }

    /**
     * Returns options from the environment of this process, so that the same program is one node or one of many. Without
     * {@code FIBRY_CLUSTER} it is alone, and needs no database.
     *
     * <p>{@code FIBRY_CLUSTER} is the database that all nodes have in common, as {@link #on(String)} takes it. All
     * other variables may be missing, and none may be blank:
     * <ul>
     * <li>{@code FIBRY_HOST}: address that this node listens on; else 127.0.0.1, or the address of this machine if
     * one of the last two of this list is set
     * <li>{@code FIBRY_PORT}: port that this node listens on; else one that is free
     * <li>{@code FIBRY_NODE}: name of this node in reports
     * <li>{@code FIBRY_CLUSTER_NAME}: name of the cluster, the same on all nodes; else {@code fibry}
     * <li>{@code FIBRY_REACH_ONLY=true}: this node {@linkplain #reachOnly() only reaches}
     * <li>{@code FIBRY_TLS_KEYS}, {@code FIBRY_TLS_TRUSTED} and {@code FIBRY_TLS_PASSWORD}: files and password of
     * {@linkplain DatabaseSettings#certificates certificates of one's own}
     * <li>{@code FIBRY_TRUSTED_NETWORK=true}: no encryption, since the network keeps others out
     * </ul>
     *
     * @return the options
     * @throws ClusterException if a variable has a wrong value
     */
    public static ClusterOptions fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /**
     * Returns options from variables, as {@link #fromEnvironment()} does.
     *
     * @param environment the variables
     * @return the options
     * @throws ClusterException if a variable has a wrong value
     */
    public static ClusterOptions fromEnvironment(Map<String, String> environment) {
        return new ClusterEnvironment(environment).options();
    }

    static ClusterOptions of(String name, Optional<ClusterEngine> engine) {
        return new ClusterOptions(name, engine, 256, Duration.ofSeconds(10), 16 << 20, Duration.ofSeconds(5),
                Duration.ofSeconds(10), true);
    }

    /**
     * Names this node.
     *
     * @param node the name
     * @return a changed copy
     */
    public ClusterOptions name(String node) {
        return new ClusterOptions(node, engine, slices, askLimit, sendBuffer, roomLimit, moveLimit, hosts);
    }

    /**
     * Sets the number of parts in which the keys of a group move.
     *
     * @param number 1 to 4096, the same on all nodes
     * @return a changed copy
     */
    public ClusterOptions slices(int number) {
        return new ClusterOptions(name, engine, number, askLimit, sendBuffer, roomLimit, moveLimit, hosts);
    }

    /**
     * Sets the time limit of asks that have no other one.
     *
     * @param limit more than zero
     * @return a changed copy
     */
    public ClusterOptions askLimit(Duration limit) {
        return new ClusterOptions(name, engine, slices, limit, sendBuffer, roomLimit, moveLimit, hosts);
    }

    /**
     * Sets how many bytes of a group may be underway from this node to each other one.
     *
     * @param bytes at least 1; a message that is larger than this is sent when nothing else is underway
     * @return a changed copy
     */
    public ClusterOptions sendBuffer(long bytes) {
        return new ClusterOptions(name, engine, slices, askLimit, bytes, roomLimit, moveLimit, hosts);
    }

    /**
     * Sets how long a sender waits for room.
     *
     * @param limit the longest time; zero to have a message refused at once if there is no room
     * @return a changed copy
     */
    public ClusterOptions roomLimit(Duration limit) {
        return new ClusterOptions(name, engine, slices, askLimit, sendBuffer, limit, moveLimit, hosts);
    }

    /**
     * Sets how long a handler may hold up a move of its key.
     *
     * @param limit more than zero
     * @return a changed copy
     */
    public ClusterOptions moveLimit(Duration limit) {
        return new ClusterOptions(name, engine, slices, askLimit, sendBuffer, roomLimit, limit, hosts);
    }

    /**
     * Makes this node one that only reaches, such as a web front end: it sends, and is the home of nothing, so it
     * comes and goes without a move. What it shares is hosted by the other nodes; subscribers of topics are its own.
     *
     * @return a changed copy
     */
    public ClusterOptions reachOnly() {
        return new ClusterOptions(name, engine, slices, askLimit, sendBuffer, roomLimit, moveLimit, false);
    }
}
