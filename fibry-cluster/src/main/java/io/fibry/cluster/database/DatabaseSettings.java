package io.fibry.cluster.database;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Which database the nodes have in common, and where a node listens. Immutable; the methods return changed copies.
 *
 * <p>By default a node listens on 127.0.0.1, on a port that is free, so all nodes are of one machine; the cluster is called {@code fibry},
 * and a lease is three seconds. Nodes that listen on other addresses talk by TLS 1.3: each makes a certificate for itself when it starts,
 * whose digest is in its row of the database. So whoever may write to the database can become a node, and nobody else.
 */
public final class DatabaseSettings {
    private static final Duration SHORTEST = Duration.ofMillis(600);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    /** Whatever stands for all addresses of a machine has no other digit than zero. */
    private static final Pattern ANY = Pattern.compile("(0x)?0[0.:]*|::[0.:]*");

    final ClusterDatabase database;
    final String cluster;
    final String host;
    final int port;
    final Duration lease;
    /** Null if the address decides: plain text on loopback addresses, certificates that nodes make themselves on others. */
    private final @Nullable Encryption encryption;

    /** Opens what encrypts connections; it is empty if nothing does. */
    @FunctionalInterface
    interface Encryption {
        Optional<NodeTls> open() throws IOException, GeneralSecurityException;
    }

    private DatabaseSettings(ClusterDatabase database, String cluster, String host, int port, Duration lease,
            @Nullable Encryption encryption) {
        this.database = database;
        this.cluster = cluster;
        this.host = host;
        this.port = port;
        this.lease = lease;
        this.encryption = encryption;
    }

    /**
     * Returns settings for a database: PostgreSQL, as {@code jdbc:postgresql://host/bank?user=u&password=p}, or a
     * file of SQLite, as {@code file:cluster.db}, which is made if it is missing.
     *
     * @param url the place of the database
     * @return the settings
     */
    public static DatabaseSettings of(String url) {
        return of(ClusterDatabase.of(Objects.requireNonNull(url, "url")));
    }

    /**
     * Returns settings for the database that a source has connections to. A node keeps two of them while it is in the
     * cluster, so the source must not be a pool of one.
     *
     * @param source makes connections to PostgreSQL or SQLite
     * @return the settings
     */
    public static DatabaseSettings of(DataSource source) {
        return of(ClusterDatabase.of(Objects.requireNonNull(source, "source")));
    }

    static DatabaseSettings of(ClusterDatabase database) {
        return new DatabaseSettings(database, "fibry", "127.0.0.1", 0, Duration.ofSeconds(3), null);
    }

    /**
     * Names the cluster. Several clusters may have one database.
     *
     * @param name the name, the same on all nodes
     * @return a changed copy
     */
    public DatabaseSettings cluster(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "the name of the cluster is blank: give it one, the same on all nodes");
        }
        return new DatabaseSettings(database, name, host, port, lease, encryption);
    }

    /**
     * Sets where this node listens, and where the others reach it.
     *
     * @param address an address of this machine
     * @param number the port, or zero for one that is free
     * @return a changed copy
     */
    public DatabaseSettings listen(String address, int number) {
        if (address.isBlank() || address.equals("*")
                || ANY.matcher(address).matches()) {
            throw new IllegalArgumentException("host is \"" + address
                    + "\", by which the others cannot reach this node: give one address of this machine");
        }
        if (database.isFile() && !new NodeAddress(address, 0, "").isLoopback()) {
            throw new IllegalArgumentException(
                    "host is \"" + address + "\", for nodes of several machines, and "
                            + database.text() + " is on this one, so each node would be alone: "
                            + ClusterDatabase.known());
        }
        if (number < 0 || number > 65_535) {
            throw new IllegalArgumentException(
                    "port is " + number + ": give one from 0 to 65535; 0 is one that is free");
        }
        return new DatabaseSettings(database, cluster, address, number, lease, encryption);
    }

    /**
     * Sets the lease: how long others wait for a sign of a node before they take it for lost. A node that does not
     * reach the database serves for five sixths of it. Six beats are in a lease, each a small transaction.
     *
     * @param length 600 milliseconds to ten minutes; nodes may have different ones, as while it is changed
     * @return a changed copy
     */
    public DatabaseSettings lease(Duration length) {
        if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "lease is " + length + ": give " + SHORTEST + " or more, and " + LONGEST + " or less");
        }
        return new DatabaseSettings(database, cluster, host, port, length, encryption);
    }

    /**
     * Lets nodes of several machines talk without encryption, since the network keeps others out.
     *
     * @return a changed copy
     */
    public DatabaseSettings trustedNetwork() {
        return encryption(Optional::empty);
    }

    /**
     * Makes this node show a certificate of yours. Both sides of a connection need one that the authority has signed,
     * and that the row of their node names.
     *
     * @param keys file of type PKCS12 with the key of this node and its certificate
     * @param trusted file of type PKCS12 with the certificates of the nodes, or of an authority that signs no other ones
     * @param password password of both
     * @return a changed copy
     */
    public DatabaseSettings certificates(Path keys, Path trusted, String password) {
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(trusted, "trusted");
        Objects.requireNonNull(password, "password");
        return encryption(() -> Optional.of(NodeTls.of(keys, trusted, password)));
    }

    DatabaseSettings encryption(Encryption other) {
        return new DatabaseSettings(database, cluster, host, port, lease, other);
    }

    /**
     * Returns what a node with these settings is called if it has no other name.
     *
     * @return a name with the number of its process, and its address if other machines reach that
     */
    public String nodeName() {
        var process = "process-" + ProcessHandle.current().pid();
        return encryption == null && isLoopback() ? process : process + " of " + host;
    }

    private boolean isLoopback() {
        return new NodeAddress(host, port, "").isLoopback();
    }

    /** Returns how connections are encrypted; empty if they are not. */
    Optional<NodeTls> tls() throws IOException, GeneralSecurityException {
        return encryption != null ? encryption.open()
                : isLoopback() ? Optional.empty() : Optional.of(NodeTls.ofThisProcess());
    }

    /** How often a node beats. */
    Duration pause() {
        return lease.dividedBy(6);
    }

    @Override
    public String toString() {
        return "the cluster '" + cluster + "' in " + database.text();
    }
}
