package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Much happens to a node while it waits for its database. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SlowDatabaseTest {
    private static final String CHANGES = "changes";

    @TempDir
    private Path folder;
    private final CountDownLatch waits = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private Runnable whenConnected = () -> {
    };
    private EngineMember node;

    private Connection connect() throws SQLException {
        if (Thread.currentThread().getName().equals(CHANGES)) {
            waits.countDown();
            try {
                goesOn.await();
            } catch (InterruptedException stopped) {
                throw new SQLException(stopped);
            }
        }
        whenConnected.run();
        var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cluster.db"));
        connections.add(connection);
        return connection;
    }

    private DatabaseSettings settings() {
        return DatabaseSettings.of(new ClusterDatabase("a file", true, this::connect))
                .lease(Duration.ofSeconds(15));
    }

    private void start() throws Exception {
        node = EngineMember.start(1, settings()).getFirst();
    }

    @AfterEach
    void close() {
        goesOn.countDown();
        node.engine.close();
    }

    private FutureTask<Outcome> change(String key) {
        return new FutureTask<>(() -> node.compareAndSet("t", key, null, new byte[1]));
    }

    /** The first change is in the hands of the database; the other one waits for it. */
    @Promise("92.8")
    @Test
    void aClosedNodeChangesNothingMore() throws Exception {
        start();
        Thread.ofPlatform().name(CHANGES).start(change("first"));
        waits.await();
        var change = change("late");
        var late = Thread.ofPlatform().start(change);
        while (late.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        var closes = Thread.ofPlatform().start(node.engine::close);
        while (node.engine.view().majority()) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        assertThatThrownBy(change::get).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(NotServedException.class);
        closes.join();
        assertThat(number("SELECT count(*) FROM fibry_cluster_entries WHERE key = 'late'")).isZero();
    }

    @Promise("92.6")
    @Test
    void aChangeThatHasBegunBeforeTheDatabaseLostSomeIsRefused() throws Exception {
        start();
        update("UPDATE fibry_cluster_states SET version = 1",
                "INSERT INTO fibry_cluster_entries VALUES ('fibry', 't', 'k', x'31', 1)");
        node.awaitEntry("t/k=1");
        var change = change("late");
        Thread.ofPlatform().name(CHANGES).start(change);
        waits.await();
        update("UPDATE fibry_cluster_states SET version = 0", "DELETE FROM fibry_cluster_entries");
        node.awaitSilence();
        node.awaitService();
        goesOn.countDown();
        assertThat(change.get()).isEqualTo(Outcome.REFUSED);
    }

    /** The first session may wait for tables as long as a lease; the one of the beats must find within a part of it that nobody answers. */
    @Test
    void beatsHaveASessionThatWaitsForLess() throws Exception {
        start();
        while (connections.size() < 2) {
            Thread.onSpinWait();
        }
        assertThat(connections.getFirst().isClosed()).isTrue();
    }

    @Promise("92.8")
    @Test
    void aNodeThatIsClosedWhileItStartsDoesNotJoin() throws Exception {
        start();
        node.engine.close();
        update("DELETE FROM fibry_cluster_nodes");
        var late = new EngineMember("late", settings());
        whenConnected = late.engine::close;
        assertThatThrownBy(() -> late.engine.start(late.info, late)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed while it joined");
        whenConnected = () -> {
        };
        for (var each : connections) {
            assertThat(each.isClosed()).isTrue();
        }
        assertThat(number("SELECT count(*) FROM fibry_cluster_nodes")).isZero();
    }

    private long number(String query) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            return rows.getLong(1);
        }
    }

    private void update(String... changes) throws SQLException {
        try (var connection = connect(); var statement = connection.createStatement()) {
            for (var each : changes) {
                statement.executeUpdate(each);
            }
        }
    }
}
