package io.fibry.cluster.engine;

import io.fibry.cluster.engine.NodeSecurity.LoopbackOnly;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;

/**
 * How a node listens, how it finds the others, and whom it admits. Immutable; {@link #security} and {@link #minimum} return changed copies.
 *
 * @param cluster name of the cluster; nodes of other names are not seen
 * @param host address that this node listens on, and that the others reach it by
 * @param port port that this node listens on. Zero is the first port that is free of those that the list of hosts has for this host
 * @param discovery how this node finds the others
 * @param minimum how many nodes must have met before they serve. Of a list it is more than half, since two halves that start apart would
 *        both serve otherwise
 * @param security whom it admits
 */
public record NodeSettings(String cluster, String host, int port, Discovery discovery, int minimum,
        NodeSecurity security) {
    /** Checks the values. */
    public NodeSettings {
        Objects.requireNonNull(security, "security");
        if (cluster.isBlank()) {
            throw new IllegalArgumentException(
                    "the name of the cluster is blank: give it one, the same on all nodes");
        }
        if (host.isBlank() || List.of("0.0.0.0", "::", "*").contains(host)) {
            throw new IllegalArgumentException("host is \"" + host
                    + "\", by which the others cannot reach this node: give one address of this machine");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port is " + port + ": give one from 1 to 65535");
        }
        switch (discovery) {
            case Discovery.Dns dns -> {
                if (port == 0) {
                    throw new IllegalArgumentException(
                            "port is 0: give the port that all nodes of " + dns.name() + " listen on");
                }
                if (minimum < 1) {
                    throw new IllegalArgumentException(
                            "minimum is " + minimum + ", and nobody knows how many nodes "
                                    + dns.name() + " will have: give more than half of them");
                }
            }
            case Discovery.Hosts list -> {
                var size = list.hosts().size();
                if (minimum * 2 <= size || minimum > size) {
                    throw new IllegalArgumentException("minimum is " + minimum + " of " + size
                            + " hosts: give "
                            + (size / 2 + 1) + " to " + size
                            + (minimum > size ? ". With more than there are, no node ever serves"
                                    : ". With fewer, two halves that start apart both serve, and one of them is lost when they meet"));
                }
                if (ports(host, port, list).isEmpty()) {
                    throw new IllegalArgumentException(host + (port == 0 ? "" : ":" + port)
                            + " is not in the list of hosts " + list.hosts()
                            + ": name all nodes there, this one included, on all nodes the same");
                }
            }
        }
    }

    /**
     * Returns settings with a list of all nodes, of which more than half must meet. This node admits those of this machine alone.
     *
     * @param cluster name of the cluster
     * @param host address that this node listens on
     * @param port port that this node listens on, or zero
     * @param hosts all nodes, each as {@code host:port}
     * @return the settings
     */
    public static NodeSettings hosts(String cluster, String host, int port, List<String> hosts) {
        return new NodeSettings(cluster, host, port, new Discovery.Hosts(hosts), hosts.size() / 2 + 1,
                new LoopbackOnly());
    }

    /**
     * Returns settings for nodes that have a name in DNS in common. This node admits those of this machine alone.
     *
     * @param cluster name of the cluster
     * @param host address that this node listens on
     * @param port port that all nodes listen on
     * @param name the name in DNS
     * @param minimum how many nodes must meet before they serve: more than half of those that there will be
     * @return the settings
     */
    public static NodeSettings dns(String cluster, String host, int port, String name, int minimum) {
        return new NodeSettings(cluster, host, port, new Discovery.Dns(name), minimum, new LoopbackOnly());
    }

    /**
     * Sets whom this node admits.
     *
     * @param admitted whom
     * @return a changed copy
     */
    public NodeSettings security(NodeSecurity admitted) {
        return new NodeSettings(cluster, host, port, discovery, minimum, admitted);
    }

    /**
     * Sets how many nodes must meet.
     *
     * @param nodes how many
     * @return a changed copy
     */
    public NodeSettings minimum(int nodes) {
        return new NodeSettings(cluster, host, port, discovery, nodes, security);
    }

    /**
     * Sets the port.
     *
     * @param number the port
     * @return a changed copy
     */
    public NodeSettings port(int number) {
        return new NodeSettings(cluster, host, number, discovery, minimum, security);
    }

    /**
     * Returns the ports that this node may listen on, the best one first.
     *
     * @return the port that was given, or those that the list of hosts has for this host
     */
    public List<Integer> ports() {
        return discovery instanceof Discovery.Hosts list && port == 0 ? ports(host, 0, list)
                : List.of(port);
    }

    /** A host may have more names than one, so a port that is given need only be in the list at all. */
    private static List<Integer> ports(String host, int port, Discovery.Hosts list) {
        return list.hosts().stream()
                .filter(each -> port == 0 ? Discovery.Hosts.host(each).equals(host)
                        : Discovery.Hosts.port(each) == port)
                .map(Discovery.Hosts::port).toList();
    }

    /**
     * Throws an exception if this node would admit each process that can reach its address, or if other nodes cannot reach it.
     *
     * @throws UnknownHostException if the host is not known
     */
    public void requireSafe() throws UnknownHostException {
        var isLocal = InetAddress.getByName(host).isLoopbackAddress();
        if (!isLocal && security instanceof LoopbackOnly) {
            throw new IllegalArgumentException("this node would listen on " + host
                    + ", where everybody on the network could become a node. Give certificates: .certificates(keys, trusted, password), or"
                    + " FIBRY_TLS_KEYS, FIBRY_TLS_TRUSTED and FIBRY_TLS_PASSWORD. If the network keeps others out, write .trustedNetwork(), or"
                    + " FIBRY_TRUSTED_NETWORK=true");
        }
        if (isLocal && discovery instanceof Discovery.Hosts list) {
            for (var each : list.hosts()) {
                if (!isLoopback(Discovery.Hosts.host(each))) {
                    throw new IllegalArgumentException("this node would listen on " + host + ", where " + each
                            + " of the list of hosts cannot reach it: give the address of this machine in its network as host, or as"
                            + " FIBRY_HOST");
                }
            }
        }
    }

    /** A name that is not known yet may become known when its node starts. */
    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException later) {
            return false;
        }
    }
}
