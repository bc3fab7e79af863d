package io.fibry.cluster;

import io.fibry.cluster.database.DatabaseSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the variables that make a process one node of many. */
record ClusterEnvironment(Map<String, String> variables) {
    private static final String CLUSTER = "FIBRY_CLUSTER";
    private static final String CLUSTER_NAME = "FIBRY_CLUSTER_NAME";
    private static final String HOST = "FIBRY_HOST";
    private static final String PORT = "FIBRY_PORT";
    private static final String NODE = "FIBRY_NODE";
    private static final List<String> TLS =
            List.of("FIBRY_TLS_KEYS", "FIBRY_TLS_TRUSTED", "FIBRY_TLS_PASSWORD");
    private static final String TRUSTED_NETWORK = "FIBRY_TRUSTED_NETWORK";
    private static final String REACH_ONLY = "FIBRY_REACH_ONLY";

    ClusterOptions options() {
        var cluster = value(CLUSTER);
        if (cluster.isEmpty()) {
            requireNothingElse();
            return value(NODE).map(ClusterOptions.alone()::name).orElseGet(ClusterOptions::alone);
        }
        var options = ClusterOptions.on(database());
        var named = value(NODE).map(options::name).orElse(options);
        return isTrue(REACH_ONLY) ? named.reachOnly() : named;
    }

    private Optional<String> value(String name) {
        var value = Optional.ofNullable(variables.get(name));
        if (value.filter(String::isBlank).isPresent()) {
            throw new ClusterException(name + " is set, and blank: give it a value, or remove it"
                    + (name.equals(CLUSTER) ? " to be alone" : ""));
        }
        return name.equals(TLS.get(2)) ? value : value.map(String::strip); // a password may begin with a blank
    }

    private DatabaseSettings database() {
        var url = value(CLUSTER).orElseThrow();
        var isTrusted = isTrue(TRUSTED_NETWORK);
        var certificates = certificates(isTrusted);
        try {
            var settings = DatabaseSettings.of(url).cluster(value(CLUSTER_NAME).orElse("fibry")).listen(
                    value(HOST).orElseGet(
                            () -> isTrusted || !certificates.isEmpty() ? ownAddress() : "127.0.0.1"),
                    value(PORT).map(text -> number(PORT, text)).orElse(0));
            return isTrusted ? settings.trustedNetwork() : certificates.isEmpty() ? settings
                    : settings.certificates(file(TLS.get(0)), file(TLS.get(1)),
                            value(TLS.get(2)).orElseThrow());
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
        others.addAll(List.of(CLUSTER_NAME, HOST, PORT, TRUSTED_NETWORK, REACH_ONLY));
        for (var each : others) {
            if (value(each).isPresent()) {
                throw new ClusterException(each + " is set, and " + CLUSTER
                        + " is not: set it to the database that all nodes have in common, as"
                        + " \"jdbc:postgresql://host/bank\" or \"file:cluster.db\", or remove " + each
                        + " to be alone");
            }
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

    /** Returns the variables for certificates that are there: all of them, or none. */
    private List<String> certificates(boolean isTrusted) {
        var given = TLS.stream().filter(each -> value(each).isPresent()).toList();
        if (isTrusted && !given.isEmpty()) {
            throw new ClusterException(
                    TRUSTED_NETWORK + "=true stands for a network without certificates, and "
                            + given.getFirst() + " is set: remove one of them");
        }
        for (var each : TLS) {
            if (!given.isEmpty() && !given.contains(each)) {
                throw new ClusterException(each + " is not set, and " + given.getFirst()
                        + " is: TLS needs all of " + String.join(", ", TLS));
            }
        }
        return given;
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
}
