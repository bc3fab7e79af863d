package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Named;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a {@link Journal} must do, as tests. Those who write one extend this class by a test of theirs, and {@link #open()} opens
 * their journal:
 *
 * <pre>{@code
 * class MyJournalTest extends JournalContract {
 *     @TempDir
 *     private Path folder; // each test has another one
 *
 *     @Override
 *     protected Journal open() {
 *         return new MyJournal(folder.resolve("journal"));
 *     }
 * }
 * }</pre>
 *
 * <p>Not tested is what only the author can bring about: a turn is on the disk when {@code commit} has returned, also if the
 * process or the machine ends; of a group that fails half-way nothing is left; and a process that ends within a step of a
 * projection in a transaction leaves both what the work has written and the new place, or neither.
 */
public abstract class JournalContract {
    static final Instant NOW = Instant.ofEpochMilli(1_000_000);
    static final Id ID = new Id("accounts", "4711");
    private static final Id COMPACTED = new Id("accounts", "compacted");
    private static final Id GONE = new Id("accounts", "gone");
    static final byte[] NONE = {};
    /** The bytes of a turn. */
    static final int MOST_OF_TURN = 16 << 20;

    /**
     * Opens the journal of the test, which is empty at first. Some tests close it, open it again, and find what was there. If it
     * {@linkplain Journal#isForManyProcesses is for many processes}, some open it while it is open, as another process does.
     *
     * @return the journal
     * @throws Exception if it cannot be opened
     */
    protected abstract Journal open() throws Exception;

    /**
     * Deletes what is old, as if all were old: for a journal that waits by a clock of its own until it deletes, as PostgreSQL's does.
     *
     * @param journal the journal
     * @return how many turns were deleted
     * @throws Exception if the journal fails
     */
    protected int compact(Journal journal) throws Exception {
        return compact(journal, NOW.plusSeconds(1));
    }

    /** Does a compaction with all its steps. Returns how many turns were deleted. */
    static int compact(Journal journal, Instant before) throws Exception {
        int deleted = 0;
        for (var next = Optional.of(Position.FIRST); next.isPresent();) {
            var step = journal.compact("accounts", before, next.get(), 1_000);
            deleted += step.deleted();
            next = step.next();
        }
        return deleted;
    }

    /** Does an erasure with all its steps. Returns false if it is fenced. */
    static boolean erase(Journal journal, Turn deleted) throws Exception {
        boolean isErased = journal.erase(deleted);
        for (var next = isErased ? OptionalLong.of(deleted.revision()) : OptionalLong.empty(); next
                .isPresent();) {
            next = journal.eraseBelow(deleted.id(), next.getAsLong(), 1_000);
        }
        return isErased;
    }

    static Turn turn(Id id, long revision) {
        return new Turn(id, revision, NOW, new byte[]{(byte) revision}, List.of(), NONE,
                List.of(),
                Set.of(), Optional.empty(), false);
    }

    static Handled handled(long number, byte[] answer) {
        return new Handled(new UUID(7, number), NOW, Optional.empty(), answer);
    }

    static Turn withSnapshot(Id id, long revision) {
        return new Turn(id, revision, NOW, new byte[]{(byte) revision},
                List.of(handled(revision, new byte[]{7})),
                NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(revision, new byte[]{1, 2})), false);
    }

    static BitSet bits(int... set) {
        var bits = new BitSet();
        for (int bit : set) {
            bits.set(bit);
        }
        return bits;
    }

    private static Turn reminding(long revision, Set<String> forgotten, boolean deleted, String... names) {
        var reminders = Arrays.stream(names)
                .map(name -> new Reminder(ID, name, NOW, "PT3S", new byte[]{5}))
                .toList();
        return new Turn(ID, revision, NOW, NONE, List.of(), NONE, reminders, forgotten,
                deleted ? Optional.of(new Snapshot(revision, NONE)) : Optional.empty(), deleted);
    }

    @Test
    @Promise("64.2")
    void aRevisionIsTakenOnceAndTheOthersOfTheGroupAreWritten() throws Exception {
        try (var journal = open()) {
            assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
            var other = new Id("accounts", "{\"a\", b\\, NULL}\nü");
            assertThat(journal.commit(List.of(turn(ID, 1), turn(other, 1), turn(new Id("x", "4711"), 1))))
                    .isEqualTo(bits(1, 2));
            assertThat(journal.commit(List.of(turn(ID, 2), turn(other, 1)))).isEqualTo(bits(0));
            assertThat(journal.revisions(List.of(ID, other, new Id("accounts", "2"), new Id("none", "1"))))
                    .containsOnly(Map.entry(ID, 2L), Map.entry(other, 1L));
            var loaded = journal.load(List.of(ID, other, new Id("accounts", "2")));
            assertThat(loaded).containsOnlyKeys(ID, other);
            assertThat(loaded.get(ID).turns()).extracting(Turn::revision).containsExactly(1L, 2L);
        }
    }

    @Test
    @Promise("94.2")
    void remindersThatAreDueAreReadByTheirNames() throws Exception {
        try (var journal = open()) {
            for (int i = 0; i < 3; i++) {
                var id = new Id("accounts", "k" + i);
                var at = NOW.minusSeconds(i);
                journal.commit(List.of(new Turn(id, 1, NOW, NONE, List.of(), NONE, List.of(
                        new Reminder(id, "a", at, "", new byte[]{5}),
                        new Reminder(id, "b", at, "", new byte[]{5}),
                        new Reminder(id, "c", at, "", new byte[]{5})), Set.of(), Optional.empty(), false)));
            }
            journal.commit(List.of(new Turn(ID, 1, NOW, NONE, List.of(), NONE, List.of(
                    new Reminder(ID, "a", NOW.plusSeconds(1), "", NONE),
                    new Reminder(ID, "d", NOW, "", NONE, new Tries(1, Tries.NEVER, ""))), Set.of(),
                    Optional.empty(), false)));
            assertThat(journal.names("none", "", 10)).isEmpty();
            assertThat(journal.names("accounts", "", 10)).containsExactlyInAnyOrder(
                    new Named("a", NOW.minusSeconds(2)), new Named("b", NOW.minusSeconds(2)),
                    new Named("c", NOW.minusSeconds(2)), new Named("d", Tries.NEVER));
            requirePages((after, most) -> journal.names("accounts", after, most).stream().map(Named::name)
                    .toList());
            assertThat(journal.dueByName("none", "a", NOW, 10)).isEmpty();
            assertThat(journal.dueByName("accounts", "d", NOW, 10)).isEmpty();
            assertThat(journal.dueByName("accounts", "a", NOW, 10)).extracting(each -> each.id().key())
                    .containsExactly("k2", "k1", "k0");
            assertThat(journal.dueByName("accounts", "b", NOW, 2))
                    .extracting(each -> each.name() + each.id().key()).containsExactly("bk2", "bk1");
        }
    }

    /** Reads texts that are behind one. */
    private interface Reading {
        List<String> read(String after, int most) throws Exception;
    }

    /** Pages of any size are the same texts in the same order. Returns them. */
    private static List<String> requirePages(Reading reading) throws Exception {
        var all = reading.read("", 100);
        for (int i = 0; i <= all.size(); i++) {
            var after = i == 0 ? "" : all.get(i - 1);
            for (int most = 1; most <= all.size(); most++) {
                assertThat(reading.read(after, most)).as("at most %d behind '%s'", most, after)
                        .isEqualTo(all.subList(i, Math.min(i + most, all.size())));
            }
        }
        return all;
    }

    /** Somebody may erase the last key of a page before the next page is read. */
    @Test
    @Promise({"89.1", "90.2", "94.2"})
    void aPageBeginsBehindWhatIsNotThereAnyMore() throws Exception {
        try (var journal = open()) {
            journal.commit(Stream.of("a", "b", "c").map(key -> {
                var id = new Id("accounts", key);
                var letter = Reminder.letter(new Sent(id, 1), 0, NOW, NONE, new Tries(1, Tries.NEVER, ""));
                return new Turn(id, 1, NOW, NONE, List.of(), NONE,
                        List.of(new Reminder(id, key, NOW, "", NONE), letter), Set.of(), Optional.empty(),
                        false);
            }).toList());
            var readings = List.<Reading>of(
                    (after, most) -> journal.keys("accounts", "", after, most),
                    (after, most) -> journal.keysOfParked("accounts", after, most),
                    (after, most) -> journal.names("accounts", after, most).stream().map(Named::name)
                            .toList());
            var gone = readings.getFirst().read("", 10).get(1);
            var behind = new ArrayList<List<String>>();
            for (var reading : readings) {
                var all = requirePages(reading);
                behind.add(all.subList(all.indexOf(gone) + 1, all.size()));
            }
            assertThat(
                    journal.erase(new Turn(new Id("accounts", gone), 2, NOW, NONE, List.of(), NONE, List.of(),
                            Set.of(), Optional.of(new Snapshot(2, NONE)), true)))
                    .isTrue();
            for (int i = 0; i < readings.size(); i++) {
                assertThat(readings.get(i).read(gone, 10)).isEqualTo(behind.get(i));
            }
        }
    }

    /** Rows of any size fill no memory. */
    @Test
    @Promise("66.1")
    void aPageEndsWithTheRowByWhichItHasManyBytes() throws Exception {
        var large = new byte[Journal.MOST_OF_PAGE / 2 + 1];
        try (var journal = open()) {
            for (int i = 1; i <= 3; i++) {
                journal.commit(List.of(new Turn(ID, i, NOW, NONE, List.of(), large,
                        List.of(new Reminder(ID, "r" + i, NOW.minusSeconds(9 - i), "", large)), Set.of(),
                        Optional.empty(),
                        false)));
            }
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).extracting(Turn::revision)
                    .containsExactly(1L, 2L);
            assertThat(journal.unsent("accounts", Slices.ALL, new Position(ID.key(), 2), 10))
                    .extracting(Turn::revision).containsExactly(3L);
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).extracting(Reminder::name)
                    .containsExactly("r1", "r2");
            assertThat(journal.dueByName("accounts", "r3", NOW, 10)).hasSize(1);
        }
    }

    @Test
    @Promise({"64.2", "65.2"})
    void turnsBehindAFencedOneOfTheirKeyAreFencedToo() throws Exception {
        var other = new Id("accounts", "1");
        try (var journal = open()) {
            assertThat(journal.commit(List.of(turn(ID, 1), turn(ID, 2)))).isEqualTo(bits(0, 1));
            assertThat(journal
                    .commit(List.of(turn(ID, 2), turn(other, 1), turn(ID, 3), turn(ID, 4), turn(other, 2))))
                    .isEqualTo(bits(1, 4));
            assertThat(journal.revisions(List.of(ID, other))).containsOnly(Map.entry(ID, 2L),
                    Map.entry(other, 2L));
            assertThat(journal.commit(List.of(turn(ID, 3), turn(ID, 4)))).isEqualTo(bits(0, 1));
        }
    }

    @Test
    @Promise("64.2")
    void aProcessIsFencedByWhatAnotherOneHasWritten() throws Exception {
        try (var journal = open()) {
            if (!journal.isForManyProcesses()) {
                return;
            }
            try (var other = open()) {
                assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
                assertThat(other.commit(List.of(turn(ID, 1)))).isEqualTo(bits());
                assertThat(other.commit(List.of(turn(ID, 2)))).isEqualTo(bits(0));
                assertThat(journal.commit(List.of(turn(ID, 2)))).isEqualTo(bits());
                assertThat(journal.revisions(List.of(ID))).containsEntry(ID, 2L);
                assertThat(journal.load(List.of(ID)).get(ID).turns()).hasSize(2);
                assertThat(journal.commit(List.of(withSnapshot(ID, 3)))).isEqualTo(bits(0));
                assertThat(compact(journal)).isEqualTo(3);
                assertThat(other.commit(List.of(turn(ID, 3)))).isEqualTo(bits());
                assertThat(other.erase(deleted(3))).isFalse();
                assertThat(other.erase(deleted(4))).isTrue();
                assertThat(journal.commit(List.of(turn(ID, 4)))).isEqualTo(bits());
                assertThat(journal.commit(List.of(turn(ID, 5)))).isEqualTo(bits(0));
            }
        }
    }

    @Test
    @Tag("thorough")
    @Promise("64.2")
    void twoWritersWriteEachRevisionOnce() throws Exception {
        try (var journal = open()) {
            if (!journal.isForManyProcesses()) {
                return;
            }
        }
        try (var threads = Executors.newCachedThreadPool()) {
            var results = new ArrayList<Future<List<Long>>>();
            for (int writer = 0; writer < 2; writer++) {
                results.add(threads.submit(() -> {
                    var mine = new ArrayList<Long>();
                    try (var journal = open()) {
                        while (mine.size() < 200) {
                            long next = journal.revisions(List.of(ID)).getOrDefault(ID, 0L) + 1;
                            var turns = List.of(next % 20 == 0 ? withSnapshot(ID, next) : turn(ID, next));
                            if (journal.commit(turns).get(0)) {
                                mine.add(next);
                            }
                            if (next % 50 == 0) {
                                compact(journal);
                            }
                        }
                    }
                    return mine;
                }));
            }
            var all = new ArrayList<Long>();
            for (var result : results) {
                all.addAll(result.get());
            }
            assertThat(all).doesNotHaveDuplicates().hasSize(400);
            assertThat(all.stream().mapToLong(Long::longValue).max()).hasValue(400);
        }
    }

    /** One thread commits, and another one reads. Of a key nothing is left out, and all is there that was committed before. */
    @Test
    @Promise("64.2")
    void whatIsReadBesideCommitsIsWholeAndNew() throws Exception {
        var committed = new AtomicLong();
        try (var journal = open(); var threads = Executors.newSingleThreadExecutor()) {
            var writer = threads.submit(() -> {
                for (long i = 1; i <= 200; i++) {
                    assertThat(journal.commit(List.of(i % 7 == 0 ? withSnapshot(ID, i) : turn(ID, i))))
                            .isEqualTo(bits(0));
                    committed.set(i);
                }
                return true;
            });
            boolean isLast;
            do {
                isLast = writer.isDone();
                long least = committed.get();
                long newest = 0;
                var loaded = Optional.ofNullable(journal.load(List.of(ID)).get(ID));
                if (loaded.isPresent()) {
                    newest = loaded.get().snapshot().map(Snapshot::revision).orElse(0L);
                    for (var turn : loaded.get().turns()) {
                        newest++;
                        assertThat(turn.revision()).isEqualTo(newest);
                    }
                }
                assertThat(newest).isGreaterThanOrEqualTo(least);
                assertThat(journal.revisions(List.of(ID)).getOrDefault(ID, 0L))
                        .isGreaterThanOrEqualTo(newest);
                assertThat(journal.history(ID, 0, 1_000)).hasSizeGreaterThanOrEqualTo((int) newest);
            } while (!isLast);
            assertThat(writer.get()).isTrue();
        }
    }

    @Test
    @Promise("64.2")
    void aTurnThatWouldLeaveAGapIsFenced() throws Exception {
        var other = new Id("accounts", "1");
        try (var journal = open()) {
            assertThat(journal.commit(List.of(turn(ID, 2)))).as("nothing is there").isEqualTo(bits());
            assertThat(journal.commit(List.of(turn(ID, 2), turn(other, 1), turn(ID, 1)))).isEqualTo(bits(1));
            assertThat(journal.load(List.of(ID))).isEmpty();
            assertThat(journal.commit(List.of(turn(ID, 1)))).isEqualTo(bits(0));
            assertThat(journal.commit(List.of(withSnapshot(ID, 3)))).isEqualTo(bits());
            assertThat(journal
                    .commit(List.of(turn(ID, 2), turn(other, 3), turn(ID, 4), turn(ID, 3), turn(other, 2))))
                    .isEqualTo(bits(0));
            assertThat(journal.commit(List.of(withSnapshot(ID, 3)))).isEqualTo(bits(0));
            assertThat(compact(journal)).isEqualTo(3);
            assertThat(journal.commit(List.of(turn(ID, 5)))).as("4 is not there").isEqualTo(bits());
            assertThat(journal.commit(List.of(turn(ID, 4), turn(ID, 5)))).isEqualTo(bits(0, 1));
            assertThat(journal.load(List.of(ID)).get(ID).turns()).extracting(Turn::revision)
                    .containsExactly(4L, 5L);
            assertThat(journal.revisions(List.of(ID, other))).containsOnly(Map.entry(ID, 5L),
                    Map.entry(other, 1L));
        }
    }

    @Test
    @Promise("64.2")
    void aStaleWriterDoesNotGetInBelowASnapshotWhoseTurnsAreDeleted() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            journal.commit(List.of(turn(ID, 2)));
            journal.commit(List.of(withSnapshot(ID, 3)));
            assertThat(compact(journal)).isEqualTo(3);
            for (long revision = 1; revision <= 3; revision++) {
                assertThat(journal.commit(List.of(turn(ID, revision)))).as("revision %d", revision)
                        .isEqualTo(bits());
            }
            assertThat(journal.revisions(List.of(ID))).containsEntry(ID, 3L);
            assertThat(journal.commit(List.of(turn(ID, 4)))).isEqualTo(bits(0));
            var loaded = journal.load(List.of(ID)).get(ID);
            assertThat(loaded.snapshot().orElseThrow().revision()).isEqualTo(3);
            assertThat(loaded.snapshot().orElseThrow().state()).containsExactly(1, 2);
            assertThat(loaded.handled()).extracting(Handled::id).containsExactly(new UUID(7, 3));
            assertThat(loaded.turns()).extracting(Turn::revision).containsExactly(4L);
        }
    }

    @Test
    void turnsThatAreYoungOrNotSentAreNotDeleted() throws Exception {
        try (var journal = open()) {
            var unsent =
                    new Turn(ID, 1, NOW, NONE, List.of(), new byte[]{9}, List.of(), Set.of(),
                            Optional.empty(), false);
            journal.commit(List.of(unsent));
            journal.commit(List.of(withSnapshot(ID, 2)));
            assertThat(compact(journal, NOW)).as("all are young").isZero();
            assertThat(compact(journal)).isEqualTo(1);
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).extracting(Turn::revision)
                    .containsExactly(1L);
            assertThat(journal.unsent("others", Slices.ALL, Position.FIRST, 10)).isEmpty();
            journal.sent(List.of(new Sent(ID, 1)));
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).isEmpty();
            assertThat(compact(journal)).isEqualTo(1);
        }
    }

    @Test
    @Promise("64.5")
    void aHistoryHasTheTurnsThatAreThereAndOfEachGroupItsOwnAreDeleted() throws Exception {
        var other = new Id("others", "4711");
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1), turn(ID, 2), turn(other, 1)));
            journal.commit(List.of(withSnapshot(ID, 3), withSnapshot(other, 2)));
            journal.commit(List.of(turn(ID, 4)));
            assertThat(journal.history(ID, 0, 10)).extracting(Turn::revision).containsExactly(1L, 2L, 3L, 4L);
            assertThat(journal.history(ID, 1, 2)).extracting(Turn::revision).containsExactly(2L, 3L);
            assertThat(journal.history(ID, 4, 10)).isEmpty();
            assertThat(journal.history(new Id("accounts", "none"), 0, 10)).isEmpty();
            assertThat(journal.history(new Id("none", "4711"), 0, 10)).isEmpty();
            var third = journal.history(ID, 2, 1).getFirst();
            assertThat(third.events()).containsExactly(3);
            assertThat(third.at()).isEqualTo(NOW);
            assertThat(compact(journal)).isEqualTo(3);
            assertThat(journal.history(ID, 0, 10)).extracting(Turn::revision).containsExactly(4L);
            assertThat(journal.history(other, 0, 10)).hasSize(2);
        }
    }

    @Test
    @Promise({"63.1", "64.2", "66.2", "67.1", "88.3", "90.1"})
    void whatIsThereWhenAJournalIsClosedIsThereWhenItIsOpened() throws Exception {
        var sender = new Turn(new Id("others", "sender"), 1, NOW, NONE, List.of(), new byte[]{9}, List.of(),
                Set.of(), Optional.empty(), false);
        var parked = new Sent(ID, 1);
        var letter = Reminder.letter(parked, 0, NOW, new byte[]{9}, new Tries(3, Tries.NEVER, "full"));
        var late = new Reminder(ID, "late", NOW, "PT3S", new byte[]{5});
        var taken = new ArrayList<String>();
        Map<String, Object> before;
        try (var journal = open(); var follower = journal.follow("sums", Set.of("others"))) {
            var nothing = content(journal);
            for (long i = 1; i <= 3; i++) {
                journal.commit(List.of(turn(GONE, i), withSnapshot(COMPACTED, i)));
            }
            journal.commit(List.of(sender));
            compact(journal);
            assertThat(erase(journal, new Turn(GONE, 4, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(4, NONE)), true))).isTrue();
            journal.commit(List.of(new Turn(ID, 1, NOW, new byte[]{1},
                    List.of(handled(1, new byte[]{7}),
                            new Handled(new UUID(7, 2), NOW, Optional.of(new Sent(sender.id(), 1)),
                                    new byte[]{8})),
                    new byte[]{9}, List.of(late, new Reminder(ID, "dropped", NOW, "", NONE)), Set.of(),
                    Optional.empty(), false)));
            journal.commit(List.of(sending("sent")));
            assertThat(journal.expire("accounts", NOW.plusSeconds(1), 10)).isEqualTo(4);
            journal.postpone(List.of(late.with(new Tries(2, NOW.plusSeconds(1), "busy"))));
            journal.drop(new Reminder(ID, "dropped", NOW, "", NONE), Optional.empty());
            assertThat(journal.park(parked, NONE, letter)).isTrue();
            followAll(follower, taken);
            follower.pause(true);
            before = content(journal);
            assertThat(before.keySet()).allSatisfy(what -> assertThat(before.get(what)).as(what)
                    .isNotEqualTo(nothing.get(what)));
        }
        try (var journal = open(); var follower = journal.follow("sums", Set.of("others"))) {
            assertThat(content(journal)).usingRecursiveComparison().isEqualTo(before);
            assertThat(journal.commit(List.of(turn(GONE, 4), turn(COMPACTED, 3), turn(ID, 1))))
                    .isEqualTo(bits());
            journal.commit(List.of(turn(sender.id(), 2)));
            followAll(follower, taken);
            assertThat(taken).as("it is paused").containsExactly("sender 1");
            follower.pause(false);
            followAll(follower, taken);
            assertThat(taken).containsExactly("sender 1", "sender 2");
        }
    }

    /** Returns what each method reads. */
    private static Map<String, Object> content(Journal journal) throws Exception {
        var ids = List.of(ID, COMPACTED, GONE);
        var end = NOW.plusSeconds(9);
        var content = new TreeMap<String, Object>(Map.of(
                "load", journal.load(ids),
                "revisions", journal.revisions(ids),
                "history", journal.history(ID, 0, 10),
                "unsent", journal.unsent("accounts", Slices.ALL, Position.FIRST, 10),
                "due", journal.due("accounts", Slices.ALL, end, 10),
                "dueByName", journal.dueByName("accounts", "late", end, 10),
                "names", journal.names("accounts", "", 10),
                "reminder", journal.reminder(ID, "late"),
                "handled", journal.handled(ID, new UUID(7, 2)),
                "keys", journal.keys("accounts", "", "", 10)));
        content.put("parked", journal.parked("accounts", "", "", 10));
        content.put("countParked", journal.countParked("accounts"));
        content.put("keysOfParked", journal.keysOfParked("accounts", "", 10));
        return content;
    }

    /** Compactions are cut into steps, which are short, and go on in the next process. */
    @Test
    @Promise("64.5")
    void aCompactionHasStepsThatReadFewRowsAndItGoesOnAfterARestart() throws Exception {
        var old = NOW.plusSeconds(1);
        int keys = 20;
        try (var journal = open()) {
            var turns = new ArrayList<Turn>();
            for (int key = 0; key < keys; key++) {
                var id = new Id("accounts", "key " + key);
                for (int revision = 1; revision <= 11; revision++) {
                    turns.add(revision == 10 ? withSnapshot(id, revision) : turn(id, revision));
                }
            }
            var unsent = new Turn(ID, 1, NOW, NONE, List.of(), new byte[]{9}, List.of(), Set.of(),
                    Optional.empty(), false);
            turns.addAll(List.of(unsent, withSnapshot(ID, 2), turn(new Id("accounts", "none"), 1)));
            journal.commit(turns);
        }
        int deleted = 0;
        int steps = 0;
        Optional<Position> next = Optional.of(Position.FIRST);
        for (var processes = 0; next.isPresent(); processes++) {
            next = Optional.of(Position.FIRST);
            try (var journal = open()) {
                age(journal);
                for (int i = 0; i < 10 && next.isPresent(); i++) {
                    var step = journal.compact("accounts", old, next.get(), 7);
                    assertThat(step.deleted()).isLessThanOrEqualTo(mostOfStep(7));
                    deleted += step.deleted();
                    next = step.next();
                    steps++;
                    // What is written between two steps is there.
                    var id = new Id("written", "key");
                    assertThat(journal.commit(List.of(turn(id, steps)))).isEqualTo(bits(0));
                }
            }
            assertThat(processes).isLessThan(20);
        }
        assertThat(deleted).isEqualTo(10 * keys + 1);
        try (var journal = open()) {
            assertThat(steps).isGreaterThanOrEqualTo(deleted / mostOfStep(7));
            for (int key = 0; key < keys; key++) {
                var id = new Id("accounts", "key " + key);
                assertThat(journal.history(id, 0, 99)).extracting(Turn::revision).containsExactly(11L);
                assertThat(journal.load(List.of(id)).get(id).turns()).hasSize(1);
            }
            assertThat(journal.history(ID, 0, 99)).extracting(Turn::revision).containsExactly(1L);
            assertThat(journal.history(new Id("accounts", "none"), 0, 99)).hasSize(1);
            journal.sent(List.of(new Sent(ID, 1)));
            assertThat(compact(journal, old)).isOne();
        }
    }

    /**
     * Returns how many turns one step of a compaction deletes at most. A journal in memory may need no steps.
     *
     * @param rows how many rows the step may read
     * @return the number
     */
    protected int mostOfStep(int rows) {
        return rows;
    }

    /**
     * Makes all snapshots of a journal so old that the turns that they cover may be deleted, if it has a clock for that.
     *
     * @param journal the journal
     * @throws Exception if it fails
     */
    protected void age(Journal journal) throws Exception {
        assertThat(journal).isNotNull();
    }

    @Test
    @Promise("63.1")
    void ofATurnThatIsFencedNothingIsWritten() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1)));
            var reminder = new Reminder(ID, "late", NOW, "PT3S", new byte[]{5});
            var fenced = new Turn(ID, 1, NOW, NONE, List.of(handled(1, new byte[]{1})), new byte[]{9},
                    List.of(reminder),
                    Set.of(), Optional.of(new Snapshot(1, NONE)), false);
            assertThat(journal.commit(List.of(fenced))).isEqualTo(bits());
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).isEmpty();
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).isEmpty();
            assertThat(journal.load(List.of(ID)).get(ID).snapshot()).isEmpty();
        }
    }

    @Test
    void remindersAreReplacedForgottenAndDeletedWithTheirKey() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(reminding(1, Set.of(), false, "a", "b")));
            assertThat(journal.due("accounts", Slices.ALL, NOW.minusMillis(1), 10)).isEmpty();
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).extracting(Reminder::name)
                    .containsExactlyInAnyOrder("a", "b");
            journal.commit(List.of(reminding(2, Set.of("a", "b"), false, "b")));
            var left = journal.due("accounts", Slices.ALL, NOW, 10);
            assertThat(left).extracting(Reminder::name).containsExactly("b");
            assertThat(left.getFirst().every()).isEqualTo("PT3S");
            assertThat(left.getFirst().at()).isEqualTo(NOW);
            assertThat(left.getFirst().message()).containsExactly(5);
            journal.commit(List.of(reminding(3, Set.of(), true, "c")));
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).extracting(Reminder::name)
                    .containsExactly("c");
        }
    }

    @Test
    void aReminderIsFoundByItsName() throws Exception {
        try (var journal = open()) {
            assertThat(journal.reminder(ID, "a")).isEmpty();
            journal.commit(List.of(reminding(1, Set.of(), false, "a", "b")));
            var found = journal.reminder(ID, "a").orElseThrow();
            assertThat(found.name()).isEqualTo("a");
            assertThat(found.at()).isEqualTo(NOW);
            assertThat(found.every()).isEqualTo("PT3S");
            assertThat(found.message()).containsExactly(5);
            assertThat(journal.reminder(ID, "c")).isEmpty();
            assertThat(journal.reminder(new Id("accounts", "4712"), "a")).isEmpty();
            assertThat(journal.reminder(new Id("others", "4711"), "a")).isEmpty();
        }
    }

    /** A turn with a message and a reminder. */
    private static Turn sending(String key) {
        var id = new Id("accounts", key);
        return new Turn(id, 1, NOW, NONE, List.of(), new byte[]{9},
                List.of(new Reminder(id, "r", NOW, "", new byte[]{5})), Set.of(),
                Optional.empty(), false);
    }

    @Test
    void ofEachSliceItsMessagesAndRemindersAreReadIfProcessesShareTheStore() throws Exception {
        var keys = IntStream.range(0, 40).mapToObj(i -> "key " + i).toList();
        try (var journal = open()) {
            journal.commit(keys.stream().map(JournalContract::sending).toList());
            if (!journal.isForManyProcesses()) {
                return;
            }
            var sent = new ArrayList<String>();
            var reminded = new ArrayList<String>();
            for (var numbers : List.of(Set.of(1), Set.of(0, 3), Set.<Integer>of(), Set.of(2))) {
                var slices = new Slices(4, numbers);
                for (var turn : journal.unsent("accounts", slices, Position.FIRST, 99)) {
                    assertThat(slices.contains(turn.id())).isTrue();
                    sent.add(turn.id().key());
                }
                for (var reminder : journal.due("accounts", slices, NOW, 99)) {
                    assertThat(slices.contains(reminder.id())).isTrue();
                    reminded.add(reminder.id().key());
                }
            }
            assertThat(sent).containsExactlyInAnyOrderElementsOf(keys);
            assertThat(reminded).containsExactlyInAnyOrderElementsOf(keys);
        }
    }

    /** A turn that has handled a message with a number, which a turn has sent or nobody. */
    private static Turn handling(long revision, Optional<Sent> from, long... numbers) {
        return new Turn(ID, revision, NOW, NONE, Arrays.stream(numbers)
                .mapToObj(number -> new Handled(new UUID(7, number), NOW.plusMillis(number), from,
                        new byte[]{(byte) number}))
                .toList(), NONE, List.of(), Set.of(), Optional.empty(), false);
    }

    /** A message of a key. */
    private record Message(Id to, UUID id) {
    }

    private static Message message(long number) {
        return new Message(ID, new UUID(7, number));
    }

    private static Map<Message, Handled> handled(Journal journal, List<Message> messages) throws Exception {
        var found = new HashMap<Message, Handled>();
        for (var message : messages) {
            journal.handled(message.to(), message.id()).ifPresent(handled -> found.put(message, handled));
        }
        return found;
    }

    @Test
    @Promise("66.2")
    void whatWasHandledIsKeptForATimeAndAsLongAsItsSenderMaySendItAgain() throws Exception {
        var sender = sending("sender");
        var from = new Sent(sender.id(), 1);
        try (var journal = open()) {
            journal.commit(List.of(sender, handling(1, Optional.empty(), 1, 2, 3, 4),
                    handling(2, Optional.of(from), 5)));
            var all = List.of(message(1), message(2), message(3), message(4), message(5), message(6),
                    new Message(new Id("accounts", "none"), new UUID(7, 1)),
                    new Message(new Id("none", "4711"), new UUID(7, 1)));
            var found = handled(journal, all);
            assertThat(found).containsOnlyKeys(all.subList(0, 5));
            var fifth = found.get(message(5));
            assertThat(fifth.at()).isEqualTo(NOW.plusMillis(5));
            assertThat(fifth.answer()).containsExactly(5);
            assertThat(fifth.from()).contains(from);
            assertThat(found.get(message(4)).from()).isEmpty();
            assertThat(journal.load(List.of(ID)).get(ID).handled()).extracting(Handled::id)
                    .containsExactlyInAnyOrderElementsOf(
                            all.subList(0, 5).stream().map(Message::id).toList());
            assertThat(journal.expire("others", NOW.plusSeconds(1), 10)).isZero();
            assertThat(journal.expire("accounts", NOW.plusMillis(4), 2)).as("at most two").isEqualTo(2);
            assertThat(journal.expire("accounts", NOW.plusMillis(4), 10)).isEqualTo(1);
            assertThat(handled(journal, all)).containsOnlyKeys(message(4), message(5));
            journal.commit(List.of(handling(3, Optional.empty(), 4)));
            assertThat(journal.expire("accounts", NOW.plusSeconds(1), 10)).isEqualTo(1);
            assertThat(handled(journal, all)).as("its sender may send it again").containsOnlyKeys(message(5));
            journal.sent(List.of(from));
            assertThat(journal.expire("accounts", NOW.plusSeconds(1), 10)).isEqualTo(1);
            assertThat(handled(journal, all)).isEmpty();
        }
    }

    @Test
    @Promise("66.2")
    void ofAKeyThatHasHandledManyMessagesEachIsFoundAndTheyAreNotAllLoaded() throws Exception {
        int most = Loaded.MOST_HANDLED;
        try (var journal = open()) {
            for (int revision = 1; revision <= 3; revision++) {
                long first = (long) revision * most;
                journal.commit(List.of(handling(revision, Optional.empty(),
                        LongStream.range(first, first + most).toArray())));
                assertThat(journal.load(List.of(ID)).get(ID).handled())
                        .hasSize(revision == 1 ? most : most + 1);
            }
            var some = List.of(message(most), message(2L * most + 7), message(4L * most - 1));
            assertThat(handled(journal, some)).containsOnlyKeys(some);
        }
    }

    @Test
    @Promise("67.1")
    void aReminderThatHasFailedIsReadByTheTimeOfItsNextTry() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(reminding(1, Set.of(), false, "a", "b")));
            var failed = journal.due("accounts", Slices.ALL, NOW, 10).getFirst();
            assertThat(failed.tries()).isEqualTo(new Tries(0, NOW, ""));
            var tries = new Tries(3, NOW.plusSeconds(9), "no '\"\\ \u20ac");
            journal.postpone(List.of(failed.with(tries)));
            assertThat(journal.due("accounts", Slices.ALL, NOW.plusMillis(8_999), 10))
                    .extracting(Reminder::name).hasSize(1).doesNotContain(failed.name());
            var all = journal.due("accounts", Slices.ALL, NOW.plusSeconds(9), 10);
            assertThat(all).extracting(Reminder::name).hasSize(2).last().isEqualTo(failed.name());
            assertThat(all.getLast().tries()).isEqualTo(tries);
            assertThat(all.getLast().at()).isEqualTo(NOW);
            assertThat(journal.reminder(ID, failed.name()).orElseThrow().tries()).isEqualTo(tries);
            var moved = new Reminder(ID, failed.name(), NOW.plusMillis(1), "", NONE);
            journal.postpone(List.of(moved.with(new Tries(9, Instant.EPOCH, "of another time")),
                    new Reminder(ID, "none", NOW, "", NONE)));
            assertThat(journal.reminder(ID, failed.name()).orElseThrow().tries()).isEqualTo(tries);
            journal.commit(List.of(reminding(2, Set.of(), false, failed.name())));
            assertThat(journal.reminder(ID, failed.name()).orElseThrow().tries())
                    .as("a reminder that is set anew").isEqualTo(new Tries(0, NOW, ""));
        }
    }

    @Test
    @Promise("66.1")
    void unsentTurnsAreReadFromAnyPlaceKeyByKey() throws Exception {
        try (var journal = open()) {
            var keys = List.of("b", "a", "\u20ac", "B", "a b", "a-b", "_", "");
            for (long revision = 1; revision <= 5; revision++) {
                long now = revision;
                journal.commit(keys.stream().map(key -> {
                    var one = sending(key);
                    return new Turn(one.id(), now, NOW, NONE, List.of(), now == 3 ? NONE : one.outbox(),
                            List.of(), Set.of(), Optional.empty(), false);
                }).toList());
            }
            var all = journal.unsent("accounts", Slices.ALL, Position.FIRST, 100);
            assertThat(all).hasSize(4 * keys.size());
            var places = all.stream().map(turn -> new Sent(turn.id(), turn.revision())).toList();
            for (int i = 0; i < all.size(); i += 4) {
                assertThat(all.subList(i, i + 4)).as("key by key").extracting(Turn::revision)
                        .containsExactly(1L, 2L, 4L, 5L);
                assertThat(all.subList(i, i + 4)).extracting(Turn::id).containsOnly(all.get(i).id());
            }
            for (int i = 0; i < places.size(); i++) {
                var read = journal.unsent("accounts", Slices.ALL,
                        new Position(places.get(i).id().key(), places.get(i).revision()), 5);
                assertThat(read.stream().map(turn -> new Sent(turn.id(), turn.revision())))
                        .containsExactlyElementsOf(places.subList(i + 1, Math.min(places.size(), i + 6)));
            }
            var skipped =
                    journal.unsent("accounts", Slices.ALL, Position.after(all.getFirst().id().key()), 1);
            assertThat(skipped.getFirst().id()).isEqualTo(all.get(4).id());
        }
    }

    @Test
    void whatATurnHasComesBack() throws Exception {
        try (var journal = open()) {
            var reminder = new Reminder(ID, "late", Instant.ofEpochMilli(5), "PT3S", new byte[]{5});
            var turn = new Turn(ID, 1, Instant.ofEpochMilli(9), new byte[]{1, 2, 3},
                    List.of(handled(1, new byte[]{4, 5})), new byte[]{6}, List.of(reminder),
                    Set.of(), Optional.empty(), false);
            journal.commit(List.of(turn(new Id("b", "0"), 1), turn, turn(new Id("b", "1"), 1)));
            var read = journal.load(List.of(ID)).get(ID).turns().getFirst();
            assertThat(read.events()).containsExactly(1, 2, 3);
            assertThat(read.outbox()).containsExactly(6);
            assertThat(journal.handled(ID, new UUID(7, 1)).orElseThrow().answer()).containsExactly(4, 5);
            assertThat(read.at()).isEqualTo(Instant.ofEpochMilli(9));
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 5)).extracting(Turn::revision)
                    .containsExactly(1L);
            journal.sent(List.of(new Sent(ID, 1)));
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 5)).isEmpty();
            var due = journal.due("accounts", Slices.ALL, Instant.ofEpochMilli(5), 5).getFirst();
            assertThat(due.name()).isEqualTo("late");
            assertThat(due.every()).isEqualTo("PT3S");
            assertThat(due.message()).containsExactly(5);
            assertThat(journal.due("accounts", Slices.ALL, Instant.ofEpochMilli(4), 5)).isEmpty();
        }
    }

    @Test
    @Promise("63.8")
    void aTurnOfTheLargestSizeIsWrittenAndComesBack() throws Exception {
        var random = new Random(7);
        var events = new byte[MOST_OF_TURN / 2];
        var state = new byte[MOST_OF_TURN / 2];
        random.nextBytes(events);
        random.nextBytes(state);
        try (var journal = open()) {
            var turn = new Turn(ID, 1, NOW, events, List.of(), NONE, List.of(), Set.of(),
                    Optional.empty(), false);
            assertThat(journal.commit(List.of(turn))).isEqualTo(bits(0));
            assertThat(journal.load(List.of(ID)).get(ID).turns().getFirst().events()).isEqualTo(events);
            var largest = new Turn(ID, 2, NOW, events, List.of(), NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(2, state)), false);
            assertThat(journal.commit(List.of(largest))).isEqualTo(bits(0));
            assertThat(journal.load(List.of(ID)).get(ID).snapshot().orElseThrow().state()).isEqualTo(state);
        }
    }

    @Test
    @Promise("89.1")
    void keysAreListedInPagesByPrefixAndThoseWithoutAStateAreNotAmongThem() throws Exception {
        try (var journal = open()) {
            assertThat(journal.keys("accounts", "", "", 10)).isEmpty();
            for (var key : List.of("b2", "a1", "b1", "a%", "\u00fc", "b3", "c")) {
                journal.commit(List.of(turn(new Id("accounts", key), 1)));
            }
            journal.commit(
                    List.of(withSnapshot(new Id("accounts", "b2"), 2), turn(new Id("others", "b9"), 1)));
            var gone = new Id("accounts", "b3");
            journal.commit(List.of(new Turn(gone, 2, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(2, NONE)), true)));
            assertThat(requirePages((after, most) -> journal.keys("accounts", "", after, most)))
                    .containsExactlyInAnyOrder("a%", "a1", "b1", "b2", "c", "\u00fc");
            assertThat(requirePages((after, most) -> journal.keys("accounts", "b", after, most)))
                    .containsExactlyInAnyOrder("b1", "b2");
            assertThat(journal.keys("accounts", "a%", "", 10)).containsExactly("a%");
            journal.commit(List.of(turn(gone, 3)));
            assertThat(journal.keys("accounts", "b", "", 10)).as("it has a state again")
                    .containsExactlyInAnyOrder("b1", "b2", "b3");
        }
    }

    private static Turn deleted(long revision) {
        return new Turn(ID, revision, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(revision, NONE)), true);
    }

    @Test
    @Promise("89.3")
    void ofAKeyThatIsErasedNothingIsLeftButItsNumber() throws Exception {
        try (var journal = open()) {
            var first = new Turn(ID, 1, NOW, new byte[]{1}, List.of(handled(1, new byte[]{1})), new byte[]{9},
                    List.of(new Reminder(ID, "r", NOW, "", new byte[]{5})), Set.of(),
                    Optional.empty(), false);
            journal.commit(List.of(first, withSnapshot(ID, 2), turn(new Id("accounts", "other"), 1)));
            journal.park(new Sent(ID, 1), NONE,
                    Reminder.letter(new Sent(ID, 1), 0, NOW, new byte[]{9},
                            new Tries(3, Tries.NEVER, "full")));
            assertThat(erase(journal, deleted(2))).as("there was a turn meanwhile").isFalse();
            assertThat(journal.reminder(ID, "r")).isPresent();
            assertThat(journal.handled(ID, new UUID(7, 1))).isPresent();
            assertThat(journal.history(ID, 0, 1).getFirst().events()).containsExactly(1);
            assertThat(erase(journal, deleted(3))).isTrue();
            assertThat(journal.history(ID, 0, 10)).allSatisfy(turn -> {
                assertThat(turn.events()).isEmpty();
                assertThat(turn.outbox()).isEmpty();
            });
            assertThat(journal.handled(ID, new UUID(7, 1))).isEmpty();
            assertThat(journal.parked("accounts", "", "", 10)).isEmpty();
            assertThat(journal.reminder(ID, "r")).isEmpty();
            assertThat(journal.keys("accounts", "", "", 10)).containsExactly("other");
            assertThat(journal.revisions(List.of(ID))).containsEntry(ID, 3L);
            assertThat(journal.commit(List.of(turn(ID, 1)))).as("a writer that is behind").isEqualTo(bits());
            assertThat(journal.commit(List.of(turn(ID, 4)))).isEqualTo(bits(0));
            compact(journal);
            assertThat(journal.history(ID, 0, 10)).extracting(Turn::revision).contains(4L).doesNotContain(1L,
                    2L);
        }
    }

    @Test
    @Promise("90.2")
    void whatIsParkedIsCountedAndKeysWithLettersAreRead() throws Exception {
        try (var journal = open()) {
            var parked = new Tries(1, Tries.NEVER, "");
            for (var key : List.of("a", "b", "c")) {
                var id = new Id("accounts", key);
                journal.commit(List.of(new Turn(id, 1, NOW, NONE, List.of(), NONE, List.of(
                        key.equals("b") ? new Reminder(id, "r", NOW, "", NONE, parked)
                                : Reminder.letter(new Sent(id, 1), 0, NOW, NONE, parked),
                        Reminder.letter(new Sent(id, 1), 1, NOW, NONE, new Tries(1, NOW, "")),
                        new Reminder(id, "s", NOW, "", NONE, parked)), Set.of(), Optional.empty(), false)));
            }
            assertThat(journal.countParked("accounts")).as("also what is sent again").isEqualTo(9);
            assertThat(journal.countParked("others")).isZero();
            assertThat(requirePages((after, most) -> journal.keysOfParked("accounts", after, most)))
                    .containsExactlyInAnyOrder("a", "b", "c");
            assertThat(journal.keysOfParked("others", "", 3)).isEmpty();
        }
    }

    @Test
    @Promise("90.1")
    void aLetterIsParkedWithItsTurnAndIsThereUntilItIsDropped() throws Exception {
        try (var journal = open()) {
            var sent = new Sent(ID, 1);
            journal.commit(List.of(new Turn(ID, 1, NOW, NONE, List.of(), new byte[]{9}, List.of(), Set.of(),
                    Optional.empty(), false)));
            var letter = Reminder.letter(sent, 2, NOW, new byte[]{9}, new Tries(3, Tries.NEVER, "full"));
            var none = new Sent(new Id("accounts", "none"), 1);
            assertThat(journal.park(none, NONE, Reminder.letter(none, 0, NOW, NONE, letter.tries())))
                    .isFalse();
            assertThat(journal.park(sent, new byte[]{8}, letter)).isTrue();
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10).getFirst().outbox())
                    .containsExactly(8);
            assertThat(journal.park(sent, NONE, letter)).as("one of the same name is replaced").isTrue();
            assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).isEmpty();
            assertThat(journal.due("accounts", Slices.ALL, NOW.plus(Duration.ofDays(90_000)), 10)).isEmpty();
            assertThat(journal.parked("accounts", "", "", 10)).singleElement().satisfies(parked -> {
                assertThat(parked.isLetter()).isTrue();
                assertThat(parked.isParked()).isTrue();
                assertThat(parked.message()).containsExactly(9);
                assertThat(parked.tries()).isEqualTo(letter.tries());
            });
            assertThat(journal.parked("accounts", ID.key(), letter.name(), 10)).isEmpty();
            journal.postpone(List.of(letter.with(new Tries(0, NOW, ""))));
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).hasSize(1);
            assertThat(journal.parked("accounts", "", "", 10)).as("it is sent again, and was not handled yet")
                    .hasSize(1);
            assertThat(journal.countParked("accounts")).isOne();
            assertThat(journal.keysOfParked("accounts", "", 10)).containsExactly(ID.key());
            assertThat(journal.keysOfParked("accounts", ID.key(), 10)).isEmpty();
            assertThat(journal.parked("accounts", ID.key(), letter.name(), 10)).isEmpty();
            var receiver = new Id("accounts", "receiver");
            journal.commit(List.of(new Turn(receiver, 1, NOW, NONE,
                    List.of(new Handled(new UUID(7, 7), NOW, Optional.of(sent), NONE)), NONE, List.of(),
                    Set.of(),
                    Optional.empty(), false)));
            assertThat(journal.expire("accounts", NOW.plusSeconds(1), 10)).as("the letter may be sent again")
                    .isZero();
            journal.commit(List.of(new Turn(ID, 2, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                    Optional.of(new Snapshot(2, NONE)), true)));
            assertThat(journal.parked("accounts", "", "", 10)).as("it goes on when its key is deleted")
                    .hasSize(1);
            journal.drop(letter, Optional.empty());
            assertThat(journal.parked("accounts", "", "", 10)).isEmpty();
            assertThat(journal.expire("accounts", NOW.plusSeconds(1), 10)).isOne();
        }
    }

    @Test
    @Promise("90.3")
    void aReminderIsDroppedAtItsTimeAloneAndMayHaveALaterOne() throws Exception {
        try (var journal = open()) {
            var parked = new Reminder(ID, "r", NOW, "PT1S", new byte[]{9}, new Tries(3, Tries.NEVER, "full"));
            journal.commit(List.of(new Turn(ID, 1, NOW, NONE, List.of(), NONE, List.of(parked), Set.of(),
                    Optional.empty(), false)));
            var other = new Reminder(ID, "r", NOW.plusSeconds(9), "PT1S", NONE);
            journal.drop(other, Optional.empty());
            journal.drop(other, Optional.of(NOW));
            assertThat(journal.reminder(ID, "r").orElseThrow().tries()).isEqualTo(parked.tries());
            var later = NOW.plusSeconds(1);
            journal.drop(parked, Optional.of(later));
            assertThat(journal.countParked("accounts")).isZero();
            assertThat(journal.due("accounts", Slices.ALL, NOW, 10)).isEmpty();
            assertThat(journal.due("accounts", Slices.ALL, later, 10)).singleElement().satisfies(next -> {
                assertThat(next.at()).isEqualTo(later);
                assertThat(next.every()).isEqualTo("PT1S");
                assertThat(next.message()).containsExactly(9);
                assertThat(next.tries()).isEqualTo(new Tries(0, later, ""));
            });
            journal.drop(parked, Optional.empty());
            assertThat(journal.reminder(ID, "r")).as("it has another time by now").isPresent();
            journal.drop(new Reminder(ID, "r", later, "", NONE), Optional.empty());
            assertThat(journal.reminder(ID, "r")).isEmpty();
            journal.drop(parked, Optional.of(later));
            assertThat(journal.reminder(ID, "r")).as("one that is not there").isEmpty();
        }
    }

    /** Hands over two turns at a time, as "key revision", until there are no more at the moment. */
    static Journal.Progress follow(Journal.Follower follower, List<String> taken) throws Exception {
        for (int before = -1;; before = taken.size()) {
            var progress = follower.step(2, false, (connection, from, turns) -> turns
                    .forEach(each -> taken.add(each.turn().id().key() + " " + each.turn().revision())));
            if (!progress.mayHaveMore() || before == taken.size()) {
                return progress;
            }
        }
    }

    /** Goes on where the last rows had no turns of the groups. */
    private static void followAll(Journal.Follower follower, List<String> taken) throws Exception {
        while (follow(follower, taken).mayHaveMore()) {
            Thread.onSpinWait();
        }
    }

    /** A projection does not begin without turns of {@link #ID}. */
    private static void requireRefusal(ThrowingCallable begin) {
        assertThatThrownBy(begin).isInstanceOf(IllegalStateException.class).hasMessageContaining(ID.group())
                .hasMessageContaining(ID.key());
    }

    @Test
    @Promise("88.1")
    void eachTurnOfAGroupIsHandedOverOnceInItsOrderAndIsNotDeletedBefore() throws Exception {
        var taken = new ArrayList<String>();
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            follower.step(10, false, (connection, from, turns) -> {
                assertThat(from).isEqualTo(Journal.Follower.START);
                assertThat(turns).isEmpty();
                taken.add("begin");
            });
            follow(follower, taken);
            assertThat(taken).containsExactly("begin");
            journal.commit(List.of(turn(ID, 1), turn(new Id("others", "1"), 1), turn(ID, 2)));
            journal.commit(List.of(turn(new Id("accounts", "b"), 1)));
            journal.commit(List.of(withSnapshot(ID, 3)));
            assertThat(compact(journal)).as("they were not handed over").isZero();
            follow(follower, taken);
            assertThat(taken).containsExactly("begin", "4711 1", "4711 2", "b 1", "4711 3");
            assertThat(compact(journal)).isPositive();
            journal.commit(List.of(turn(ID, 4)));
        }
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            follow(follower, taken);
            assertThat(taken).hasSize(6).endsWith("4711 4");
            requireRefusal(follower::rewind);
        }
    }

    @Test
    @Promise("88.4")
    void turnsAreKeptForAProjectionFromTheMomentWhenItIsOpened() throws Exception {
        var taken = new ArrayList<String>();
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            journal.commit(List.of(turn(ID, 1), withSnapshot(ID, 2)));
            journal.commit(List.of(turn(new Id("accounts", "z"), 1)));
            assertThat(compact(journal)).as("no step was done").isZero();
            follow(follower, taken);
            assertThat(taken).containsExactly("4711 1", "4711 2", "z 1");
            assertThat(compact(journal)).isPositive();
            requireRefusal(() -> journal.follow("late", Set.of("accounts")));
        }
    }

    /** The first turn is there, since its message never went through, and others behind it are not. */
    @Test
    @Promise("88.4")
    void aProjectionIsRefusedIfAnyTurnIsMissingAndNotOnlyTheFirstOne() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(new Turn(ID, 1, NOW, NONE, List.of(), new byte[]{9}, List.of(), Set.of(),
                    Optional.empty(), false), turn(ID, 2), withSnapshot(ID, 3), turn(ID, 4),
                    turn(new Id("others", "z"), 1)));
            try (var follower = journal.follow("early", Set.of("accounts"))) {
                var taken = new ArrayList<String>();
                follow(follower, taken);
                assertThat(taken).hasSize(4);
                follower.rewind();
                follow(follower, taken);
                assertThat(taken).hasSize(8);
                assertThat(compact(journal)).isEqualTo(2);
                assertThat(journal.history(ID, 0, 10)).extracting(Turn::revision).containsExactly(1L, 4L);
                assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 10)).singleElement()
                        .satisfies(unsent -> assertThat(unsent.at()).isAfterOrEqualTo(Instant.EPOCH));
                requireRefusal(follower::rewind);
            }
            requireRefusal(() -> journal.follow("late", Set.of("accounts")));
        }
    }

    /** So no page is taken for the last one that is not, whichever of them a database takes first. */
    @Test
    @Promise("67.1")
    void aPageOfRemindersOfOneTimeIsFullOrTheLastOne() throws Exception {
        try (var journal = open()) {
            for (int i = 0; i < 400; i++) {
                var id = new Id("accounts", "k" + i * 7 % 400);
                journal.commit(List.of(new Turn(id, 1, NOW, NONE, List.of(), NONE,
                        List.of(new Reminder(id, "r", NOW, "", new byte[i % 10 == 0 ? 1 << 20 : 10])),
                        Set.of(),
                        Optional.empty(), false)));
            }
            for (int most : List.of(3, 50, 200, 390, 1_000)) {
                assertThat(Reminder.isFull(journal.due("accounts", Slices.ALL, NOW, most), most)).isTrue();
            }
        }
    }

    /** Such as those of a test whose clock begins there. An earlier time is no mark of another kind either. */
    @Test
    @Promise({"88.1", "89.1"})
    void turnsOfTheBeginOfTimeAreTurns() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(at(ID, 1, Instant.EPOCH)));
            journal.commit(List.of(at(new Id("accounts", "early"), 1, Instant.EPOCH.minusSeconds(1))));
            assertThat(journal.keys("accounts", "", "", 10)).containsExactlyInAnyOrder(ID.key(), "early");
            try (var follower = journal.follow("sums", Set.of("accounts"))) {
                var taken = new ArrayList<String>();
                follower.pause(true);
                assertThat(follow(follower, taken).waiting()).contains(Instant.EPOCH);
                follower.pause(false);
                follow(follower, taken);
                assertThat(taken).containsExactly("4711 1", "early 1");
                journal.commit(List.of(withSnapshot(ID, 2)));
                follower.rewind();
                follow(follower, taken);
                assertThat(taken).endsWith("4711 1", "early 1", "4711 2").hasSize(5);
            }
            assertThat(journal.history(ID, 0, 10)).extracting(Turn::at).containsExactly(Instant.EPOCH, NOW);
        }
    }

    /** A process ends between two steps, and the key comes back before it is erased again. */
    @Test
    @Promise({"88.4", "89.3"})
    void anErasureHasStepsThatGoBackToTheFirstTurn() throws Exception {
        try (var journal = open()) {
            var other = new Id("accounts", "other");
            for (long i = 1; i <= 25; i++) {
                journal.commit(List.of(turn(ID, i), turn(other, i)));
            }
            var follower = journal.follow("late", Set.of("accounts"));
            assertThat(
                    journal.erase(new Turn(ID, 26, NOW, Frames.ERASED, List.of(), NONE, List.of(), Set.of(),
                            Optional.of(new Snapshot(26, NONE)), true)))
                    .isTrue();
            assertThat(journal.keys("accounts", "", "", 10)).containsExactly("other");
            long below = journal.eraseBelow(ID, 26, 10).orElseThrow();
            assertThat(below).isBetween(16L, 25L);
            var left = LongStream.concat(LongStream.range(1, below), LongStream.of(26)).boxed().toList();
            assertThat(written(journal, ID)).isEqualTo(left);
            var taken = new ArrayList<String>();
            follow(follower, taken);
            taken.removeIf(turn -> !turn.startsWith(ID.key()));
            assertThat(taken).isEqualTo(left.stream().map(revision -> "4711 " + revision).toList());
            journal.commit(List.of(new Turn(ID, 27, NOW, new byte[]{27}, List.of(handled(27, NONE)), NONE,
                    List.of(new Reminder(ID, "r", NOW, "", NONE)), Set.of(), Optional.empty(), false)));
            for (var next = journal.eraseBelow(ID, below, 10); next.isPresent(); next =
                    journal.eraseBelow(ID, below, 10)) {
                assertThat(next.getAsLong()).isBetween(below - 10, below - 1);
                below = next.getAsLong();
            }
            assertThat(below).as("the last step erases ten turns at most, too").isLessThanOrEqualTo(11);
            assertThat(written(journal, ID)).containsExactly(26L, 27L);
            assertThat(journal.reminder(ID, "r")).as("of the key that came back").isPresent();
            assertThat(journal.handled(ID, new UUID(7, 27))).isPresent();
            assertThat(
                    erase(journal, new Turn(ID, 28, NOW, Frames.ERASED, List.of(), NONE, List.of(), Set.of(),
                            Optional.of(new Snapshot(28, NONE)), true)))
                    .isTrue();
            assertThat(written(journal, ID)).containsExactly(28L);
            follower.rewind();
            taken.clear();
            followAll(follower, taken);
            taken.removeIf(turn -> !turn.startsWith(ID.key()));
            assertThat(taken).containsExactly("4711 28");
            follower.close();
            assertThat(journal.eraseBelow(ID, 28, 100)).as("it is done").isEmpty();
            assertThat(journal.eraseBelow(new Id("accounts", "none"), 9, 10)).isEmpty();
            assertThat(written(journal, other)).hasSize(25);
        }
    }

    /** Returns the turns of a key that are not empty. */
    private static List<Long> written(Journal journal, Id id) throws Exception {
        return journal.history(id, 0, 100).stream().filter(turn -> turn.events().length > 0)
                .map(Turn::revision).toList();
    }

    private static Turn at(Id id, long revision, Instant at) {
        return new Turn(id, revision, at, new byte[]{1}, List.of(), NONE, List.of(), Set.of(),
                Optional.empty(), false);
    }

    @Test
    @Promise({"88.4", "89.3"})
    void ofAKeyThatWasErasedAProjectionGetsTheTurnsSince() throws Exception {
        try (var journal = open()) {
            journal.commit(List.of(turn(ID, 1), turn(ID, 2)));
            assertThat(
                    erase(journal, new Turn(ID, 3, NOW, Frames.ERASED, List.of(), NONE, List.of(), Set.of(),
                            Optional.of(new Snapshot(3, NONE)), true)))
                    .isTrue();
            journal.commit(List.of(turn(ID, 4), withSnapshot(ID, 5)));
            try (var follower = journal.follow("sums", Set.of("accounts"))) {
                var taken = new ArrayList<String>();
                follower.pause(true);
                assertThat(follow(follower, taken).waiting()).contains(NOW);
                follower.pause(false);
                follow(follower, taken);
                assertThat(taken).containsExactly("4711 3", "4711 4", "4711 5");
            }
        }
    }

    @Test
    @Promise("88.2")
    void whatFailsIsHandedOverAgainAndAPauseHoldsForAll() throws Exception {
        try (var journal = open();
                var follower = journal.follow("sums", Set.of("accounts"));
                var other = journal.follow("sums", Set.of("accounts"))) {
            var taken = new ArrayList<String>();
            journal.commit(List.of(turn(ID, 1)));
            assertThatThrownBy(() -> follower.step(10, false, (connection, from, turns) -> {
                throw new IllegalArgumentException("on purpose");
            })).hasStackTraceContaining("on purpose");
            other.pause(true);
            assertThat(follow(follower, taken).waiting()).contains(NOW);
            assertThat(taken).isEmpty();
            follower.pause(false);
            follow(follower, taken);
            follow(other, taken);
            assertThat(taken).containsExactly("4711 1");
            other.rewind();
            follow(follower, taken);
            assertThat(taken).containsExactly("4711 1", "4711 1");
            try (var more = journal.follow("sums", Set.of("accounts", "others"))) {
                assertThatThrownBy(() -> more.step(1, false, (connection, from, turns) -> taken.clear()))
                        .isInstanceOf(IllegalStateException.class);
            }
            other.forget();
            follow(follower, taken);
            assertThat(taken).hasSize(3);
        }
    }

    /** A step may be done by a process that had come further before another one began again. */
    @Test
    @Promise("88.1")
    void whatAnotherProcessHasBegunAgainIsHandedOverWithoutAGap() throws Exception {
        try (var journal = open();
                var follower = journal.follow("sums", Set.of("accounts"));
                var other = journal.follow("sums", Set.of("accounts"))) {
            journal.commit(LongStream.rangeClosed(1, 5).mapToObj(revision -> turn(ID, revision)).toList());
            var all = List.of("4711 1", "4711 2", "4711 3", "4711 4", "4711 5");
            for (int time = 0; time < 3; time++) {
                if (time == 1) {
                    other.rewind();
                } else if (time == 2) {
                    other.forget();
                }
                var taken = new ArrayList<String>();
                other.step(2, false, (connection, from, turns) -> turns
                        .forEach(each -> taken.add(each.turn().id().key() + " " + each.turn().revision())));
                follow(follower, taken);
                assertThat(taken).isEqualTo(all);
            }
        }
    }

    @Test
    @Promise("91.1")
    void whatWaitsIsKnownBehindTurnsOfOtherGroups() throws Exception {
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            var taken = new ArrayList<String>();
            follow(follower, taken);
            follower.pause(true);
            journal.commit(LongStream.rangeClosed(1, 3)
                    .mapToObj(revision -> turn(new Id("others", "1"), revision)).toList());
            journal.commit(List.of(turn(ID, 1)));
            assertThat(follow(follower, taken).waiting()).contains(NOW);
        }
    }

    @Test
    @Promise("88.3")
    void oneProcessAtATimeIsAtWorkAndTheNextOneGoesOn() throws Exception {
        try (var journal = open()) {
            if (!journal.isForManyProcesses()) {
                return;
            }
        }
        try (var journal = open();
                var other = open();
                var follower = journal.follow("sums", Set.of("accounts"));
                var second = other.follow("sums", Set.of("accounts"))) {
            journal.commit(List.of(turn(ID, 1)));
            var taken = new ArrayList<String>();
            follower.step(10, false, (connection, from, turns) -> {
                var progress = second.step(10, false, (none, place, theirs) -> taken.add("at the same time"));
                assertThat(progress.waiting()).contains(NOW);
                taken.add("mine");
            });
            follow(second, taken);
            assertThat(taken).containsExactly("mine");
        }
    }

    @Test
    @Promise("88.2")
    void whatAStepWritesInItsTransactionIsThereIfItsTurnsCount() throws Exception {
        try (var journal = open(); var follower = journal.follow("sums", Set.of("accounts"))) {
            if (!hasTransactions()) {
                assertThatThrownBy(() -> follower.step(10, true, (connection, from, turns) -> {
                    throw new AssertionError("nothing is handed over");
                })).isInstanceOf(IllegalStateException.class);
                return;
            }
            var found = new ArrayList<Integer>();
            follower.step(10, true, (connection, from, turns) -> run(connection,
                    "CREATE TABLE contract_sums(n INTEGER)"));
            journal.commit(List.of(turn(ID, 1)));
            assertThatThrownBy(() -> follower.step(10, true, (connection, from, turns) -> {
                run(connection, "INSERT INTO contract_sums VALUES(1)");
                throw new IllegalArgumentException("on purpose");
            })).hasStackTraceContaining("on purpose");
            follower.step(10, true, (connection, from, turns) -> {
                found.add(sum(connection));
                run(connection, "INSERT INTO contract_sums VALUES(1)");
            });
            journal.commit(List.of(turn(ID, 2)));
            follower.step(10, true, (connection, from, turns) -> {
                found.add(sum(connection));
                assertThat(turns).as("the first one counts").hasSize(1);
                run(connection, "DROP TABLE contract_sums");
            });
            assertThat(found).containsExactly(0, 1);
        }
    }

    /**
     * Tells whether {@link Journal.Work} of a step gets a connection in whose transaction the place moves. A journal without
     * such connections returns false: it refuses such a step.
     *
     * @return true if it does
     */
    protected boolean hasTransactions() {
        return true;
    }

    private static Statement statement(Optional<Connection> connection) throws SQLException {
        assertThat(connection).as("the connection of the transaction").isPresent();
        return connection.orElseThrow().createStatement();
    }

    private static void run(Optional<Connection> connection, String sql) throws SQLException {
        try (var statement = statement(connection)) {
            statement.execute(sql);
        }
    }

    private static int sum(Optional<Connection> connection) throws SQLException {
        try (var statement = statement(connection);
                var rows = statement.executeQuery("SELECT count(*) FROM contract_sums")) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    /** The next step may be done by another process. */
    @Test
    @Promise("88.2")
    void whatFailsWithAnErrorIsHandedOverAgain() throws Exception {
        try (var journal = open();
                var follower = journal.follow("sums", Set.of("accounts"));
                var other = journal.follow("sums", Set.of("accounts"))) {
            var taken = new ArrayList<String>();
            journal.commit(List.of(turn(ID, 1)));
            assertThatThrownBy(() -> follower.step(10, false, (connection, from, turns) -> {
                throw new AssertionError("on purpose");
            })).isInstanceOf(AssertionError.class);
            follow(other, taken);
            assertThat(taken).containsExactly("4711 1");
            follow(follower, taken);
            assertThat(taken).hasSize(1);
        }
    }
}
