package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NodeSecurity.MutualTls;
import io.fibry.cluster.engine.NodeSecurity.TrustedNetwork;
import io.fibry.cluster.engine.NodeSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Where a node listens, where it looks for others, and how long it waits. Immutable.
 *
 * <p>Without certificates there is a second port, for the detection of processes that have died: {@code (port + 50000) % 65536}, or one of the
 * next three (1024 is added where that is below 1024). No messages of the program go there. With certificates all goes over the one port.
 *
 * @param node where it listens, how it finds others, and whom it admits
 * @param detection how long a node may be silent until it is taken for lost: 100 milliseconds or more, and a day or less
 * @param limit how long a change of an entry may take until its outcome is unknown: a millisecond or more, and a day or less
 * @param joinLimit how long {@link InfinispanEngine#start} may take: a millisecond or more, and a day or less
 */
public record InfinispanSettings(NodeSettings node, Duration detection, Duration limit, Duration joinLimit) {
    private static final Duration SHORTEST_DETECTION = Duration.ofMillis(100);
    private static final Duration SHORTEST = Duration.ofMillis(1);
    static final Duration LONGEST = Duration.ofDays(1);

    /** Checks the values. */
    public InfinispanSettings {
        Objects.requireNonNull(node, "node");
        requireBetween("detection", detection, SHORTEST_DETECTION);
        requireBetween("limit", limit, SHORTEST);
        requireBetween("joinLimit", joinLimit, SHORTEST);
    }

    /**
     * Nodes of this machine with a list of all of them, a minimum of more than half of it, and the times that the figures of the documentation are
     * measured with.
     *
     * @param cluster name of the cluster
     * @param host address that this node listens on; nothing listens on other addresses
     * @param port port that this node listens on; zero is the first one that is free of those that the list has for this host
     * @param hosts all nodes, each as {@code host:port}
     * @return the settings
     */
    public static InfinispanSettings of(String cluster, String host, int port, List<String> hosts) {
        return of(NodeSettings.hosts(cluster, host, port, hosts));
    }

    /**
     * The times that the figures of the documentation are measured with.
     *
     * @param node where it listens, how it finds others, and whom it admits
     * @return the settings
     */
    public static InfinispanSettings of(NodeSettings node) {
        return new InfinispanSettings(node, Duration.ofSeconds(5), Duration.ofSeconds(10),
                Duration.ofMinutes(1));
    }

    /**
     * Sets certificates: nodes talk by TLS 1.3, and each asks the other one for its certificate.
     *
     * @param keys file of type PKCS12 with the key of this node and its certificate
     * @param trusted file of type PKCS12 with the certificates of the nodes, or of an authority that signs no other ones
     * @param password password of both
     * @return new settings
     */
    public InfinispanSettings certificates(Path keys, Path trusted, String password) {
        return node(node.security(new MutualTls(keys, trusted, password)));
    }

    /**
     * Lets this node listen on an address that other machines can reach, without certificates. Each process that reaches it can become a node,
     * and sees all messages.
     *
     * @return new settings
     */
    public InfinispanSettings trustedNetwork() {
        return node(node.security(new TrustedNetwork()));
    }

    /**
     * Sets how long {@link InfinispanEngine#start} may take.
     *
     * @param most the longest time
     * @return new settings
     */
    public InfinispanSettings joinLimit(Duration most) {
        return new InfinispanSettings(node, detection, limit, most);
    }

    InfinispanSettings node(NodeSettings other) {
        return new InfinispanSettings(other, detection, limit, joinLimit);
    }

    String address() {
        return node.host() + ":" + node.port();
    }

    private static void requireBetween(String name, Duration value, Duration least) {
        if (Objects.requireNonNull(value, name).compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + ": give " + least + " or more, and " + LONGEST + " or less");
        }
    }
}
