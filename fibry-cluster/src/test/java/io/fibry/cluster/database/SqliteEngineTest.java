package io.fibry.cluster.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;

class SqliteEngineTest extends EngineContract {
    @TempDir
    private Path folder;

    @Override
    DatabaseSettings settings() {
        return DatabaseSettings.of("file:" + folder.resolve("cluster.db")).lease(LEASE);
    }

    @Override
    Connection connect() throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cluster.db"));
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=5000");
        }
        return connection;
    }
}
