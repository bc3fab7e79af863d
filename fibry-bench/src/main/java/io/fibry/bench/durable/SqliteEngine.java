package io.fibry.bench.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;

/** Files of SQLite, whose write-ahead log is flushed for each commit. */
public final class SqliteEngine implements StoreEngine {
    private final Path folder;
    private final AtomicInteger files = new AtomicInteger();
    private final SlowFlush slow;

    private SqliteEngine(Path folder, SlowFlush slow) {
        this.folder = folder;
        this.slow = slow;
    }

    /**
     * Makes a folder for the files.
     *
     * @param flush how long each commit takes in addition to what it takes here; may be zero
     * @return the engine
     * @throws IOException if there can be no folder
     * @throws SQLException if there is no driver
     */
    public static SqliteEngine start(Duration flush) throws IOException, SQLException {
        return new SqliteEngine(Files.createTempDirectory("fibry-bench-durable"),
                SlowFlush.install("jdbc:sqlite:", flush));
    }

    @Override
    public String name() {
        try (var connection = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            return "SQLite " + connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            return "SQLite";
        }
    }

    @Override
    public String newBank() {
        return "jdbc:sqlite:" + folder.resolve("bank" + files.incrementAndGet() + ".db");
    }

    @Override
    public int connections() {
        return 1;
    }

    @Override
    public String[] settings() {
        return new String[]{"pragma journal_mode=wal", "pragma synchronous=full",
            "pragma wal_autocheckpoint=8000",
            "pragma cache_size=-65536"};
    }

    @Override
    public String[] tables() {
        return new String[]{
            "create table deposits (account integer not null, rev integer not null, event blob not null)",
            "create unique index of_account on deposits (account, rev)"};
    }

    @Override
    public void close() throws IOException, SQLException {
        slow.close();
        try (var all = Files.walk(folder)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
