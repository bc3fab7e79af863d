package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.durable.Journal.Id;
import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mariadb.jdbc.MariaDbDataSource;
import org.slf4j.LoggerFactory;

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
    int port() {
        return server.port();
    }

    @Override
    String url(int port) {
        return MariaServer.url(port);
    }

    @Override
    DataSource source() {
        try {
            return new MariaDbDataSource(url(port()));
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
    String settings() {
        return """
                SELECT concat(variable_name, '=', variable_value) FROM information_schema.session_variables
                WHERE variable_name IN ('sql_mode', 'max_statement_time', 'innodb_lock_wait_timeout', 'idle_transaction_timeout',
                    'join_cache_level', 'transaction_isolation') ORDER BY variable_name""";
    }

    @Test
    @Promise("63.1")
    void theServerFlushes() throws Exception {
        try (var journal = open()) {
            assertThat(Flushing.required(journal)).isNotNull();
        }
    }

    @Test
    void aServerThatDoesNotFlushIsUsedWithAWarning() throws Exception {
        var log = (Logger) LoggerFactory.getLogger(MariaJournal.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        log.addAppender(lines);
        try {
            open().close();
            assertThat(lines.list).isEmpty();
            run("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
            open().close();
            assertThat(lines.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString()
                    .contains("innodb_flush_log_at_trx_commit=2").endsWith("_commit=1");
        } finally {
            log.detachAppender(lines);
            run("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        }
    }

    /** The server rolls it back in time for the others. */
    @Test
    @Promise("64.2")
    void aWriterThatStandsStillInItsTransactionIsFencedAndTheOthersGoOn() throws Exception {
        try (var still = (MariaJournal) open(); var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            assertThatThrownBy(() -> still.writer.run(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute(
                            "INSERT INTO fibry_turns(grp, actor, rev, at, events) VALUES(1, '4711', 2, 0, 'x')");
                }
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

    /** Two processes write, and a projection reads as fast as it can. */
    @Test
    @Promise("88.1")
    void nothingIsPassedOverWhileWritersCommitBesideEachOther() throws Exception {
        int groups = 60;
        int size = 50;
        var ended = new AtomicInteger();
        var taken = new ArrayList<Journal.Numbered>();
        try (var first = open();
                var second = open();
                var follower = first.follow("sums", Set.of("accounts"));
                var threads = Executors.newCachedThreadPool()) {
            var writers = new ArrayList<Future<?>>();
            for (var journal : List.of(first, second)) {
                var name = journal == first ? "a" : "b";
                writers.add(threads.submit(() -> {
                    try {
                        for (int group = 1; group <= groups; group++) {
                            long revision = group;
                            assertThat(journal.commit(IntStream.range(0, size)
                                    .mapToObj(key -> turn(new Id("accounts", name + key), revision)).toList())
                                    .cardinality()).isEqualTo(size);
                        }
                        return true;
                    } finally {
                        ended.incrementAndGet();
                    }
                }));
            }
            boolean isLast;
            Journal.Progress progress;
            do {
                isLast = ended.get() == 2;
                progress = follower.step(500, false, (connection, from, turns) -> taken.addAll(turns));
            } while (!isLast || progress.mayHaveMore());
            for (var writer : writers) {
                writer.get();
            }
        }
        assertThat(taken).hasSize(2 * groups * size).extracting(Journal.Numbered::number).isSorted()
                .doesNotHaveDuplicates();
        var revisions = new HashMap<Id, Long>();
        taken.forEach(each -> assertThat(each.turn().revision())
                .isEqualTo(revisions.merge(each.turn().id(), 1L, Long::sum)));
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
