package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Repetition;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a store in a database server does. */
abstract class ServerContract extends StoreContract {
    static final Duration LIMIT = Duration.ofSeconds(5);

    /** Opens a journal. */
    abstract Journal open(SqlSession.Source source, Duration limit) throws SQLException;

    abstract KillTest.Server server();

    abstract DataSource source();

    /** Returns what an answer to a commit has, and no other answer; empty if there is nothing. */
    abstract String committed();

    /** Ends all connections. */
    abstract void endConnections() throws SQLException;

    /** Sets whether the server flushes what is committed. */
    abstract void flushes(boolean isDurable) throws SQLException;

    /** Adds a turn of the key "late" in a transaction that commits after others, if the server lets them commit meanwhile. */
    void commitLate(Connection late, long revision, Runnable others) throws SQLException {
        others.run();
    }

    /** Returns a query for what a connection has set for itself. */
    abstract String settings();

    final String url() {
        return server().address(server().port());
    }

    final Connection connection() throws SQLException {
        return DriverManager.getConnection(url());
    }

    final void run(String... statements) throws SQLException {
        try (var connection = connection(); var statement = connection.createStatement()) {
            for (var each : statements) {
                statement.execute(each);
            }
        }
    }

    @Override
    protected final Journal open() throws SQLException {
        return open(LIMIT);
    }

    final Journal open(Duration limit) throws SQLException {
        return open(this::connection, limit);
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
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        Logger log;
        try (var journal = open()) {
            log = (Logger) LoggerFactory.getLogger(journal.getClass());
        }
        log.addAppender(lines);
        try {
            open().close();
            assertThat(lines.list).isEmpty();
            flushes(false);
            open().close();
            assertThat(lines.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString()
                    .matches(
                            ".* runs with (synchronous_commit=off|innodb_flush_log_at_trx_commit=2): .*_commit=(on|1)");
        } finally {
            log.detachAppender(lines);
            flushes(true);
        }
    }

    @Test
    @Promise("63.1")
    void aGroupThatFailsHalfwayLeavesNothingBehind() throws Exception {
        try (var journal = open()) {
            run("ALTER TABLE fibry_reminders ADD CHECK(name <> 'bad')");
            var bad = new Turn(ID, 1, NOW, new byte[]{1}, List.of(), NONE,
                    List.of(new Reminder(ID, "bad", NOW, "", NONE)), Set.of(), Optional.empty(),
                    false);
            var other = new Id("accounts", "other");
            var alone = new Id("accounts", "alone");
            journal.commit(List.of(turn(alone, 1)));
            assertThatThrownBy(() -> journal.commit(List.of(turn(other, 1), bad)))
                    .isInstanceOf(SQLException.class).hasMessageContaining("fibry_reminders");
            assertThat(journal.load(List.of(ID, other, alone)).keySet()).containsExactly(alone);
            assertThat(journal.commit(List.of(turn(other, 1)))).isEqualTo(bits(0));
        }
    }

    @Test
    void onlyTurnsAfterTheSnapshotAreLoaded() throws Exception {
        var other = new Id("accounts", "1");
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1), turn(other, 1)));
            journal.commit(List.of(withSnapshot(ID, 2)));
            assertThat(journal.load(List.of(ID)).get(ID).turns()).isEmpty();
            journal.commit(List.of(turn(ID, 3)));
            var loaded = journal.load(List.of(other, ID));
            assertThat(loaded.get(ID).snapshot().orElseThrow().revision()).isEqualTo(2);
            assertThat(loaded.get(ID).turns()).extracting(Turn::revision).containsExactly(3L);
            assertThat(loaded.get(other).snapshot()).isEmpty();
            assertThat(loaded.get(other).turns()).extracting(Turn::revision).containsExactly(1L);
        }
    }

    @Test
    @Promise("65.2")
    void aConnectionThatWasCutIsReplaced() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            journal.load(List.of(ID));
            endConnections();
            assertThatThrownBy(() -> journal.commit(List.of(turn(ID, 2)))).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> journal.load(List.of(ID))).isInstanceOf(SQLException.class);
            assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
            assertThat(journal.load(List.of(ID)).get(ID).turns()).hasSize(2);
        }
    }

    @Test
    void aStatementThatWaitsTooLongFails() throws Exception {
        try (var journal = open(); Connection other = connection()) {
            journal.commit(List.of(turn(ID, 1)));
            other.setAutoCommit(false);
            try (var lock = other.createStatement()) {
                lock.execute("SELECT version FROM fibry_schema FOR UPDATE");
                lock.execute("UPDATE fibry_turns SET at = at");
                assertThatThrownBy(() -> journal.sent(List.of(new Sent(ID, 1))))
                        .isInstanceOf(SQLException.class).message()
                        .containsAnyOf("timeout", "max_statement_time");
            }
            other.rollback();
            assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
        }
    }

    @Test
    void theLongestNamesHaveRoom() throws Exception {
        var longest = new Id("\u20ac".repeat(Id.MOST_NAME), "\u20ac".repeat(Id.MOST_KEY));
        var reminder =
                new Reminder(longest, "\u20ac".repeat(Id.MOST_NAME), Instant.EPOCH, "", NONE);
        try (var journal = open()) {
            assertThat(journal.commit(List.of(new Turn(longest, 1, Instant.now(), NONE,
                    List.of(new Handled(new UUID(1, 2), Instant.EPOCH, Optional.of(new Sent(longest, 1)),
                            NONE)),
                    NONE, List.of(reminder), Set.of(),
                    Optional.empty(), false)))).isEqualTo(bits(0));
            assertThat(journal.due(longest.group(), Slices.ALL, Instant.now(), 9)).hasSize(1);
        }
    }

    @Test
    void tablesOfAnotherVersionAreRefused() throws Exception {
        open().close();
        run("UPDATE fibry_schema SET version = 99");
        assertThatThrownBy(this::open).isInstanceOf(SQLException.class)
                .hasMessageContaining("version 99");
    }

    /** Two processes write, a projection reads as fast as it can, and where it is possible a third writer is late. */
    @Test
    @Promise("88.1")
    void nothingIsPassedOverWhileWritersCommitBesideEachOther() throws Exception {
        int groups = 100;
        int size = 50;
        var committed = new Semaphore(0);
        var ended = new AtomicInteger();
        var taken = new ArrayList<Journal.Numbered>();
        var expected = new ArrayList<String>();
        try (var first = open();
                var second = open();
                var follower = first.follow("sums", Set.of("accounts"));
                var late = connection();
                var threads = Executors.newCachedThreadPool()) {
            first.commit(List.of(turn(new Id("accounts", "begin"), 1)));
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
                            committed.release();
                        }
                        return true;
                    } finally {
                        ended.incrementAndGet();
                        committed.release(7);
                    }
                }));
            }
            writers.add(threads.submit(() -> {
                try {
                    for (int revision = 1; ended.get() < 2; revision++) {
                        commitLate(late, revision, () -> {
                            committed.drainPermits();
                            if (ended.get() < 2) {
                                committed.acquireUninterruptibly(7);
                            }
                        });
                    }
                    return true;
                } finally {
                    ended.incrementAndGet();
                }
            }));
            boolean isLast;
            Journal.Progress progress;
            do {
                isLast = ended.get() == 3;
                progress = follower.step(1_000, false, (connection, from, turns) -> taken.addAll(turns));
            } while (!isLast || progress.mayHaveMore());
            for (var writer : writers) {
                writer.get();
            }
        }
        try (var connection = connection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT actor, rev FROM fibry_turns")) {
            while (rows.next()) {
                expected.add(rows.getString(1) + " " + rows.getLong(2));
            }
        }
        assertThat(expected).hasSizeGreaterThan(2 * groups * size);
        assertThat(taken).extracting(each -> each.turn().id().key() + " " + each.turn().revision())
                .as("each once").containsExactlyInAnyOrderElementsOf(expected);
        assertThat(taken).extracting(Journal.Numbered::number).isSorted().doesNotHaveDuplicates();
        var revisions = new HashMap<Id, Long>();
        taken.forEach(each -> assertThat(each.turn().revision()).as("of %s", each.turn().id())
                .isEqualTo(revisions.merge(each.turn().id(), 1L, Long::sum)));
    }

    /** Nobody closes it if the thread that waits for it has given up. */
    @Test
    void aFollowerThatIsNotUsedHoldsNoConnection() throws Exception {
        var made = new ArrayList<Connection>();
        try (var journal = open(() -> {
            made.add(connection());
            return made.getLast();
        }, LIMIT)) {
            journal.commit(List.of(turn(ID, 1)));
            journal.load(List.of(ID));
            int before = made.size();
            try (var follower = journal.follow("sums", Set.of("accounts"))) {
                assertThat(made).hasSizeGreaterThan(before);
                for (var connection : made.subList(before, made.size())) {
                    assertThat(connection.isClosed()).isTrue();
                }
                var taken = new ArrayList<String>();
                follow(follower, taken);
                assertThat(taken).containsExactly("4711 1");
            }
        }
    }

    /** A statement that is prepared is kept. */
    @Test
    @Promise("89.1")
    void pagesOfManySizesAreReadByFewStatements() throws Exception {
        var statements = ConcurrentHashMap.<String>newKeySet();
        try (var journal = open(() -> {
            var connection = connection();
            return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[]{Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            statements.add((String) arguments[0]);
                        }
                        return method.invoke(connection, arguments);
                    });
        }, LIMIT)) {
            journal.commit(
                    IntStream.range(0, 9).mapToObj(i -> turn(new Id("accounts", "k" + i), 1)).toList());
            for (int most = 1; most <= 100; most++) {
                assertThat(journal.keys("accounts", "k", "", most)).hasSize(Math.min(most, 9));
            }
            assertThat(journal.keys("accounts", "k", "", Integer.MAX_VALUE)).hasSize(9);
        }
        assertThat(statements).filteredOn(each -> each.contains("UNION ALL SELECT actor"))
                .hasSizeLessThan(10);
    }

    /** A connection may come from a pool, and others use it afterwards. */
    @Test
    void aConnectionIsGivenBackWithoutTheSettingsOfTheJournal() throws Exception {
        try (var pooled = connection()) {
            var before = settings(pooled);
            var unclosed = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[]{Connection.class},
                    (proxy, method, arguments) -> "close".equals(method.getName()) ? null
                            : method.invoke(pooled, arguments));
            var journal = open(firstOf(unclosed), LIMIT);
            assertThat(settings(pooled)).isNotEqualTo(before);
            journal.close();
            assertThat(settings(pooled)).isEqualTo(before);
            var failing = open(firstOf(unclosed), LIMIT);
            run("DROP TABLE fibry_turns");
            for (var fails : List.<ThrowingCallable>of(() -> failing.commit(List.of(turn(ID, 1))),
                    () -> failing.load(List.of(ID)))) {
                assertThatThrownBy(fails).isInstanceOf(SQLException.class)
                        .hasMessageContaining("fibry_turns");
            }
            assertThat(settings(pooled)).as("given up").isEqualTo(before);
            failing.close();
        }
    }

    /** A pool may give connections that do not commit each statement. */
    @Test
    void aConnectionMayHaveBegunATransaction() throws Exception {
        try (var pooled = connection()) {
            pooled.setAutoCommit(false);
            try (var journal = open(firstOf(pooled), LIMIT)) {
                assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
                assertThat(journal.commit(List.of(withSnapshot(ID, 2)))).isEqualTo(bits(0));
                assertThat(journal.revisions(List.of(ID))).containsEntry(ID, 2L);
            }
        }
    }

    /** Returns a source that gives this connection first, and then others. */
    final SqlSession.Source firstOf(Connection first) {
        var connections = new ArrayDeque<>(List.of(first));
        return () -> connections.isEmpty() ? connection() : connections.remove();
    }

    /** Two processes with one database: what one writes the other reads, and one that is behind is fenced. */
    @Test
    @Promise({"63.1", "64.2", "66.1"})
    void twoStoresShareADatabase() throws Exception {
        try (var one = Flushing.required(DurableStore.of(source(), CommitOptions.defaults()));
                var two = Flushing.open(url());
                var scope = ActorSystem.open("one");
                var otherScope = ActorSystem.open("two")) {
            var accounts = Bank.open(scope, one);
            var others = Bank.open(otherScope, two);
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 5))).cents()).isEqualTo(5);
            assertThat(Waits.on(others.sendMessageReturn(Bank.deposit("a", 5))).cents()).isEqualTo(10);
            assertThat(Waits.failure(accounts.sendMessageReturn(Bank.deposit("a", 1))))
                    .isInstanceOf(FencedException.class);
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1))).cents()).isEqualTo(11);
            Waits.on(accounts.sendMessageReturn(new Bank.Transfer("a", "b", 4)));
            Waits.until("the money has arrived", () -> cents(accounts, "b") == 4);
            assertThat(cents(others, "b")).isEqualTo(4);
        }
    }

    @Test
    @Promise("88.2")
    void partsOfAProjectionWriteToOneTableAndMakeItAgain() throws Exception {
        run("DROP TABLE IF EXISTS bookings");
        try (var store = DurableStore.of(open(), CommitOptions.defaults());
                var scope = ActorSystem.open("bank")) {
            ProjectionTest.requirePartsOfOneTable(store, scope, this::connection);
        }
    }

    static long cents(KeyedActors<String, Bank.Command, Bank.Answer> accounts, String account) {
        try {
            return Waits.on(accounts.sendMessageReturn(new Bank.Look(account))).cents();
        } catch (FencedException e) {
            return -1;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Connections are cut after any number of bytes: before a commit, in the middle of one, and before its answer. */
    @Test
    @Promise({"63.1", "65.2", "66.2"})
    void whatIsSentAgainAfterACutIsWrittenOnce() throws Exception {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        var deposits = new ConcurrentHashMap<Integer, Integer>();
        try (var proxy = new CuttingProxy(server().port());
                var store = DurableStore
                        .of(Flushing.required(
                                open(() -> DriverManager.getConnection(server().address(proxy.port())),
                                        LIMIT)),
                                CommitOptions.defaults());
                var scope = ActorSystem.open("test");
                var clients = new Repetition()) {
            var accounts = Bank.open(scope, Bank.durable(store).pipelined().snapshotEvery(10), Bank.LONG,
                    new AtomicInteger());
            for (int i = 0; i < 8; i++) {
                int client = i;
                deposits.put(client, 0);
                // The next deposit is made when this one is acknowledged. Until then it is sent again.
                clients.start(() -> {
                    if (isDone(accounts, deposit(client, deposits.get(client)))) {
                        deposits.merge(client, 1, Integer::sum);
                    }
                });
            }
            for (int i = 0; i < 40; i++) {
                int before = proxy.cuts();
                if (i % 2 == 0 || committed().isEmpty()) {
                    proxy.cutAfter(random.nextInt(6_000));
                } else {
                    proxy.cutBefore(committed());
                }
                Waits.until("a cut", () -> proxy.cuts() > before);
            }
            clients.end();
            for (int client = 0; client < 8; client++) {
                var last = deposit(client, deposits.get(client));
                Waits.until("the last deposit is there", () -> isDone(accounts, last));
                deposits.merge(client, 1, Integer::sum);
            }
            for (int account = 0; account < 4; account++) {
                var look = Waits.on(accounts.sendMessageReturn(new Bank.Look("a" + account)));
                assertThat(look.cents()).as("a%d, seed %d", account, seed)
                        .isEqualTo((long) deposits.get(account) + deposits.get(account + 4))
                        .isEqualTo(look.revision());
            }
        }
    }

    private static Bank.Deposit deposit(int client, int number) {
        return new Bank.Deposit("a" + client % 4, 1, Optional.of(client + "/" + number));
    }

    private static boolean isDone(KeyedActors<String, Bank.Command, Bank.Answer> accounts,
            Bank.Deposit deposit) {
        try {
            return accounts.sendMessageReturn(deposit).get() != null;
        } catch (ExecutionException cut) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> settings(Connection connection) throws SQLException {
        var settings = new ArrayList<String>();
        try (var statement = connection.createStatement(); var rows = statement.executeQuery(settings())) {
            while (rows.next()) {
                settings.add(rows.getString(1));
            }
        }
        settings.add("network timeout=" + connection.getNetworkTimeout());
        settings.add("commits itself=" + connection.getAutoCommit());
        return settings;
    }
}
