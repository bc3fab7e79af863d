package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresEngineTest extends EngineContract {
    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT).start();
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
        return DatabaseSettings.of(server.getJdbcUrl("postgres", "postgres")).lease(LEASE);
    }

    @Override
    Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /** It knows no entries that could be missing. Nodes that the copy does not know may have leases. */
    @Promise("92.6")
    @Test
    void aNewNodeOfACopyThatWasPromotedChangesNothingForALease() throws Exception {
        var change = new byte[1];
        try (var before = EngineMember.start(1, settings()).getFirst().engine) {
            assertThat(EngineMember.compareAndSet(before, "t", "k", null, change)).isEqualTo(Outcome.DONE);
        }
        try (var connection = connect(); var statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE fibry_cluster_states SET timeline = '00000007'");
        }
        var begin = System.nanoTime();
        try (var first = EngineMember.start(1, shortLease()).getFirst().engine) {
            while (EngineMember.compareAndSet(first, "t", "k", change, null) != Outcome.DONE) {
                Thread.yield();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(shortLease().lease);
        }
        try (var second = EngineMember.start(1, settings()).getFirst().engine) {
            assertThat(EngineMember.compareAndSet(second, "t", "k", null, change)).isEqualTo(Outcome.DONE);
        }
    }
}
