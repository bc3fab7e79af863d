package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What runtime and stores agree on. */
class JournalTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_000_000);
    private static final Id ID = new Id("accounts", "4711");
    private static final byte[] NONE = {};

    @TempDir
    private Path folder;

    enum Kind {
        MEMORY, SQLITE;

        Journal open(Path folder) throws Exception {
            return this == MEMORY
                    ? new MemoryJournal()
                    : SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(5));
        }
    }

    private static Turn turn(Id id, long revision) {
        return new Turn(id, revision, NOW, new byte[]{(byte) revision}, Optional.empty(), NONE, NONE,
                List.of(),
                Set.of(), Optional.empty(), false);
    }

    private static Turn withSnapshot(Id id, long revision) {
        return new Turn(id, revision, NOW, new byte[]{(byte) revision}, Optional.of("m" + revision),
                new byte[]{7},
                NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(revision, new byte[]{1, 2}, new byte[]{3})), false);
    }

    private static BitSet bits(int... set) {
        var bits = new BitSet();
        for (int bit : set) {
            bits.set(bit);
        }
        return bits;
    }

    @ParameterizedTest
    @EnumSource
    @Promise({"64.2", "64.3"})
    void aRevisionIsTakenOnceAndTheOthersOfTheGroupAreWritten(Kind kind) throws Exception {
        try (var journal = kind.open(folder)) {
            assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
            var other = new Id("accounts", "1");
            assertThat(journal.commit(List.of(turn(ID, 1), turn(other, 1)))).isEqualTo(bits(1));
            assertThat(journal.commit(List.of(turn(ID, 2), turn(other, 1)))).isEqualTo(bits(0));
            assertThat(journal.revisions(List.of(ID, other, new Id("accounts", "2"))))
                    .containsOnly(Map.entry(ID, 2L), Map.entry(other, 1L));
            var loaded = journal.load(List.of(ID, other, new Id("accounts", "2")));
            assertThat(loaded).containsOnlyKeys(ID, other);
            assertThat(loaded.get(ID).turns()).extracting(Turn::revision).containsExactly(1L, 2L);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise({"64.3", "65.3"})
    void turnsBehindAFencedOneOfTheirKeyAreFencedToo(Kind kind) throws Exception {
        var other = new Id("accounts", "1");
        try (var journal = kind.open(folder)) {
            assertThat(journal.commit(List.of(turn(ID, 1), turn(ID, 2)))).isEqualTo(bits(0, 1));
            assertThat(journal
                    .commit(List.of(turn(ID, 2), turn(other, 1), turn(ID, 3), turn(ID, 4), turn(other, 2))))
                    .isEqualTo(bits(1, 4));
            assertThat(journal.revisions(List.of(ID, other))).containsOnly(Map.entry(ID, 2L),
                    Map.entry(other, 2L));
            assertThat(journal.commit(List.of(turn(ID, 3), turn(ID, 4)))).isEqualTo(bits(0, 1));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("64.2")
    void aStaleWriterDoesNotGetInBelowASnapshotWhoseTurnsAreDeleted(Kind kind) throws Exception {
        try (var journal = kind.open(folder)) {
            journal.commit(List.of(turn(ID, 1)));
            journal.commit(List.of(turn(ID, 2)));
            journal.commit(List.of(withSnapshot(ID, 3)));
            assertThat(journal.compact(NOW.plusSeconds(1))).isEqualTo(3);
            for (long revision = 1; revision <= 3; revision++) {
                assertThat(journal.commit(List.of(turn(ID, revision)))).as("revision %d", revision)
                        .isEqualTo(bits());
            }
            assertThat(journal.revisions(List.of(ID))).containsEntry(ID, 3L);
            assertThat(journal.commit(List.of(turn(ID, 4)))).isEqualTo(bits(0));
            var loaded = journal.load(List.of(ID)).get(ID);
            assertThat(loaded.snapshot().orElseThrow().revision()).isEqualTo(3);
            assertThat(loaded.snapshot().orElseThrow().state()).containsExactly(1, 2);
            assertThat(loaded.snapshot().orElseThrow().ids()).containsExactly(3);
            assertThat(loaded.turns()).extracting(Turn::revision).containsExactly(4L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void turnsThatAreYoungOrNotSentAreNotDeleted(Kind kind) throws Exception {
        try (var journal = kind.open(folder)) {
            var unsent =
                    new Turn(ID, 1, NOW, NONE, Optional.empty(), NONE, new byte[]{9}, List.of(), Set.of(),
                            Optional.empty(), false);
            journal.commit(List.of(unsent));
            journal.commit(List.of(withSnapshot(ID, 2)));
            assertThat(journal.compact(NOW)).as("all are young").isZero();
            assertThat(journal.compact(NOW.plusSeconds(1))).isEqualTo(1);
            assertThat(journal.unsent("accounts", 10)).extracting(Turn::revision).containsExactly(1L);
            assertThat(journal.unsent("others", 10)).isEmpty();
            journal.sent(List.of(new Sent(ID, 1)));
            assertThat(journal.unsent("accounts", 10)).isEmpty();
            assertThat(journal.compact(NOW.plusSeconds(1))).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("63.3")
    void ofATurnThatIsFencedNothingIsWritten(Kind kind) throws Exception {
        try (var journal = kind.open(folder)) {
            journal.commit(List.of(turn(ID, 1)));
            var reminder = new Reminder(ID, "late", NOW, Optional.of(Duration.ofSeconds(3)), new byte[]{5});
            var fenced = new Turn(ID, 1, NOW, NONE, Optional.of("m"), new byte[]{1}, new byte[]{9},
                    List.of(reminder),
                    Set.of(), Optional.of(new Snapshot(1, NONE, NONE)), false);
            assertThat(journal.commit(List.of(fenced))).isEqualTo(bits());
            assertThat(journal.unsent("accounts", 10)).isEmpty();
            assertThat(journal.due("accounts", NOW, 10)).isEmpty();
            assertThat(journal.load(List.of(ID)).get(ID).snapshot()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void remindersAreReplacedForgottenAndDeletedWithTheirKey(Kind kind) throws Exception {
        try (var journal = kind.open(folder)) {
            journal.commit(List.of(reminding(1, Set.of(), false, "a", "b")));
            assertThat(journal.due("accounts", NOW.minusMillis(1), 10)).isEmpty();
            assertThat(journal.due("accounts", NOW, 10)).extracting(Reminder::name)
                    .containsExactlyInAnyOrder("a", "b");
            journal.commit(List.of(reminding(2, Set.of("a", "b"), false, "b")));
            var left = journal.due("accounts", NOW, 10);
            assertThat(left).extracting(Reminder::name).containsExactly("b");
            assertThat(left.getFirst().every()).contains(Duration.ofSeconds(3));
            assertThat(left.getFirst().at()).isEqualTo(NOW);
            assertThat(left.getFirst().message()).containsExactly(5);
            journal.commit(List.of(reminding(3, Set.of(), true, "c")));
            assertThat(journal.due("accounts", NOW, 10)).extracting(Reminder::name).containsExactly("c");
        }
    }

    private static Turn reminding(long revision, Set<String> forgotten, boolean deleted, String... names) {
        var reminders = Arrays.stream(names)
                .map(name -> new Reminder(ID, name, NOW, Optional.of(Duration.ofSeconds(3)), new byte[]{5}))
                .toList();
        return new Turn(ID, revision, NOW, NONE, Optional.empty(), NONE, NONE, reminders, forgotten,
                deleted ? Optional.of(new Snapshot(revision, NONE, NONE)) : Optional.empty(), deleted);
    }

    @Test
    @Promise("63.1")
    void theFileIsFlushedForEachCommitAndHasAVersion() throws Exception {
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(5))) {
            assertThat(journal.setting("PRAGMA synchronous")).as("2 is FULL").isEqualTo("2");
            assertThat(journal.setting("PRAGMA journal_mode")).isEqualTo("wal");
            assertThat(journal.setting("PRAGMA user_version")).isEqualTo("1");
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
                .hasMessageContaining("newer version of Fibry").hasMessageContaining("99");
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

    @Test
    void aStoreThatCannotBeIsRefusedWithTheReason() {
        assertThatThrownBy(() -> DurableStore.open("jdbc:h2:bank"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("H2 is no store").hasMessageContaining("loses committed transactions");
        assertThatThrownBy(() -> DurableStore.open("jdbc:mysql://localhost/bank"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:mysql://localhost/bank")
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

    @Test
    @Promise("63.3")
    void aGroupThatFailsHalfwayLeavesNothingBehind() throws Exception {
        var file = folder.resolve("bank.db");
        try (var journal = SqliteJournal.open(file, Duration.ofSeconds(5))) {
            try (var other = DriverManager.getConnection("jdbc:sqlite:" + file);
                    var statement = other.createStatement()) {
                statement.execute(
                        "CREATE TRIGGER refuse BEFORE INSERT ON fibry_reminders WHEN NEW.name = 'bad' "
                                + "BEGIN SELECT RAISE(ABORT, 'no room'); END");
            }
            var bad = new Turn(ID, 1, NOW, new byte[]{1}, Optional.empty(), NONE, NONE,
                    List.of(new Reminder(ID, "bad", NOW, Optional.empty(), NONE)), Set.of(), Optional.empty(),
                    false);
            assertThatThrownBy(() -> journal.commit(List.of(bad))).hasMessageContaining("no room");
            var other = new Id("accounts", "other");
            assertThat(journal.commit(List.of(turn(other, 1)))).isEqualTo(bits(0));
            assertThat(journal.load(List.of(ID, other)).keySet()).containsExactly(other);
        }
    }
}
