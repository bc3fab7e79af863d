package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Patience;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A server of PostgreSQL that flushes, and can be stopped at once and started again. */
final class PostgresServer implements KillTest.Server {
    private final Path folder;
    private final int port;
    private EmbeddedPostgres server;

    PostgresServer(Path folder) throws IOException {
        this.folder = folder;
        server = start(0);
        port = server.getPort();
    }

    private EmbeddedPostgres start(int at) throws IOException {
        // The embedded server is started without flushes unless these are set.
        var builder = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT)
                .setServerConfig("fsync", "on").setServerConfig("synchronous_commit", "on")
                .setDataDirectory(folder).setCleanDataDirectory(false);
        return at == 0 ? builder.start() : builder.setPort(at).start();
    }

    DataSource source() {
        return server.getPostgresDatabase();
    }

    static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port
                + "/postgres?user=postgres&sslmode=disable&gssEncMode=disable";
    }

    @Override
    public String address(int other) {
        return url(other);
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ProcessHandle process() throws IOException {
        long pid = Long.parseLong(Files.readAllLines(folder.resolve("postmaster.pid")).getFirst().strip());
        return ProcessHandle.of(pid).orElseThrow();
    }

    /** Ends the server as "pg_ctl stop -m immediate" does. */
    @Override
    public void startAgain() throws Exception {
        var process = process();
        assertThat(new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor())
                .isZero();
        process.onExit().get(60, TimeUnit.SECONDS);
        server.close();
        server = start(port);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
