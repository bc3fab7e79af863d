package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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

    /** A change could go to a copy that was promoted before the node knows of it, and hide from the next one that changes were lost. */
    @Promise("92.6")
    @Test
    void onlyTheServerThatANodeHasLookedAtIsChanged() throws Exception {
        var one = EngineMember.start(1, settings()).getFirst();
        try (var engine = one.engine;
                var session = settings().database.connect("fibry", Duration.ofMinutes(1))) {
            assertThat(engine.serves()).isTrue();
            var changes = List.of(new Change("t", "k", null, new byte[1]));
            assertThatThrownBy(() -> session.change(one.id(), "00000001 1", changes))
                    .isInstanceOf(SQLException.class).hasMessageContaining("has not compared its copies");
            var server = session.beat(one.id(), 0, 0, Set.of()).server();
            assertThat(session.change(one.id(), server, changes)).isPresent();
        }
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
