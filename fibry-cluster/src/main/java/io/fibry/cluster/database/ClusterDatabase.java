package io.fibry.cluster.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * The database that the nodes of a cluster have in common.
 *
 * @param text what it is called in reports; it has no password
 * @param isFile whether it is a file of SQLite, which all nodes of this machine have
 * @param source makes connections
 */
record ClusterDatabase(String text, boolean isFile, Source source) {
    private static final String FILE = "file:";
    private static final String SQLITE = "jdbc:sqlite:";
    private static final String POSTGRES = "jdbc:postgresql:";
    /** A user and a password before a host. */
    private static final Pattern USER = Pattern.compile("//([^/:@?]*:?)[^?\\s]*@");
    /**
     * So that a node does not wait for a server that does not answer, also before a session sets its limit. The
     * driver takes the last of two values, which is that of the URL itself.
     */
    private static final String SOON =
            "?connectTimeout=2&socketTimeout=2&sslResponseTimeout=2000&tcpKeepAlive=true&ApplicationName=fibry-cluster";

    /** Makes connections. */
    @FunctionalInterface
    interface Source {
        Connection connect() throws SQLException;
    }

    static ClusterDatabase of(String url) {
        if (url.isBlank()) {
            throw new IllegalArgumentException("the place of the cluster's database is blank: " + known());
        }
        var masked = masked(url);
        if (url.startsWith(POSTGRES) && !USER.matcher(url).find()) { // else the driver would take it for a port, and log it
            var whole = withDefaults(url);
            return new ClusterDatabase(masked, false, () -> open(whole));
        }
        var path = url.startsWith(FILE) ? url.substring(FILE.length())
                : url.startsWith(SQLITE) ? url.substring(SQLITE.length()) : "";
        if (path.isBlank() || path.startsWith(":")) {
            throw new IllegalArgumentException(
                    "\"" + masked + "\" is no database that nodes can have in common: " + known());
        }
        var file = Path.of(path).toAbsolutePath().normalize();
        return new ClusterDatabase(FILE + file, true, () -> DriverManager.getConnection(SQLITE + file));
    }

    /** The text without passwords. */
    static String masked(String text) {
        return USER.matcher(text.replaceAll("(?i)password=[^&\\s]*", "password=...")).replaceAll("//$1...@");
    }

    /** A driver that cannot use a URL may tell the whole of it, and in the causes too. */
    private static Connection open(String url) throws SQLException {
        try {
            return DriverManager.getConnection(url);
        } catch (SQLException failed) {
            var text = String.valueOf(failed.getMessage());
            var masked = masked(text);
            throw masked.equals(text) ? failed : new SQLException(masked, failed.getSQLState());
        }
    }

    static String withDefaults(String url) {
        var options = url.indexOf('?');
        return options < 0 ? url + SOON : url.substring(0, options) + SOON + "&" + url.substring(options + 1);
    }

    static ClusterDatabase of(DataSource source) {
        return new ClusterDatabase(masked(source.toString()), false, source::getConnection);
    }

    static String known() {
        return "write jdbc:postgresql://host/database?user=u&password=p for nodes of several machines, or file:cluster.db, a file of SQLite, for processes of this one";
    }

    /** Opens a session; none of its operations takes longer than a limit. */
    ClusterSession connect(String cluster, Duration limit) throws SQLException {
        var connection = source.connect();
        try {
            var product = connection.getMetaData().getDatabaseProductName();
            return switch (product) {
                case "PostgreSQL" -> new PostgresCluster(cluster, connection, limit);
                case "SQLite" -> new SqliteCluster(cluster, connection, limit);
                default -> throw new SQLException(product + " is no database for a cluster: " + known());
            };
        } catch (SQLException | RuntimeException failed) {
            try {
                connection.close();
            } catch (SQLException also) {
                failed.addSuppressed(also);
            }
            throw failed;
        }
    }
}
