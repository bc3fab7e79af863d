package io.fibry.cluster;

import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.Discovery.Hosts;
import io.fibry.cluster.engine.EngineProvider;
import io.fibry.cluster.engine.NodeSecurity;
import io.fibry.cluster.engine.NodeSettings;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the variables that make a process one node of many. */
record ClusterEnvironment(Map<String, String> variables) {
    private static final String CLUSTER = "FIBRY_CLUSTER";
    private static final String CLUSTER_NAME = "FIBRY_CLUSTER_NAME";
    private static final String HOST = "FIBRY_HOST";
    private static final String PORT = "FIBRY_PORT";
    private static final String NODE = "FIBRY_NODE";
    private static final String MINIMUM = "FIBRY_MINIMUM";
    private static final List<String> TLS =
            List.of("FIBRY_TLS_KEYS", "FIBRY_TLS_TRUSTED", "FIBRY_TLS_PASSWORD");
    private static final String TRUSTED_NETWORK = "FIBRY_TRUSTED_NETWORK";
    private static final String REACH_ONLY = "FIBRY_REACH_ONLY";
    private static final Pattern DATABASES = Pattern.compile("jdbc:|file:");
    private static final String DNS = "dns:";
    private static final String DNS_PORT = "7800";

    ClusterOptions options() {
        var cluster = value(CLUSTER);
        if (cluster.isEmpty()) {
            requireNothingElse();
            return value(NODE).map(ClusterOptions.alone()::name).orElseGet(ClusterOptions::alone);
        }
        var options = DATABASES.matcher(cluster.orElseThrow()).lookingAt() ? onDatabase() : onEngine();
        return isTrue(REACH_ONLY) ? options.reachOnly() : options;
    }

    private ClusterOptions onDatabase() {
        var options = ClusterOptions.on(database());
        return value(NODE).map(options::name).orElse(options);
    }

    private ClusterOptions onEngine() {
        var settings = settings();
        var name =
                value(NODE).orElseGet(() -> settings.port() == 0 ? "process-" + ProcessHandle.current().pid()
                        : settings.host() + ":" + settings.port());
        return ClusterOptions.on(name, engine(settings));
    }

    private Optional<String> value(String name) {
        var value = Optional.ofNullable(variables.get(name)).map(String::strip);
        if (value.isPresent() && value.orElseThrow().isEmpty()) {
            throw new ClusterException(name + " is set, and blank: give it a value, or remove it"
                    + (name.equals(CLUSTER) ? " to be alone" : ""));
        }
        return value;
    }

    private DatabaseSettings database() {
        var url = value(CLUSTER).orElseThrow();
        if (value(MINIMUM).isPresent()) {
            throw new ClusterException(
                    MINIMUM + " is set, and a cluster on a database has no minimum: remove it");
        }
        var security = security();
        try {
            var settings = DatabaseSettings.of(url).cluster(value(CLUSTER_NAME).orElse("fibry"))
                    .listen(value(HOST).orElseGet(
                            () -> security instanceof NodeSecurity.LoopbackOnly ? "127.0.0.1" : ownAddress()),
                            value(PORT).map(text -> number(PORT, text)).orElse(0));
            return switch (security) {
                case NodeSecurity.MutualTls files ->
                    settings.certificates(files.keys(), files.trusted(), files.password());
                case NodeSecurity.TrustedNetwork plain -> settings.trustedNetwork();
                case NodeSecurity.LoopbackOnly unset -> settings;
                case NodeSecurity.PinnedCertificates pinned -> settings;
            };
        } catch (IllegalArgumentException wrong) {
            throw new ClusterException("The settings of this node are wrong (" + CLUSTER
                    + value(HOST).map(host -> ", " + HOST + "=" + host).orElse("")
                    + value(PORT).map(port -> ", " + PORT + "=" + port).orElse("") + "): "
                    + wrong.getMessage(), wrong);
        }
    }

    /** Refuses the variables that have a meaning in a cluster only: a node alone would look as if they worked. */
    private void requireNothingElse() {
        var others = new ArrayList<>(TLS);
        others.addAll(List.of(PORT, MINIMUM, TRUSTED_NETWORK, REACH_ONLY));
        for (var each : others) {
            if (value(each).isPresent()) {
                throw new ClusterException(each + " is set, and " + CLUSTER
                        + " is not: set it to the database that all nodes have in common, as"
                        + " \"jdbc:postgresql://host/bank\" or \"file:cluster.db\", or remove " + each
                        + " to be alone");
            }
        }
    }

    NodeSettings settings() {
        var cluster = value(CLUSTER).orElseThrow();
        var name = value(CLUSTER_NAME).orElse("fibry");
        try {
            NodeSettings settings;
            if (cluster.startsWith(DNS)) {
                var minimum = value(MINIMUM).orElseThrow(() -> new ClusterException(CLUSTER + "=" + cluster
                        + ", and " + MINIMUM
                        + " is not set: nobody knows how many nodes there will be; set it to more than half of them"));
                settings = NodeSettings.dns(name, value(HOST).orElseGet(ClusterEnvironment::ownAddress),
                        number(PORT, value(PORT).orElse(DNS_PORT)), cluster.substring(DNS.length()),
                        number(MINIMUM, minimum));
            } else {
                var hosts = Arrays.stream(cluster.split(",", -1)).map(String::strip).toList();
                var list = new Hosts(hosts);
                var port = value(PORT).map(text -> number(PORT, text)).orElse(0);
                settings = NodeSettings.hosts(name, value(HOST).orElseGet(() -> ownHost(list, port)), port,
                        hosts);
                var minimum = value(MINIMUM);
                if (minimum.isPresent()) {
                    settings = settings.minimum(number(MINIMUM, minimum.orElseThrow()));
                }
            }
            settings = settings.security(security());
            settings.requireSafe();
            return settings;
        } catch (IllegalArgumentException | UnknownHostException wrong) {
            throw new ClusterException("The settings of this node are wrong (" + CLUSTER + "=" + cluster
                    + value(HOST).map(host -> ", " + HOST + "=" + host).orElse("")
                    + value(PORT).map(port -> ", " + PORT + "=" + port).orElse("")
                    + value(MINIMUM).map(minimum -> ", " + MINIMUM + "=" + minimum).orElse("") + "): "
                    + wrong.getMessage(), wrong);
        }
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notOne) {
            throw new ClusterException(name + "=" + text + " is no number"
                    + (text.startsWith("tcp:")
                            ? ": Kubernetes sets it for a service that is called \"fibry\"; call the service otherwise, or set"
                                    + " enableServiceLinks: false"
                            : ""),
                    notOne);
        }
    }

    private boolean isTrue(String name) {
        return switch (value(name).orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new ClusterException(name + "=" + value(name).orElseThrow()
                    + " is neither true nor false");
        };
    }

    private NodeSecurity security() {
        var isTrusted = isTrue(TRUSTED_NETWORK);
        var given = TLS.stream().filter(each -> value(each).isPresent()).toList();
        if (given.isEmpty()) {
            return isTrusted ? new NodeSecurity.TrustedNetwork() : new NodeSecurity.LoopbackOnly();
        }
        if (isTrusted) {
            throw new ClusterException(
                    TRUSTED_NETWORK + "=true stands for a network without certificates, and "
                            + given.getFirst() + " is set: remove one of them");
        }
        for (var each : TLS) {
            if (!given.contains(each)) {
                throw new ClusterException(each + " is not set, and " + given.getFirst()
                        + " is: TLS needs all of " + String.join(", ", TLS));
            }
        }
        return new NodeSecurity.MutualTls(file(TLS.get(0)), file(TLS.get(1)),
                value(TLS.get(2)).orElseThrow());
    }

    private Path file(String name) {
        var path = Path.of(value(name).orElseThrow());
        if (!Files.isReadable(path)) {
            throw new ClusterException(
                    name + "=" + path + " cannot be read: give the path of a file of type PKCS12");
        }
        return path;
    }

    /** The address by which others reach this machine; in a pod of Kubernetes it is that of the pod. */
    private static String ownAddress() {
        try {
            var own = InetAddress.getLocalHost();
            if (!own.isLoopbackAddress()) {
                return own.getHostAddress();
            }
        } catch (UnknownHostException unnamed) {
            throw noAddress(unnamed);
        }
        throw noAddress(null);
    }

    private static ClusterException noAddress(@Nullable Exception cause) {
        return new ClusterException(
                "The name of this machine has no address that others can reach: set " + HOST
                        + " to the address that this node listens on",
                cause);
    }

    private static String ownHost(Hosts list, int port) {
        return list.hosts().stream().filter(each -> port == 0 || Hosts.port(each) == port).map(Hosts::host)
                .filter(ClusterEnvironment::isHere).findFirst()
                .orElseThrow(() -> new ClusterException("None of " + list.hosts()
                        + (port == 0 ? "" : " with the port " + port)
                        + " is an address of this machine: add it, the same on all nodes, or set " + HOST
                        + " if it has another name"));
    }

    private static boolean isHere(String host) {
        try {
            var address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (UnknownHostException | SocketException elsewhere) {
            return false;
        }
    }

    private static ClusterEngine engine(NodeSettings settings) {
        try {
            var found = ServiceLoader.load(EngineProvider.class).stream().toList();
            if (found.isEmpty()) {
                throw new ClusterException(CLUSTER
                        + " is set to nodes, and no engine is on the class path that finds them: set it to the database that all nodes have in common, as"
                        + " \"jdbc:postgresql://host/bank\" or \"file:cluster.db\", add io.fibry:fibry-cluster-infinispan, or remove "
                        + CLUSTER
                        + " to be alone");
            }
            if (found.size() > 1) {
                throw new ClusterException("Several engines are on the class path: "
                        + found.stream().map(each -> each.type().getName()).toList()
                        + "; leave one of them there");
            }
            return found.getFirst().get().engine(settings);
        } catch (ServiceConfigurationError broken) {
            throw new ClusterException("The engine on the class path cannot be used: " + broken.getMessage(),
                    broken);
        }
    }
}
