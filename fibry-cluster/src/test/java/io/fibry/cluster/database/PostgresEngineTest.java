package io.fibry.cluster.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class PostgresEngineTest extends EngineContract {
    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        try (var connection = connect(); var statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        }
    }

    @Override
    DatabaseSettings settings() {
        return DatabaseSettings.of(server.getJdbcUrl("postgres", "postgres")).lease(Duration.ofSeconds(5));
    }

    @Override
    Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }
}
