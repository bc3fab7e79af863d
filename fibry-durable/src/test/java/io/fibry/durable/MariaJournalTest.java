package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mariadb.jdbc.MariaDbDataSource;

/** The store in MariaDB, on a server that flushes. */
class MariaJournalTest extends ServerContract {
    private static MariaServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = MariaServer.start(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void empty() throws Exception {
        run("DROP DATABASE bank", "CREATE DATABASE bank");
    }

    @Override
    MariaJournal open(SqlSession.Source source, Duration limit) throws SQLException {
        return MariaJournal.open(source, limit);
    }

    @Override
    KillTest.Server server() {
        return server;
    }

    @Override
    DataSource source() {
        try {
            return new MariaDbDataSource(url());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    String committed() {
        return "";
    }

    @Override
    void endConnections() throws SQLException {
        var others = new ArrayList<String>();
        try (var connection = connection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT id FROM information_schema.processlist WHERE id <> connection_id()")) {
            while (rows.next()) {
                others.add("KILL " + rows.getLong(1));
            }
        }
        run(others.toArray(String[]::new));
    }

    @Override
    void flushes(boolean isDurable) throws SQLException {
        run("SET GLOBAL innodb_flush_log_at_trx_commit = " + (isDurable ? 1 : 2));
    }

    @Override
    String settings() {
        return """
                SELECT concat(variable_name, '=', variable_value) FROM information_schema.session_variables
                WHERE variable_name IN ('sql_mode', 'max_statement_time', 'innodb_lock_wait_timeout', 'idle_transaction_timeout',
                    'join_cache_level', 'transaction_isolation') ORDER BY variable_name""";
    }

    /** The server rolls it back in time for the others. */
    @Test
    @Promise("64.2")
    void aWriterThatStandsStillInItsTransactionIsFencedAndTheOthersGoOn() throws Exception {
        try (var still = (MariaJournal) open(); var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            assertThatThrownBy(() -> still.writer.run(sql -> {
                sql.update(
                        "INSERT INTO fibry_turns(grp, actor, rev, at, events) VALUES(1, '4711', 2, 0, 'x')");
                try {
                    return assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            })).isInstanceOf(SQLException.class);
            assertThat(still.commit(List.of(turn(ID, 2)))).isEqualTo(bits());
            assertThat(still.commit(List.of(turn(ID, 3)))).isEqualTo(bits(0));
        }
    }

    /** The number of rows says whether the server goes from name to name. */
    @Test
    @Promise("94.2")
    void namesOfRemindersAreReadWithoutAllThatWaitsUnderThem() throws Exception {
        try (var journal = (MariaJournal) open()) {
            journal.commit(List.of(turn(ID, 1)));
            run("""
                    INSERT INTO fibry_reminders SELECT 1, concat('k', seq), concat('0', lpad(seq % 40, 2, '0')), 0, '', '', 0, 0, seq, ''
                    FROM seq_0_to_19999""");
            run("ANALYZE TABLE fibry_reminders"); // the server does so by itself, when many rows have changed
            long read = journal.reader.run(sql -> {
                long before = rowsRead(sql);
                assertThat(sql.all(MariaJournal.NAMES_ALONG_INDEX, rows -> rows.getString(1), 1, "010", 20))
                        .hasSize(20).startsWith("011");
                return rowsRead(sql) - before;
            });
            assertThat(read).isBetween(20L, 150L);
        }
    }

    /** However many are parked, and in whatever way. */
    @Test
    @Promise("91.1")
    void aPageOfWhatIsParkedReadsNoMore() throws Exception {
        try (var journal = (MariaJournal) open()) {
            journal.commit(List.of(turn(ID, 1)));
            run("""
                    INSERT INTO fibry_reminders SELECT 1, concat('k', lpad(seq, 5, '0')), concat(x'1f', '1/0'), 0, '', '', 0, 0, 9223372036854775807, ''
                    FROM seq_0_to_19999""");
            run("ANALYZE TABLE fibry_reminders");
            long before = journal.reader.run(MariaJournalTest::rowsRead);
            assertThat(journal.parked("accounts", "k10000", "z", 20)).hasSize(20);
            assertThat(journal.keysOfParked("accounts", "k10000", 20)).hasSize(20).startsWith("k10001");
            assertThat(journal.reader.run(MariaJournalTest::rowsRead) - before).isLessThan(300);
        }
    }

    private static long rowsRead(Sql sql) throws SQLException {
        return sql.all("SHOW SESSION STATUS LIKE 'Handler_read%'",
                rows -> rows.getString(1).matches("Handler_read_(key|next|prev|first|last|rnd)")
                        ? rows.getLong(2) : 0)
                .stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void otherDatabasesAreRefusedWithTheReason() {
        assertThatThrownBy(() -> DurableStore.open("jdbc:mysql://localhost/bank"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("MySQL is no store")
                .hasMessageContaining("use MariaDB");
        assertThatThrownBy(() -> DurableStore.open("jdbc:mariadb://127.0.0.1:1/bank?user=u&password=secret"))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("127.0.0.1:1/bank")
                .message().doesNotContain("secret");
    }
}
