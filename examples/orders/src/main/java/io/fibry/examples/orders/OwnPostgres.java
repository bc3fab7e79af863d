package io.fibry.examples.orders;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A PostgreSQL that the example starts for itself. All its files, also those of the program, are in one temporary folder. When it is
 * closed, or when the JVM ends, its processes end and the folder is deleted, also if Ctrl-C comes while it starts.
 */
final class OwnPostgres implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    /** Held while it starts or stops: Ctrl-C waits for the end of the start. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Path folder;
    private final Path data;
    private Optional<EmbeddedPostgres> server = Optional.empty();

    private OwnPostgres(Path folder) {
        this.folder = folder;
        data = folder.resolve("data");
    }

    static OwnPostgres start() throws IOException {
        var postgres = new OwnPostgres(Files.createTempDirectory("fibry-orders"));
        Runtime.getRuntime().addShutdownHook(new Thread(postgres::close, "postgres"));
        System.out.println("starting a PostgreSQL for this example alone, in " + postgres.folder
                + "; it stops and its folder goes when the example ends");
        postgres.lock.lock();
        try {
            System.setProperty("ot.epg.working-dir", postgres.folder.toString()); // or it makes one beside it
            postgres.server = Optional.of(EmbeddedPostgres.builder().setRegisterShutdownHook(false)
                    .setOverrideWorkingDirectory(postgres.folder.toFile())
                    .setDataDirectory(postgres.data)
                    .setPGStartupWait(START_LIMIT).setServerConfig("fsync", "off").start());
            return postgres;
        } catch (IOException | RuntimeException e) {
            postgres.close();
            throw e;
        } finally {
            postgres.lock.unlock();
        }
    }

    String url() {
        return server.orElseThrow().getJdbcUrl("postgres", "postgres");
    }

    @Override
    public void close() {
        lock.lock();
        try {
            var running = server;
            server = Optional.empty();
            if (running.isPresent() && running.get().getProcess().isAlive()) {
                running.get().close();
            }
            endWhatIsLeft();
            delete();
        } catch (IOException | UncheckedIOException e) {
            System.err.println("something of the PostgreSQL is left in " + folder + ": " + e);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the server if its start has failed half-way, and waits for its end. */
    private void endWhatIsLeft() throws IOException {
        var file = data.resolve("postmaster.pid");
        if (Files.exists(file)) {
            var pid = Files.readString(file).lines().findFirst().orElse("");
            if (pid.matches("[0-9]+")) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> {
                    process.destroy();
                    process.onExit().join();
                });
            }
        }
    }

    private void delete() throws IOException {
        if (Files.exists(folder)) {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
