package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
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

    /** It reaches them, and they have another port of it, as behind a wall that lets nothing in. */
    @Promise("83.3")
    @Test
    void aNodeThatOthersDoNotReachLeaves() throws Exception {
        var one = EngineMember.start(1, shortLease()).getFirst();
        var late = new EngineMember("late", shortLease());
        try {
            try (var connection = connect(); var statement = connection.createStatement()) {
                statement.execute("CREATE TRIGGER wall AFTER INSERT ON fibry_cluster_nodes BEGIN"
                        + " UPDATE fibry_cluster_nodes SET address = '127.0.0.1:1', machine = 'another one' WHERE node = NEW.node; END");
            }
            assertThatThrownBy(() -> late.engine.start(late.info, late))
                    .hasMessageContaining("127.0.0.1:" + one.engine.port())
                    .hasMessageContaining("not this node at").hasMessageContaining("FIBRY_HOST");
            assertThat(one.awaitView(1)).containsExactly(late.id());
        } finally {
            one.engine.close();
            late.engine.close();
        }
    }
}
