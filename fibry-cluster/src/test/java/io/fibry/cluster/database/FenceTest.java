package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.durable.CommitOptions;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.SourceMutant;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a durable actor writes is committed with the row of its home. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FenceTest {
    private static final ClusterGroup<String, Add, Long> SUMS =
            ClusterGroup.of("sums", String.class, Add.class, Long.class, Add::key);

    /** Other nodes become the homes, and the one that was it is not told. */
    private static final String CLAIM =
            "UPDATE fibry_cluster_entries SET value = value || 'x' WHERE tab = 'homes'";
    private static final String GIVE_BACK =
            "UPDATE fibry_cluster_entries SET value = substring(value FROM 1 FOR length(value) - 1) WHERE tab = 'homes'";

    private EmbeddedPostgres server;

    private record Add(String key, long number) {
    }

    @BeforeEach
    void start() throws Exception {
        server = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT).start();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static KeyedActors<String, Add, Long> sums(ActorScope scope, Cluster cluster,
            DurableStore store) {
        return cluster.share(SUMS,
                Durable.stateOnly(store, "sums", Long.class, 0L).shared().keyed(scope, Add.class, Long.class,
                        Add::key,
                        (self, add) -> {
                            self.persist(self.state() + add.number);
                            return self.state();
                        }));
    }

    private DurableStore store(String database) {
        return DurableStore.of(server.getDatabase("postgres", database), CommitOptions.defaults());
    }

    /** With one slice, so that all keys are at home when one is. */
    private ClusterOptions options() {
        return ClusterOptions.on(
                DatabaseSettings.of(server.getJdbcUrl("postgres", "postgres")).lease(Duration.ofMinutes(5)))
                .slices(1);
    }

    private void run(String sql) throws SQLException {
        try (var connection = server.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (var connection = server.getPostgresDatabase().getConnection();
                var rows = connection.createStatement().executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Another node claims a slice, and its home does not know it yet: no clock and no beat tells it, and it has written to the key last. */
    @Promise("92.5")
    @Test
    void anOlderHomeWritesNothing() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var store = store("postgres");
                var cluster = Cluster.open(scope, options())) {
            var sums = sums(scope, cluster, store);
            assertThat(sums.sendMessageReturn(new Add("k", 5)).get()).isEqualTo(5);
            run(CLAIM);
            try {
                assertThatThrownBy(() -> sums.sendMessageReturn(new Add("k", 7)).get())
                        .isInstanceOf(ExecutionException.class);
                assertThat(number("SELECT count(*) FROM fibry_turns")).isEqualTo(1);
                // The same for a key that it has not written to, where no revision would tell.
                assertThatThrownBy(() -> sums.sendMessageReturn(new Add("other", 7)).get())
                        .isInstanceOf(ExecutionException.class);
                assertThat(number("SELECT count(*) FROM fibry_turns")).isEqualTo(1);
            } finally {
                run(GIVE_BACK);
            }
            assertThat(sums.sendMessageReturn(new Add("k", 7)).get()).isEqualTo(12);
        }
    }

    /** Such as one that was frozen before its first turn, until nobody knew it any more. */
    @Promise("92.5")
    @Test
    void aHomeWhoseNodeIsForgottenWritesNothing() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var store = store("postgres");
                var cluster = Cluster.open(scope, options())) {
            var sums = sums(scope, cluster, store);
            while (cluster.homeOf(SUMS, "k").isEmpty()) {
                Thread.yield();
            }
            run(CLAIM);
            run("ALTER TABLE fibry_cluster_nodes RENAME TO forgotten; CREATE TABLE fibry_cluster_nodes (LIKE forgotten)");
            try {
                assertThatThrownBy(() -> sums.sendMessageReturn(new Add("k", 7)).get())
                        .isInstanceOf(ExecutionException.class);
                assertThat(number("SELECT count(*) FROM fibry_turns")).isZero();
            } finally {
                run(GIVE_BACK);
                run("DROP TABLE fibry_cluster_nodes; ALTER TABLE forgotten RENAME TO fibry_cluster_nodes");
            }
        }
    }

    /** A slice has gone to another node, as when nodes join, and this one repairs a key of it. */
    @Promise("92.5")
    @Test
    void keysAreDeletedAndErasedByAProcessThatIsNotTheirHome() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var store = store("postgres");
                var cluster = Cluster.open(scope, options())) {
            var sums = sums(scope, cluster, store);
            assertThat(sums.sendMessageReturn(new Add("k", 5)).get()).isEqualTo(5);
            assertThat(sums.sendMessageReturn(new Add("gone", 5)).get()).isEqualTo(5);
            var keys = Durable.stateOnly(store, "sums", Long.class, 0L).keys();
            run(CLAIM);
            try {
                assertThat(keys.delete("k")).isTrue();
                assertThat(keys.erase("gone")).isTrue();
                assertThat(keys.list("", "", 10)).isEmpty();
            } finally {
                run(GIVE_BACK);
            }
            assertThat(sums.sendMessageReturn(new Add("k", 7)).get()).isEqualTo(7);
        }
    }

    @Test
    void aTurnThatIsWrittenWithoutItsHomeIsFound(@TempDir Path folder) throws Exception {
        new SourceMutant("turn-of-an-older-home-is-written",
                Path.of("../fibry-durable/src/main/java/io/fibry/durable/HomeRows.java"),
                "others.values().forEach(may::andNot);", "", FenceTest.class,
                "anOlderHomeWritesNothing").requireFound(folder);
    }

    /** A claim does not wait for a transaction of the home before, and does not hold up other changes. */
    @Test
    void aClaimIsRefusedWhileTheHomeWrites() throws Exception {
        var settings = DatabaseSettings.of(server.getJdbcUrl("postgres", "postgres"));
        var member = new EngineMember("n", settings);
        member.start();
        try (var writing = server.getPostgresDatabase().getConnection()) {
            var engine = member.engine;
            assertThat(EngineMember.compareAndSet(engine, "homes", "sums/1", null, new byte[]{1}))
                    .isEqualTo(Outcome.DONE);
            writing.setAutoCommit(false);
            writing.createStatement().execute("SELECT * FROM fibry_cluster_entries FOR SHARE");
            assertThat(EngineMember.compareAndSet(engine, "homes", "sums/1", new byte[]{1}, new byte[]{2}))
                    .isEqualTo(Outcome.REFUSED);
            assertThat(EngineMember.compareAndSet(engine, "homes", "sums/2", null, new byte[]{3}))
                    .isEqualTo(Outcome.DONE);
            writing.commit();
            assertThat(EngineMember.compareAndSet(engine, "homes", "sums/1", new byte[]{1}, new byte[]{2}))
                    .isEqualTo(Outcome.DONE);
        } finally {
            member.engine.close();
        }
    }

    /** A store in another database is fenced by revisions alone. */
    @Test
    void aStoreInAnotherDatabaseIsNotAsked() throws Exception {
        run("CREATE DATABASE bank");
        try (var scope = ActorSystem.open("bank");
                var store = store("bank");
                var cluster = Cluster.open(scope, options())) {
            var sums = sums(scope, cluster, store);
            assertThat(sums.sendMessageReturn(new Add("k", 5)).get()).isEqualTo(5);
            run(CLAIM);
            assertThat(sums.sendMessageReturn(new Add("k", 7)).get()).isEqualTo(12);
            run(GIVE_BACK);
        }
    }
}
