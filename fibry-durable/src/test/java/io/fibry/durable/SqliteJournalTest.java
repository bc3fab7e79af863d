package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store in a file. */
class SqliteJournalTest extends StoreContract {
    @TempDir
    private Path folder;

    @Override
    protected SqliteJournal open() throws Exception {
        return SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(5));
    }

    @Test
    @Promise("63.1")
    void theFileIsFlushedForEachCommitAndHasAVersion() throws Exception {
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(5))) {
            assertThat(Flushing.setting(Flushing.required(journal), "PRAGMA user_version")).isEqualTo("5");
        }
    }

    @Test
    void aFileIsReadAgainAndOneOfANewerVersionIsRefused() throws Exception {
        var file = folder.resolve("bank.db");
        try (var journal = SqliteJournal.open(file, Duration.ofSeconds(5))) {
            journal.commit(List.of(withSnapshot(ID, 1), turn(new Id("b", "1"), 1)));
        }
        try (var journal = SqliteJournal.open(file, Duration.ofSeconds(5))) {
            assertThat(journal.load(List.of(ID))).containsOnlyKeys(ID);
            assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
        }
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA user_version=99");
        }
        assertThatThrownBy(() -> DurableStore.open("file:" + file)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another version of Fibry").hasMessageContaining("99");
    }

    /** Another process may have it by then. */
    @Test
    @Promise("63.7")
    void aClosedJournalDoesNotOpenItsFileAgain() throws Exception {
        var journal = open();
        var follower = journal.follow("sums", Set.of("accounts"));
        journal.commit(List.of(turn(ID, 1)));
        follower.close();
        journal.close();
        assertThatThrownBy(() -> journal.commit(List.of(turn(ID, 2)))).hasMessageContaining("is closed");
        assertThatThrownBy(() -> journal.load(List.of(ID))).hasMessageContaining("is closed");
        assertThatThrownBy(() -> follower.pause(true)).hasMessageContaining("is closed");
        try (var next = open()) {
            assertThat(next.revisions(List.of(ID))).containsEntry(ID, 1L);
        }
    }

    @Test
    void aSecondOpenerIsToldByWhomTheFileIsUsed() throws Exception {
        var file = folder.resolve("bank.db");
        try (var store = DurableStore.open("file:" + file)) {
            assertThatThrownBy(() -> DurableStore.open("file:" + file))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
            assertThat(store).isNotNull();
        }
        DurableStore.open("file:" + file).close();
    }

    /** SQLite ends a transaction by itself when there is no room. */
    @Test
    @Promise("65.2")
    void aFileThatHadNoRoomIsWrittenWhenThereIsRoomAgain() throws Exception {
        var large = new Turn(ID, 2, NOW, new byte[1 << 20], List.of(), NONE, List.of(), Set.of(),
                Optional.empty(), false);
        try (var journal = open()) {
            journal.commit(List.of(withSnapshot(ID, 1)));
            for (int i = 0; i < 3; i++) {
                Flushing.setting(journal,
                        "PRAGMA max_page_count=" + Flushing.setting(journal, "PRAGMA page_count"));
                assertThatThrownBy(() -> journal.commit(List.of(turn(new Id("accounts", "1"), 1), large)))
                        .isInstanceOf(SQLException.class).hasMessageContaining("full");
                assertThat(journal.load(List.of(ID)).get(ID).turns()).isEmpty();
            }
            assertThat(journal.commit(List.of(turn(new Id("accounts", "1"), 1), large)))
                    .isEqualTo(bits(0, 1));
            journal.sent(List.of(new Sent(ID, 2)));
            assertThat(compact(journal)).isEqualTo(1);
            assertThat(journal.load(List.of(ID)).get(ID).turns()).hasSize(1);
        }
    }

    /** A step of a compaction reads what the limit of its query says, and nothing before. */
    @Test
    @Promise("64.5")
    void aStepOfACompactionGoesAlongTheIndexesAndSortsNothing() throws Exception {
        try (var journal = open();
                var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                var statement = connection.createStatement()) {
            journal.commit(List.of(withSnapshot(ID, 1)));
            var plan = new ArrayList<String>();
            try (var rows = statement.executeQuery("EXPLAIN QUERY PLAN " + SqliteJournal.STEP)) {
                while (rows.next()) {
                    plan.add(rows.getString("detail"));
                }
            }
            assertThat(plan).noneMatch(step -> step.contains("TEMP B-TREE"));
            assertThat(plan.get(0)).contains("s USING INDEX fibry_snapshots_new (grp=? AND actor>?)");
            assertThat(plan.get(1))
                    .contains("t USING INDEX fibry_turns_rev (grp=? AND actor=? AND rev>? AND rev<?)");
        }
    }

    /** What waits under a name is not read. */
    @Test
    @Promise("94.2")
    void namesOfRemindersAreReadAlongTheirIndex() throws Exception {
        try (var journal = open();
                var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                var statement = connection.createStatement()) {
            journal.commit(List.of(withSnapshot(ID, 1)));
            var plan = new ArrayList<String>();
            try (var rows = statement.executeQuery("EXPLAIN QUERY PLAN " + SqlJournal.NAMES)) {
                while (rows.next()) {
                    plan.add(rows.getString("detail"));
                }
            }
            assertThat(plan).contains(
                    "SEARCH fibry_reminders USING COVERING INDEX fibry_reminders_name (grp=? AND name>?)",
                    "SEARCH r USING COVERING INDEX fibry_reminders_name (grp=? AND name>?)",
                    "SEARCH r USING COVERING INDEX fibry_reminders_name (grp=? AND name=?)");
        }
    }

    /** A projection writes on a connection of its own. */
    @Test
    @Promise("64.5")
    void aCompactionAndAProjectionWriteBesideEachOther() throws Exception {
        var others = Set.of("others");
        try (var journal = open();
                var follower = journal.follow("sums", others);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            int deleted = 0;
            var isOver = new AtomicBoolean();
            var pauses = threads.submit(() -> {
                int count = 0;
                for (boolean isPaused = true; !isOver.get() || count < 10; isPaused = !isPaused) {
                    follower.pause(isPaused);
                    count++;
                }
                return count;
            });
            try {
                for (int i = 1; i <= 300; i++) {
                    journal.commit(List.of(withSnapshot(ID, i)));
                    deleted += compact(journal);
                }
            } finally {
                isOver.set(true);
            }
            assertThat(pauses.get()).isPositive();
            assertThat(deleted + compact(journal)).isBetween(299, 300);
        }
    }

    /** SQLite would let those that wait try again by chance: a projection that writes all the time could keep all others out. */
    @Test
    @Promise("64.5")
    void whoWaitsToWriteIsTheNext() throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var groups = Set.of(ID.group());
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(60));
                var sums = journal.follow("sums", groups);
                var lists = journal.follow("lists", groups);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            journal.commit(List.of(turn(ID, 1), turn(ID, 2)));
            var first = threads.submit(() -> {
                for (var each : List.of("first", "again")) {
                    var unused = sums.step(1, true, (connection, from, turns) -> {
                        begun.countDown();
                        mayEnd.await();
                        order.add(each);
                    });
                }
                return true;
            });
            Waits.on(begun);
            var other = threads.submit(
                    () -> lists.step(1, true, (connection, from, turns) -> order.add("other")));
            Waits.until("the other one waits", () -> journal.writeLock.getQueueLength() == 1);
            mayEnd.countDown();
            assertThat(first.get()).isTrue();
            assertThat(other.get()).isNotNull();
        }
        assertThat(order).containsExactly("first", "other", "again");
    }

    /** It writes between what a transaction of the journal reads and what it writes, if that transaction lets it. */
    @Test
    @Promise("64.5")
    void aCommitWaitsForAConnectionOfTheProgram() throws Exception {
        var file = folder.resolve("bank.db");
        var turns = new Semaphore(0);
        try (var journal = SqliteJournal.open(file, Duration.ofSeconds(60));
                var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            statement.execute("PRAGMA busy_timeout=60000");
            statement.execute("CREATE TABLE reports(number INTEGER)");
            int count = 300;
            var reports = threads.submit(() -> {
                for (int i = 0; i < count; i++) {
                    turns.acquire();
                    statement.execute("INSERT INTO reports VALUES(" + i + ")");
                }
                return true;
            });
            try {
                for (int i = 1; i <= count; i++) {
                    turns.release();
                    assertThat(journal.commit(List.of(turn(ID, i)))).isEqualTo(bits(0));
                }
            } finally {
                turns.release(count);
            }
            assertThat(reports.get()).isTrue();
        }
    }

    /** A projection whose work takes too long fails no commit later than any other statement that waits. */
    @Test
    void aCommitSaysThatAnotherTransactionHasTheFile() throws Exception {
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofMillis(100));
                var sums = journal.follow("sums", Set.of("others"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var projection = threads.submit(() -> sums.step(1, true, (connection, from, turns) -> {
                begun.countDown();
                mayEnd.await();
            }));
            Waits.on(begun);
            assertThatThrownBy(() -> journal.commit(List.of(turn(ID, 1)))).isInstanceOf(SQLException.class)
                    .hasMessageContaining("such as that of a projection").hasMessageContaining("PT0.1S");
            mayEnd.countDown();
            assertThat(projection.get()).isNotNull();
            assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
        }
    }

    /** A backup reads for a while. What was erased is in the log until a compaction finds that nothing reads it. */
    @Test
    @Promise("89.3")
    void aKeyIsErasedBesideALongReaderAndTheLogIsEmptiedLater() throws Exception {
        var log = folder.resolve("bank.db-wal");
        var killed = Files.createDirectory(folder.resolve("killed"));
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(1))) {
            journal.commit(List.of(turn(ID, 1)));
            try (var backup = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                    var statement = backup.createStatement()) {
                backup.setAutoCommit(false);
                statement.executeQuery("SELECT * FROM fibry_turns").close();
                var deleted = new Turn(ID, 2, NOW, Frames.ERASED, List.of(), NONE, List.of(), Set.of(),
                        Optional.of(new Snapshot(2, NONE)), true);
                assertThat(erase(journal, deleted)).isTrue();
                assertThat(journal.history(ID, 0, 10)).extracting(Turn::revision).containsExactly(2L);
                assertThat(Files.size(log)).isPositive();
                for (var name : List.of("bank.db", "bank.db-wal")) {
                    Files.copy(folder.resolve(name), killed.resolve(name));
                }
            }
            journal.compact(ID.group(), NOW, Position.FIRST, 10);
            assertThat(Files.size(log)).isZero();
        }
        try (var next = SqliteJournal.open(killed.resolve("bank.db"), Duration.ofSeconds(5))) {
            next.compact(ID.group(), NOW, Position.FIRST, 10);
            assertThat(Files.size(killed.resolve("bank.db-wal"))).as("also by the next process").isZero();
        }
    }

    @Test
    void aStoreThatCannotBeIsRefusedWithTheReason() {
        assertThatThrownBy(() -> DurableStore.open("jdbc:h2:bank"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("H2 is no store").hasMessageContaining("loses committed transactions");
        assertThatThrownBy(() -> DurableStore.open("jdbc:other://localhost/bank"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:other://localhost/bank")
                .hasMessageContaining("file:bank.db").hasMessageContaining("jdbc:postgresql:");
        assertThatThrownBy(
                () -> DurableStore
                        .open("jdbc:postgresql://127.0.0.1:1/bank?user=u&password=secret&connectTimeout=1"))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("127.0.0.1:1/bank")
                .message().doesNotContain("secret");
        assertThatThrownBy(() -> DurableStore.open("file:")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DurableStore.open("file:" + folder.resolve("none/bank.db")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:postgresql://db:none/bank?user=u&password=secret",
        "jdbc:mariadb://db:none/bank?user=u&Password=secret", "jdbc:postgresql://u:secret@db/bank",
        "jdbc:mariadb://u:secret@db/bank", "postgresql://u:secret@db/bank",
        "jdbc:other://db/bank?password=secret"})
    void noFailureTellsAPassword(String url) {
        var text = new StringWriter();
        assertThatThrownBy(() -> DurableStore.open(url)).isInstanceOf(RuntimeException.class)
                .satisfies(failed -> failed.printStackTrace(new PrintWriter(text)));
        assertThat(text.toString()).contains("db").doesNotContain("secret");
    }

    @Test
    @Promise("63.1")
    void aGroupThatFailsHalfwayLeavesNothingBehind() throws Exception {
        var file = folder.resolve("bank.db");
        try (var journal = SqliteJournal.open(file, Duration.ofSeconds(5))) {
            try (var other = DriverManager.getConnection("jdbc:sqlite:" + file);
                    var statement = other.createStatement()) {
                statement.execute(
                        "CREATE TRIGGER refuse BEFORE INSERT ON fibry_reminders WHEN NEW.name = 'bad' "
                                + "BEGIN SELECT RAISE(ABORT, 'no room'); END");
            }
            var bad = new Turn(ID, 1, NOW, new byte[]{1}, List.of(), NONE,
                    List.of(new Reminder(ID, "bad", NOW, "", NONE)), Set.of(), Optional.empty(),
                    false);
            var other = new Id("accounts", "other");
            assertThat(journal.commit(List.of(turn(other, 1)))).isEqualTo(bits(0));
            assertThatThrownBy(() -> journal.commit(List.of(bad))).hasMessageContaining("no room");
            assertThat(journal.commit(List.of(turn(other, 2)))).isEqualTo(bits(0));
            assertThat(journal.load(List.of(ID, other)).keySet()).containsExactly(other);
        }
    }
}
