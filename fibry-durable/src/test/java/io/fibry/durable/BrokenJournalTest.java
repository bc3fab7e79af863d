package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.durable.Journal.Follower;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Progress;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import io.fibry.durable.Journal.Work;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of journals refuse journals that are broken. */
class BrokenJournalTest {
    private static final Id ID = JournalContract.ID;

    /** A test of the contract. */
    private interface Part {
        void run(JournalContract contract) throws Exception;
    }

    /** The same test takes the journal that is not broken. */
    private static void requireRefused(Callable<Journal> broken, Callable<Journal> right, Part part) {
        assertThatCode(() -> part.run(contract(right))).doesNotThrowAnyException();
        assertThatThrownBy(() -> part.run(contract(broken))).isInstanceOf(AssertionError.class);
    }

    private static JournalContract contract(Callable<Journal> open) {
        return new JournalContract() {
            @Override
            protected Journal open() throws Exception {
                return open.call();
            }
        };
    }

    /** What a journal has forgotten when it is opened again. */
    private record Loss(String name, Change change) {
        @Override
        public String toString() {
            return name;
        }
    }

    private interface Change {
        void of(Journal journal) throws Exception;
    }

    private static List<Reminder> due(Journal journal) throws Exception {
        return journal.due(ID.group(), Slices.ALL, JournalContract.NOW.plusSeconds(99), 99);
    }

    static Stream<Loss> losses() {
        var later = JournalContract.NOW.plusSeconds(99);
        var others = Set.of("others");
        return Stream.of(
                new Loss("reminders", journal -> {
                    for (var each : due(journal)) {
                        journal.drop(each, Optional.empty());
                    }
                }),
                new Loss("tries", journal -> journal.postpone(
                        due(journal).stream().map(each -> each.with(new Tries(0, each.at(), ""))).toList())),
                new Loss("letters", journal -> {
                    for (var each : journal.parked(ID.group(), "", "", 99)) {
                        journal.drop(each, Optional.empty());
                    }
                }),
                new Loss("ids that were handled", journal -> {
                    journal.sent(List.of(new Sent(new Id("others", "sender"), 1)));
                    journal.expire(ID.group(), later, 99);
                }),
                new Loss("messages that were not sent", journal -> journal
                        .sent(journal.unsent(ID.group(), Slices.ALL, Position.FIRST, 99).stream()
                                .map(turn -> new Sent(turn.id(), turn.revision())).toList())),
                new Loss("the pause of a projection", journal -> journal.follow("sums", others).pause(false)),
                new Loss("the place of a projection", journal -> journal.follow("sums", others).rewind()));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void aJournalThatLosesSomethingAtItsCloseIsRefused(Loss loss) {
        var journal = new ForwardingJournal() {
            @Override
            public void close() throws IOException {
                try {
                    loss.change().of(memory());
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        };
        var right = new ForwardingJournal();
        requireRefused(() -> journal, () -> right,
                JournalContract::whatIsThereWhenAJournalIsClosedIsThereWhenItIsOpened);
    }

    /** What it has written itself it believes to be the newest. */
    private static final class Cached extends ForwardingJournal {
        private final Map<Id, Long> newest = new HashMap<>();

        Cached(Journal shared) {
            super(shared);
        }

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            var written = super.commit(turns);
            for (int i = 0; i < turns.size(); i++) {
                var turn = turns.get(i);
                if (written.get(i) || turn.revision() == newest.getOrDefault(turn.id(), 0L) + 1) {
                    newest.put(turn.id(), turn.revision());
                    written.set(i);
                }
            }
            return written;
        }
    }

    @Test
    void aJournalThatKnowsNothingOfOtherProcessesIsRefused() {
        var broken = new MemoryJournal();
        var right = new MemoryJournal();
        requireRefused(() -> new Cached(broken), () -> right,
                JournalContract::aProcessIsFencedByWhatAnotherOneHasWritten);
    }

    /** Between its two reads another thread commits. */
    @Test
    void aJournalThatReadsASnapshotAndTheTurnsBehindAnotherOneIsRefused() {
        var isReading = new CountDownLatch(1);
        var isOvertaken = new CountDownLatch(1);
        var isRead = new CountDownLatch(1);
        var broken = new ForwardingJournal() {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                long revision = turns.getFirst().revision();
                if (revision == 8) { // the one before has the first snapshot
                    isReading.await();
                } else if (revision == 16) { // the one before is behind the second snapshot
                    isOvertaken.countDown();
                    isRead.await();
                }
                return super.commit(turns);
            }

            @Override
            public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
                var before = super.load(ids);
                if (!before.containsKey(ID) || before.get(ID).snapshot().isEmpty()) {
                    return before;
                }
                isReading.countDown();
                isOvertaken.await();
                var turns = super.load(ids).get(ID).turns();
                isRead.countDown();
                return Map.of(ID, new Loaded(before.get(ID).snapshot(), turns, List.of()));
            }
        };
        var right = new MemoryJournal();
        requireRefused(() -> broken, () -> right, JournalContract::whatIsReadBesideCommitsIsWholeAndNew);
    }

    private interface Step {
        Progress of(Follower follower, int most, Work work) throws Exception;
    }

    private static Callable<Journal> file(Path file) {
        return () -> SqliteJournal.open(file, Duration.ofSeconds(60));
    }

    private static Callable<Journal> changed(Path file, Step step) {
        return () -> new ForwardingJournal(file(file).call()) {
            @Override
            public Follower follow(String name, Set<String> groups) throws Exception {
                var follower = super.follow(name, groups);
                return new ForwardingFollower(follower) {
                    @Override
                    public Progress step(int most, boolean inTransaction, Work work) throws Exception {
                        return step.of(follower, most, work);
                    }
                };
            }
        };
    }

    @Test
    void aJournalThatGivesAConnectionWithoutItsTransactionIsRefused(@TempDir Path folder) {
        var broken = folder.resolve("broken.db");
        requireRefused(
                changed(broken, (follower, most, work) -> follower.step(most, false, (none, from, turns) -> {
                    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + broken)) {
                        work.take(Optional.of(connection), from, turns);
                    }
                })), file(folder.resolve("right.db")),
                JournalContract::whatAStepWritesInItsTransactionIsThereIfItsTurnsCount);
    }

    @Test
    void aJournalThatGivesNoConnectionIsRefused(@TempDir Path folder) {
        requireRefused(
                changed(folder.resolve("broken.db"),
                        (follower, most, work) -> follower.step(most, false, work)),
                file(folder.resolve("right.db")),
                JournalContract::whatAStepWritesInItsTransactionIsThereIfItsTurnsCount);
    }
}
