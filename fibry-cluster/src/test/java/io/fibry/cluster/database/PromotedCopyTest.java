package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.trial.DatabaseProxy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server dies, and its copy, which was behind, takes its place. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class PromotedCopyTest {
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};
    private static final byte[] THREE = {3};

    @TempDir
    private Path folder;
    private final List<EmbeddedPostgres> servers = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (var each : servers) {
            each.close();
        }
    }

    private EmbeddedPostgres open(Path data) throws IOException {
        var server = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT).setDataDirectory(data)
                .setCleanDataDirectory(false).start();
        servers.add(server);
        return server;
    }

    private static String text(EmbeddedPostgres server, String query) throws SQLException {
        try (var connection = server.getPostgresDatabase().getConnection();
                var rows = connection.createStatement().executeQuery(query)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "";
        }
    }

    /** Copies the files of a server that goes on, and starts a server that follows it. */
    private EmbeddedPostgres follow(EmbeddedPostgres server, Path from, Path to)
            throws IOException, SQLException {
        try (var connection = server.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('copy', true)");
            try (var files = Files.walk(from)) {
                for (var each : files.toList()) {
                    var name = from.relativize(each);
                    if (!name.startsWith("postmaster.pid") && !name.startsWith("epg-lock")) {
                        Files.copy(each, to.resolve(name));
                    }
                }
            }
            try (var rows = statement.executeQuery("SELECT labelfile FROM pg_backup_stop()")) {
                rows.next();
                Files.writeString(to.resolve("backup_label"), rows.getString(1));
            }
        }
        Files.writeString(to.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + server.getPort() + " user=postgres'\n");
        Files.createFile(to.resolve("standby.signal"));
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
        return open(to);
    }

    private static boolean isChanged(EngineMember member) {
        try {
            return member.compareAndSet("t", "k", member.engine.get("t", "k"), THREE) == Outcome.DONE;
        } catch (NotServedException away) {
            return false;
        }
    }

    private static void signal(String name, String process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, process).start().waitFor()).isZero();
    }

    @Promise("92.6")
    @Tag("thorough")
    @LogsErrors(always = false) // by the server that was killed, when it is closed
    @Test
    void changesThatItHasLostAreNoticed() throws Exception {
        var data = folder.resolve("data");
        var members = new ArrayList<EngineMember>();
        var copied = folder.resolve("copy");
        var server = open(data);
        var copy = follow(server, data, copied);
        try (var proxy = new DatabaseProxy(InetAddress.getLoopbackAddress(), server.getPort())) {
            var settings = DatabaseSettings.of(proxy.through(server.getJdbcUrl("postgres", "postgres")))
                    .lease(Duration.ofSeconds(8));
            members.addAll(EngineMember.start(2, settings));
            assertThat(members.get(0).compareAndSet("t", "k", null, ONE)).isEqualTo(Outcome.DONE);
            var written = text(server, "SELECT pg_current_wal_insert_lsn()");
            while (!text(copy, "SELECT pg_last_wal_replay_lsn() >= '" + written + "'").equals("t")) {
                Thread.yield();
            }
            var sender = text(server, "SELECT pid FROM pg_stat_replication");
            signal("STOP", sender);
            assertThat(members.get(0).compareAndSet("t", "k", ONE, TWO)).isEqualTo(Outcome.DONE);
            for (var each : members) {
                while (each.engine.get("t", "k")[0] != 2) {
                    Thread.yield();
                }
                each.views.clear();
            }
            proxy.away(true);
            signal("KILL", Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip());
            signal("KILL", sender);
            assertThat(text(copy, "SELECT pg_promote()")).isEqualTo("t");
            var begin = System.nanoTime();
            proxy.forwardTo(copy.getPort());
            proxy.away(false);
            for (var each : members) {
                each.awaitSilence();
                each.awaitService();
                assertThat(each.engine.get("t", "k")).isEqualTo(ONE);
            }
            var late = new EngineMember("late", settings);
            members.add(late);
            late.start();
            // It starts once more, and has lost nothing this time: that does not end the rest.
            proxy.away(true);
            copy.close();
            proxy.forwardTo(open(copied).getPort());
            proxy.away(false);
            for (var each : members) {
                while (!isChanged(each)) {
                    Thread.yield();
                }
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("nothing is changed for a lease")
                        .isGreaterThan(settings.lease);
            }
        } finally {
            members.forEach(each -> each.engine.close());
        }
    }
}
