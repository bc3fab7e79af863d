package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The store in PostgreSQL, on a server that flushes. */
class PostgresJournalTest extends ServerContract {
    private static PostgresServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = new PostgresServer(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void empty() throws Exception {
        run("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    }

    @Override
    PostgresJournal open(SqlSession.Source source, Duration limit) throws SQLException {
        return PostgresJournal.open(source, limit);
    }

    @Override
    KillTest.Server server() {
        return server;
    }

    @Override
    DataSource source() {
        return server.source();
    }

    @Override
    String committed() {
        return "COMMIT";
    }

    @Override
    void endConnections() throws SQLException {
        run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
    }

    @Override
    void flushes(boolean isDurable) throws SQLException {
        run("ALTER ROLE postgres "
                + (isDurable ? "RESET synchronous_commit" : "SET synchronous_commit = off"));
    }

    /** A transaction that has its number and stands still until others have committed many turns. */
    @Override
    void commitLate(Connection late, long revision, Runnable others) throws SQLException {
        late.setAutoCommit(false);
        try (var statement = late.createStatement()) {
            statement.execute("INSERT INTO fibry_turns(id, grp, actor, rev, at, events) SELECT"
                    + " (pg_current_xact_id()::text::bigint << 20) + 1, grp, 'late', " + revision
                    + ", 1, '' FROM fibry_turns WHERE actor = 'begin'");
        }
        others.run();
        late.commit();
    }

    @Override
    String settings() {
        return "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session' ORDER BY name";
    }

    @Override
    protected int compact(Journal journal) throws Exception {
        age();
        return compact(journal, Instant.now().minus(LIMIT.multipliedBy(12)));
    }

    @Override
    protected void age(Journal journal) throws Exception {
        run("UPDATE fibry_snapshots SET floor_at = floor_at - interval '1 day'");
    }

    /** As if all snapshots had been written a long time ago. */
    private void age() throws SQLException {
        run("UPDATE fibry_snapshots SET floor_at = floor_at - interval '1 day'; UPDATE fibry_turns SET at = 0 WHERE at > 0");
    }

    @Test
    @Promise("64.2")
    void aStaleWriterDoesNotGetInBelowASnapshotWhileItsTurnsAreDeleted() throws Exception {
        try (var journal = open(Duration.ofSeconds(20));
                var stale = open(Duration.ofSeconds(20));
                var threads = Executors.newCachedThreadPool()) {
            journal.commit(List.of(turn(ID, 1)));
            journal.commit(List.of(withSnapshot(ID, 2)));
            age();
            try (var connection = connection()) {
                connection.setAutoCommit(false);
                // Another process deletes turns and has not committed: an insert of the same revision waits.
                try (var delete = connection.createStatement()) {
                    assertThat(delete.executeUpdate("DELETE FROM fibry_turns")).isEqualTo(2);
                }
                var late = threads
                        .submit(() -> stale.commit(List.of(turn(ID, 2), turn(new Id("accounts", "1"), 1))));
                assertThat(late.get()).as("the snapshot has the revision").isEqualTo(bits(1));
                connection.commit();
            }
        }
    }

    /**
     * Why turns are not deleted at once: PostgreSQL lets a stale writer in if its statement began before the snapshot was
     * committed. Here it waits for a turn of another key before it comes to the turn that is taken meanwhile.
     */
    @Test
    void deletingAtOnceWouldLetAStaleWriterIn() throws Exception {
        try (var journal = open(Duration.ofSeconds(20));
                var threads = Executors.newCachedThreadPool();
                var connection = connection()) {
            var other = new Id("accounts", "1");
            journal.commit(List.of(turn(new Id("accounts", "0"), 1)));
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("INSERT INTO fibry_turns(id, grp, actor, rev, at, events)"
                        + " SELECT 1, grp, '1', 1, 0, '' FROM fibry_turns");
                var late = threads.submit(() -> journal.commit(List.of(turn(other, 1), turn(ID, 1))));
                awaitWaiting();
                run("INSERT INTO fibry_turns(id, grp, actor, rev, at, events)"
                        + " SELECT 1, grp, '4711', 1, 0, '' FROM fibry_turns;"
                        + "INSERT INTO fibry_snapshots SELECT grp, actor, 1, '', 1, now(), 0 FROM fibry_turns WHERE actor = '4711';"
                        + "DELETE FROM fibry_turns WHERE actor = '4711'");
                connection.commit();
                assertThat(late.get()).as("it did not see the snapshot").isEqualTo(bits(1));
            }
        }
    }

    /** Returns when a statement waits for a lock. */
    private void awaitWaiting() throws SQLException {
        try (var connection = connection();
                var statement = connection.createStatement()) {
            for (boolean waits = false; !waits; Thread.onSpinWait()) {
                try (var rows = statement.executeQuery(
                        "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) {
                    waits = rows.next() && rows.getBoolean(1);
                }
            }
        }
    }

    @Test
    @Promise("64.2")
    void aStaleWriterThatBeganBeforeTheSnapshotIsStillFencedByTheTurn() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            journal.commit(List.of(withSnapshot(ID, 2)));
            // The snapshot is young: nothing is deleted, whatever the age of the turns, so that a writer who does not see it meets
            // the turn.
            run("UPDATE fibry_turns SET at = 0");
            assertThat(compact(journal, Instant.now().minus(LIMIT.multipliedBy(12)))).isZero();
            age();
            assertThat(compact(journal, Instant.now().minus(LIMIT.multipliedBy(12)))).isEqualTo(2);
            for (long revision = 1; revision <= 2; revision++) {
                assertThat(journal.commit(List.of(turn(ID, revision)))).isEqualTo(bits());
            }
            assertThat(journal.commit(List.of(turn(ID, 3)))).isEqualTo(bits(0));
        }
    }

    @Test
    void theFloorStaysUntilACompactionHasUsedItAndThenMovesToTheNewestSnapshot() throws Exception {
        try (var journal = open()) {
            var longAgo = Instant.now().minus(LIMIT.multipliedBy(12));
            journal.commit(List.of(withSnapshot(ID, 1)));
            journal.commit(List.of(withSnapshot(ID, 2)));
            age();
            assertThat(compact(journal, longAgo)).as("the floor is 1").isEqualTo(1);
            journal.commit(List.of(withSnapshot(ID, 3)));
            run("UPDATE fibry_turns SET at = 0");
            assertThat(compact(journal, longAgo)).as("the floor is 2, and young").isZero();
            age();
            assertThat(compact(journal, longAgo)).isEqualTo(1);
            assertThat(compact(journal, longAgo)).as("the floor is 3, and young").isZero();
            age();
            assertThat(compact(journal, longAgo)).isEqualTo(1);
            assertThat(journal.load(List.of(ID)).get(ID).snapshot().orElseThrow().revision()).isEqualTo(3);
        }
    }

    @Test
    void aDatabaseThatDoesNotKeepEveryTextIsRefused() throws Exception {
        run("DROP DATABASE IF EXISTS latin",
                "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        var url = PostgresServer.url(server.port()).replace("/postgres?", "/latin?");
        assertThatThrownBy(() -> DurableStore.open(url)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("LATIN1 and not UTF8");
    }

    /** Two processes that write to the same rows do not wait for each other. */
    @ParameterizedTest
    @CsvSource({"fibry_turns, sent", "fibry_reminders, postponed", "fibry_reminders, committed",
        "fibry_snapshots, committed", "fibry_handled, committed", "fibry_handled, expired"})
    void rowsAreLockedInOneOrder(String table, String what) throws Exception {
        var first = new Id("accounts", "1");
        var last = new Id("accounts", "2");
        try (var journal = open(Duration.ofSeconds(20));
                var connection = connection();
                var statement = connection.createStatement();
                var thread = Executors.newSingleThreadExecutor()) {
            for (var id : List.of(first, last)) {
                journal.commit(List.of(withAll(id, 1, List.of(reminder(id)), Set.of())));
            }
            run("UPDATE fibry_handled SET at = at - actor::int"); // the last one first
            connection.setAutoCommit(false);
            statement.execute("SELECT 1 FROM " + table + " WHERE actor = '1' FOR UPDATE");
            var written = thread.submit(() -> {
                switch (what) {
                    case "sent" ->
                        journal.sent(List.of(new Journal.Sent(last, 1), new Journal.Sent(first, 1)));
                    case "postponed" -> journal.postpone(List.of(reminder(last), reminder(first)));
                    case "expired" -> journal.expire("accounts", NOW, 10);
                    default -> journal.commit(List.of(withAll(last, 2, List.of(), Set.of("r")),
                            withAll(first, 2, List.of(reminder(first)), Set.of())));
                }
                return true;
            });
            Waits.until("it waits", () -> isAnyWaiting());
            try (var rows = statement
                    .executeQuery("SELECT 1 FROM " + table
                            + " WHERE actor = '2' FOR UPDATE SKIP LOCKED")) {
                assertThat(rows.next()).as("it has no lock behind").isTrue();
            } finally {
                connection.rollback();
            }
            assertThat(Waits.on(written)).isTrue();
        }
    }

    private static Journal.Reminder reminder(Id id) {
        return new Journal.Reminder(id, "r", NOW, "", NONE);
    }

    private static Journal.Turn withAll(Id id, long revision, List<Journal.Reminder> set,
            Set<String> forgotten) {
        return new Journal.Turn(id, revision, NOW, NONE, List.of(handled(7, NONE)), new byte[]{9}, set,
                forgotten,
                Optional.of(new Journal.Snapshot(revision, NONE)), false);
    }

    private boolean isAnyWaiting() {
        try (var connection = connection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT 1 FROM pg_locks WHERE NOT granted")) {
            return rows.next();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** A snapshot every ten seconds, and a compaction each minute, for five minutes. */
    @Test
    @Promise("64.5")
    void theTurnsOfAKeyThatNeverRestsAreDeleted() throws Exception {
        try (var journal = open(Duration.ofSeconds(5))) {
            int deleted = 0;
            for (int ten = 1; ten <= 30; ten++) {
                run("UPDATE fibry_snapshots SET floor_at = floor_at - interval '10 seconds'");
                journal.commit(List.of(withSnapshot(ID, ten)));
                if (ten % 6 == 0) {
                    deleted += compact(journal, Instant.now().plusSeconds(1));
                }
            }
            assertThat(deleted).as("of 30").isGreaterThan(10);
        }
    }

    /** So a key that rests costs nothing: each id that a queue was ever given is one. */
    @Test
    @Promise({"64.2", "64.5"})
    void aCompactionReadsAKeyOnceMoreWhenItHasANewSnapshot() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(withSnapshot(ID, 1)));
            journal.commit(List.of(withSnapshot(ID, 2)));
            assertThat(compact(journal)).as("the floor is 1").isOne();
            assertThat(compact(journal)).as("the floor is 2").isOne();
            assertThat(compact(journal)).isZero();
            assertThat(unmarked()).isZero();
            assertThat(journal.commit(List.of(turn(ID, 2)))).as("a stale writer").isEqualTo(bits());
            assertThat(journal.commit(List.of(turn(ID, 1)))).as("an older one").isEqualTo(bits());
            journal.commit(List.of(turn(ID, 3)));
            assertThat(compact(journal)).isZero();
            assertThat(unmarked()).isZero();
            journal.commit(List.of(withSnapshot(ID, 4)));
            assertThat(unmarked()).isOne();
            assertThat(compact(journal)).as("the floor is 2").isZero();
            journal.commit(List.of(new Turn(ID, 5, NOW, NONE, List.of(), new byte[]{9}, List.of(), Set.of(),
                    Optional.of(new Snapshot(5, NONE)), false)));
            assertThat(compact(journal)).as("the floor is 4").isEqualTo(2);
            assertThat(compact(journal)).as("of the last one the outbox is left").isZero();
            assertThat(unmarked()).isOne();
            journal.sent(List.of(new Sent(ID, 5)));
            assertThat(compact(journal)).isOne();
            assertThat(unmarked()).isZero();
        }
    }

    /** Returns how many snapshots a compaction reads. */
    private long unmarked() throws SQLException {
        try (var connection = connection();
                var statement = connection.createStatement();
                var rows = statement
                        .executeQuery("SELECT count(*) FROM fibry_snapshots WHERE compacted = 0")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    @Promise("64.5")
    void soAreThoseOfAKeyThatRestsAfterItWasBusy() throws Exception {
        try (var journal = open(Duration.ofSeconds(5))) {
            for (int ten = 1; ten <= 10; ten++) {
                run("UPDATE fibry_snapshots SET floor_at = floor_at - interval '10 seconds'");
                journal.commit(List.of(withSnapshot(ID, ten)));
            }
            int deleted = 0;
            for (int minute = 1; minute <= 3; minute++) {
                run("UPDATE fibry_snapshots SET floor_at = floor_at - interval '1 minute'");
                deleted += compact(journal, Instant.now().plusSeconds(1));
            }
            assertThat(deleted).isEqualTo(10);
        }
    }

    /** Thousands of accounts can get their first message at the same time. */
    @Test
    void keysAreFoundByAnIndexHoweverManyThereAre() throws Exception {
        var writer = new AtomicReference<Connection>();
        try (var journal = PostgresJournal.open(() -> {
            writer.set(connection());
            return writer.get();
        }, LIMIT)) {
            assertThat(plans(writer.get())).as("empty tables").allSatisfy(PostgresJournalTest::readsByKey);
            journal.commit(List.of(withSnapshot(ID, 1)));
            run("ANALYZE");
            assertThat(plans(writer.get())).as("tables of a page")
                    .allSatisfy(PostgresJournalTest::readsByKey);
            run("""
                    INSERT INTO fibry_turns(id, grp, actor, rev, at, events) SELECT n, 1, n::text, 1, 0, 'abcd' FROM generate_series(5000, 25000) n;
                    INSERT INTO fibry_handled SELECT 1, n::text, gen_random_uuid(), 1, '', null, null, null FROM generate_series(5000, 25000) n;
                    INSERT INTO fibry_snapshots SELECT 1, n::text, 1, 'abcd', 1, now(), 0 FROM generate_series(5000, 25000) n""");
            assertThat(plans(writer.get())).as("old statistics").allSatisfy(PostgresJournalTest::readsByKey);
            run("ANALYZE");
            assertThat(plans(writer.get())).as("statistics").allSatisfy(PostgresJournalTest::readsByKey);
        }
    }

    /** A step of a compaction reads as many rows as it may, whatever the statistics are, and however many keys and turns there are. */
    @Test
    @Promise("64.5")
    void aStepOfACompactionReadsNoMoreRowsThanItMay() throws Exception {
        var writer = new AtomicReference<Connection>();
        try (var journal = PostgresJournal.open(() -> {
            writer.set(connection());
            return writer.get();
        }, LIMIT)) {
            journal.commit(List.of(withSnapshot(ID, 1)));
            run("""
                    INSERT INTO fibry_turns(id, grp, actor, rev, at, events)
                        SELECT n, 1, (5000 + n / 50)::text, 1 + n % 50, 0, 'abcd' FROM generate_series(0, 49999) n;
                    INSERT INTO fibry_snapshots SELECT 1, n::text, 50, 'abcd', 50, now() - interval '1 day', 0 FROM generate_series(5000, 5999) n;
                    INSERT INTO fibry_snapshots SELECT 1, n || ' rests', 1, 'abcd', 1, now() - interval '1 day', 1 FROM generate_series(5000, 9999) n""");
            for (var statistics : List.of("SELECT 1", "ANALYZE")) {
                run(statistics);
                for (var mode : List.of("force_generic_plan", "force_custom_plan")) {
                    try (var statement = writer.get().createStatement()) {
                        statement.execute("SET LOCAL plan_cache_mode = " + mode);
                        statement.execute("PREPARE step AS " + numbered(PostgresJournal.STEP));
                        readsFewRows(statement,
                                "step(1, 1, '5005', '5005', 10, 100, 1, 1, '5005', 10, 100, 100)");
                        statement.execute("DEALLOCATE ALL");
                    } finally {
                        writer.get().rollback();
                    }
                }
            }
            assertThat(compact(journal, NOW)).isEqualTo(50_000);
        }
    }

    /** Each part of the plan of a statement that is prepared reads few rows. */
    private static void readsFewRows(Statement statement, String prepared) throws SQLException {
        try (var rows = statement.executeQuery(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) EXECUTE " + prepared)) {
            assertThat(rows.next()).isTrue();
            var plan = rows.getString(1);
            var read = Pattern.compile("\"Actual Rows\": ([0-9.]+),\\s+\"Actual Loops\": (\\d+)")
                    .matcher(plan)
                    .results()
                    .mapToDouble(
                            found -> Double.parseDouble(found.group(1)) * Integer.parseInt(found.group(2)))
                    .boxed().toList();
            assertThat(read).as(plan).hasSizeGreaterThan(3)
                    .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(150));
        }
    }

    /** What waits under a name is not read. */
    @Test
    @Promise("94.2")
    void namesOfRemindersAreReadAlongTheirIndex() throws Exception {
        var reader = new AtomicReference<Connection>();
        try (var journal = PostgresJournal.open(() -> {
            reader.set(connection());
            return reader.get();
        }, LIMIT)) {
            journal.commit(List.of(turn(ID, 1)));
            assertThat(journal.names("accounts", "", 20)).isEmpty();
            run("""
                    INSERT INTO fibry_reminders SELECT 1, n::text, '0' || lpad((n % 40)::text, 2, '0'), 0, '', '', 0, 0, n, ''
                        FROM generate_series(0, 19999) n""");
            for (var statistics : List.of("SELECT 1", "ANALYZE")) {
                run(statistics);
                try (var statement = reader.get().createStatement()) {
                    statement.execute("PREPARE names AS " + numbered(SqlJournal.NAMES));
                    readsFewRows(statement, "names(1, '010', 20)");
                    statement.execute("DEALLOCATE ALL");
                } finally {
                    reader.get().rollback();
                }
            }
        }
    }

    /** Each scan of turns, of snapshots and of handled messages has a key as its condition. */
    private static void readsByKey(String plan) {
        var lines = plan.lines().toList();
        int scans = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches(".* Scan .*fibry_(turns|snapshots|handled).*")) {
                scans++;
                assertThat(i + 1 < lines.size() ? lines.get(i + 1) : "").as(plan).contains("Cond: ",
                        "actor = ");
            }
        }
        assertThat(scans).as(plan).isPositive();
    }

    /** Returns the plans of the statements, as PostgreSQL makes them for 1,000 keys, and for any number of keys. */
    private static List<String> plans(Connection connection) throws SQLException {
        var numbers = IntStream.rangeClosed(1, 1_000).mapToObj(Integer::toString)
                .collect(Collectors.joining(",", "'{", "}'"));
        var keys = "array_fill('accounts'::text, ARRAY[1000]), " + numbers;
        // The numbers stand for everything of which only the type matters.
        var turns = "0, '', array_fill(1, ARRAY[1000])" + (", " + numbers).repeat(8);
        var plans = new ArrayList<String>();
        for (var mode : List.of("force_generic_plan", "force_custom_plan")) {
            for (var query : List.of(PostgresJournal.LOG_WITH_BYTES, SqlJournal.REVISION_OF_KEY)) {
                plans.add(plan(connection, mode, PostgresJournal.ofKeys(query), keys));
            }
            plans.add(plan(connection, mode, PostgresTurns.INSERT, turns));
            plans.add(plan(connection, mode, PostgresTurns.INSERT_ONE, "0, 5, '', '', 1, 1, '4711', 1"));
        }
        return plans;
    }

    /** Returns a query whose parameters have numbers. */
    private static String numbered(String query) {
        var numbered = new StringBuilder();
        int parameters = 0;
        for (var part : query.split("\\?", -1)) {
            numbered.append(parameters == 0 ? "" : "$" + parameters).append(part);
            parameters++;
        }
        return numbered.toString();
    }

    private static String plan(Connection connection, String mode, String query, String values)
            throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SET LOCAL plan_cache_mode = " + mode);
            statement.execute("PREPARE query AS " + numbered(query));
            var plan = new StringBuilder(mode).append('\n');
            try (var rows = statement.executeQuery("EXPLAIN EXECUTE query(" + values + ")")) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            return plan.toString();
        } finally {
            try (var statement = connection.createStatement()) {
                statement.execute("DEALLOCATE ALL");
            }
            connection.rollback();
        }
    }

    /** What changes more than turns, or turns that may have to be taken back, needs the end of a transaction: one more round trip. */
    @Test
    @Promise("63.1")
    void turnsAloneAreCommittedByOneStatement() throws Exception {
        var commits = new AtomicInteger();
        try (var connection = connection()) {
            var counted = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[]{Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("commit")) {
                            commits.incrementAndGet();
                        }
                        return method.invoke(connection, arguments);
                    });
            var other = new Id("accounts", "other");
            try (var journal = open(firstOf(counted), LIMIT)) {
                journal.commit(List.of(turn(ID, 1)));
                int before = commits.get();
                assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
                assertThat(journal.commit(List.of(turn(ID, 3), turn(other, 1)))).isEqualTo(bits(0, 1));
                assertThat(journal.commit(List.of(turn(ID, 5), turn(other, 2)))).isEqualTo(bits(1));
                assertThat(commits).hasValue(before);
                assertThat(journal.commit(List.of(turn(ID, 4), turn(ID, 5)))).isEqualTo(bits(0, 1));
                assertThat(commits).hasValue(before + 1);
                assertThat(journal.commit(List.of(withSnapshot(ID, 6)))).isEqualTo(bits(0));
                assertThat(commits).hasValue(before + 2);
                try (var others = open()) {
                    assertThat(others.revisions(List.of(ID, other))).containsOnly(Map.entry(ID, 6L),
                            Map.entry(other, 2L));
                }
            }
        }
    }

    /** A writer that stands still in the middle of its transaction, with a lower number than those that have committed. */
    @Test
    @Promise("88.1")
    void aTurnThatIsCommittedLateIsNotPassedOver() throws Exception {
        try (var journal = open();
                var follower = journal.follow("sums", Set.of("accounts"));
                var late = connection();
                var statement = late.createStatement()) {
            var taken = new ArrayList<String>();
            journal.commit(List.of(turn(new Id("accounts", "first"), 1)));
            follow(follower, taken);
            late.setAutoCommit(false);
            statement.execute("INSERT INTO fibry_turns(id, grp, actor, rev, at, events) SELECT"
                    + " (pg_current_xact_id()::text::bigint << 20) + 1, grp, 'late', 1, 1, '' FROM fibry_turns");
            journal.commit(List.of(turn(new Id("others", "1"), 1)));
            assertThat(follow(follower, taken)).as("others are held up")
                    .isEqualTo(new Journal.Progress(Optional.empty(), false));
            journal.commit(List.of(turn(ID, 1)));
            assertThat(follow(follower, taken)).as("it is known that something is held up")
                    .isEqualTo(new Journal.Progress(Optional.of(NOW), true));
            assertThat(taken).as("nothing of a later transaction is handed over").containsExactly("first 1");
            late.commit();
            follow(follower, taken);
            assertThat(taken).containsExactly("first 1", "late 1", "4711 1");
        }
    }

    @Test
    @Promise("91.1")
    void theLagAndTheLogTellThatAProjectionIsHeldUp() throws Exception {
        var log = (Logger) LoggerFactory.getLogger(Projection.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        log.addAppender(lines);
        try (var store = DurableStore.of(source(), CommitOptions.defaults());
                var scope = ActorSystem.open("bank");
                var late = connection();
                var statement = late.createStatement()) {
            var durable = Bank.durable(store);
            var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
            var taken = new AtomicInteger();
            var running = Projection.<Bank.Event>of("list", durable).start(scope,
                    batch -> taken.addAndGet(batch.turns().size()));
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            Waits.until("it has come", () -> taken.get() == 1 && running.lag().isZero());
            late.setAutoCommit(false);
            statement.execute("SELECT pg_current_xact_id()");
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1)));
            run("UPDATE fibry_turns SET at = at - 120000 WHERE rev = 2");
            Waits.until("it is told", () -> !lines.list.isEmpty());
            assertThat(running.lag()).isGreaterThan(Duration.ofMinutes(2));
            late.rollback();
            Waits.until("it has come", () -> taken.get() == 2 && running.lag().isZero());
            assertThat(lines.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString()
                    .contains("the projection list is held up for PT2M");
        } finally {
            log.detachAppender(lines);
        }
    }

    /** A database that was copied to another server, where transactions have lower numbers. */
    @Test
    @Promise("88.1")
    void turnsGetHigherNumbersAlsoInACopyOfTheDatabase() throws Exception {
        var taken = new ArrayList<String>();
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            journal.commit(List.of(turn(ID, 1)));
            follow(follower, taken);
            run("UPDATE fibry_turns SET id = id + (1000000::bigint << 20); UPDATE fibry_places SET place = (SELECT max(id) FROM fibry_turns)");
        }
        for (long revision = 2; revision <= 4; revision++) {
            try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
                journal.commit(List.of(turn(ID, revision)));
                follow(follower, taken);
            }
        }
        assertThat(taken).containsExactly("4711 1", "4711 2", "4711 3", "4711 4");
    }

}
