package io.fibry.cluster.infinispan;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a node listens, and where it looks for others. Immutable.
 *
 * @param cluster name of the cluster; nodes of other names are not seen
 * @param host address that this node listens on; nothing listens on other addresses
 * @param port port for all traffic; the port for the detection of dead processes is {@code (port + 50000) % 65536}, or
 *        one of the next three (1024 is added where that is below 1024)
 * @param hosts nodes to look for, each as {@code host:port}; this node may be among them
 * @param minimum how many nodes must have met before tables are served. More than half of all, or two halves that start apart may both
 *        serve; the tables of one of them are lost when they meet
 * @param certificates keys for TLS 1.3 between nodes, both sides by certificate; none is plain TCP
 * @param detection how long a node may be silent until it is taken for lost
 * @param limit how long a change of an entry may take until its outcome is unknown
 * @param joinLimit how long {@link InfinispanEngine#start} may take
 */
public record InfinispanSettings(String cluster, String host, int port, List<String> hosts, int minimum,
        Optional<Certificates> certificates, Duration detection, Duration limit, Duration joinLimit) {
    /**
     * Keys of this node.
     *
     * @param keys store of type PKCS12 with this node's key
     * @param trusted store of type PKCS12 with the certificates of those that may join
     * @param password password of both
     */
    public record Certificates(Path keys, Path trusted, String password) {
        /** Checks that nothing is null. */
        public Certificates {
            Objects.requireNonNull(keys, "keys");
            Objects.requireNonNull(trusted, "trusted");
            Objects.requireNonNull(password, "password");
        }

        @Override
        public String toString() {
            return "Certificates[keys=" + keys + ", trusted=" + trusted + "]";
        }
    }

    /** Checks the values. */
    public InfinispanSettings {
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(certificates, "certificates");
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port is " + port + ": give one from 1 to 65535");
        }
        hosts = List.copyOf(hosts);
        if (hosts.isEmpty()) {
            throw new IllegalArgumentException("hosts is empty: give at least one host:port to look for");
        }
        for (var each : hosts) {
            if (!each.matches("\\S+:\\d{1,5}")) {
                throw new IllegalArgumentException("\"" + each + "\" in hosts: give host:port");
            }
        }
        if (minimum < 1) {
            throw new IllegalArgumentException("minimum is " + minimum + ": give at least one");
        }
        requirePositive("detection", detection);
        requirePositive("limit", limit);
        requirePositive("joinLimit", joinLimit);
    }

    /**
     * Plain TCP, a minimum of more than half of the hosts, and the times that the figures of the documentation are measured with.
     *
     * @param cluster name of the cluster
     * @param host address that this node listens on
     * @param port port that this node listens on
     * @param hosts nodes to look for, each as {@code host:port}
     * @return the settings
     */
    public static InfinispanSettings of(String cluster, String host, int port, List<String> hosts) {
        return new InfinispanSettings(cluster, host, port, hosts, hosts.size() / 2 + 1, Optional.empty(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10), Duration.ofMinutes(1));
    }

    /**
     * The same with TLS.
     *
     * @param keys keys of this node
     * @return new settings
     */
    public InfinispanSettings certificates(Certificates keys) {
        return new InfinispanSettings(cluster, host, port, hosts, minimum, Optional.of(keys), detection,
                limit,
                joinLimit);
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " is " + value + ": give more than zero");
        }
    }
}
