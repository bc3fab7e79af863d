package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Durable.Past;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists and repairs. */
class DurableKeysTest {
    private static final String SECRET = "ann of Ann Arbor ";
    private static final String LARGE_SECRET = "all that Ann has bought";
    private static final String OTHER = "something else ";

    @TempDir
    private Path folder;

    private DurableStore open() {
        return DurableStore.open("file:" + folder.resolve("bank.db"));
    }

    @Test
    @Promise({"89.1", "89.2"})
    void keysAreListedAndDeletedAndTheirActorsSeeIt() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            var keys = Bank.durable(store).keys();
            for (int i = 0; i < 5; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i, 1)));
            }
            assertThat(keys.list("", "", 3)).containsExactly("a0", "a1", "a2");
            assertThat(keys.list("", "a2", 3)).containsExactly("a3", "a4");
            assertThat(keys.count("a")).isEqualTo(5);
            Waits.on(accounts.sendMessageReturn(new Bank.Later("a1", Instant.now().plusSeconds(3_600), 7)));
            assertThat(keys.delete("a1")).isTrue();
            assertThat(keys.delete("none")).isFalse();
            assertThat(keys.count("")).isEqualTo(4);
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a1"))).cents()).isZero();
            var later = store.read(journal -> journal.reminder(new Journal.Id("accounts", "a1"), "later"));
            assertThat(later).isEmpty();
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a1", 3))))
                    .isEqualTo(new Answer(3, 3));
        }
    }

    /** The store finds them from the moment at which they have their name. What begins reads the store. */
    @Test
    @Promise("89.2")
    void keysAreDeletedAndErasedWhileTheirActorsAreBeingMade() throws Exception {
        try (var store = open()) {
            try (var scope = ActorSystem.open("bank")) {
                var accounts = Bank.open(scope, store);
                for (var key : List.of("deleted", "erased")) {
                    Waits.on(accounts.sendMessageReturn(Bank.deposit(key, 1)));
                }
            }
            var keys = Bank.durable(store).keys();
            CreationStrategy strategy = name -> {
                try {
                    if (name.equals("accounts-outbox")) {
                        assertThat(keys.delete("deleted")).isTrue();
                        assertThat(keys.erase("erased")).isTrue();
                    }
                    return Thread::startVirtualThread;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            };
            try (var scope = ActorSystem.configure("bank").strategy(strategy).open()) {
                var accounts = Bank.open(scope, store);
                for (var key : List.of("deleted", "erased")) {
                    assertThat(Waits.on(accounts.sendMessageReturn(new Look(key))))
                            .isEqualTo(new Answer(0, 2));
                }
            }
        }
    }

    /** What cannot be read fails the messages of its key, and can be deleted. */
    @Test
    @Promise("89.2")
    void aKeyThatCannotBeReadIsDeletedAllTheSame() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            Waits.on(Bank.open(scope, store).sendMessageReturn(Bank.deposit("a", 1)));
        }
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                var statement = connection.createStatement()) {
            statement.execute("UPDATE fibry_turns SET events = x'00010203'");
        }
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            assertThatThrownBy(() -> Waits.on(accounts.sendMessageReturn(new Look("a"))))
                    .hasStackTraceContaining("cannot be read at revision 1");
            var keys = Bank.durable(store).keys();
            var lines = new StringBuilder();
            assertThat(keys.exportTo("", lines)).isZero();
            assertThat(lines.toString())
                    .startsWith("{\"key\":\"a\",\"error\":\"the state of accounts a cannot be read");
            lines.append("{\"key\":\"b\",\"state\":[\"Balance\",{\"cents\":7,\"events\":1}]}\n");
            assertThat(keys.importFrom(new StringReader(lines.toString())))
                    .as("the line with an error is none")
                    .isOne();
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("b"))).cents()).isEqualTo(7);
            assertThat(keys.delete("a")).isTrue();
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a")))).isEqualTo(new Answer(0, 2));
        }
    }

    @Test
    @Promise("89.3")
    void ofAnErasedKeyTheFileHasNothing() throws Exception {
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var durable = Bank.durable(store).keepHistory(Duration.ofDays(1)).snapshotEvery(1);
            var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
            Waits.on(accounts.sendMessageReturn(new Bank.Deposit("ann", 123_456_789, Optional.of("secret"))));
            Waits.on(accounts.sendMessageReturn(new Bank.Later("ann", Instant.now().plusSeconds(3_600), 7)));
            Waits.on(accounts.sendMessageReturn(Bank.deposit("bob", 1)));
            assertThat(durable.keys().erase("ann")).isTrue();
            assertThat(durable.history("ann", 0, 10)).singleElement().satisfies(turn -> {
                assertThat(turn.isDeleted()).isTrue();
                assertThat(turn.events()).isEmpty();
                assertThat(turn.revision()).isEqualTo(3);
            });
            assertThat(durable.history("bob", 0, 10)).hasSize(1);
            assertThat(
                    Waits.on(accounts.sendMessageReturn(new Bank.Deposit("ann", 5, Optional.of("secret")))))
                    .as("its id is not known any more, and its numbers go on").isEqualTo(new Answer(5, 3));
        }
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT (SELECT count(*) FROM fibry_reminders),"
                        + " (SELECT count(*) FROM fibry_handled), (SELECT count(*) FROM fibry_turns)")) {
            rows.next();
            assertThat(rows.getInt(1)).isZero();
            assertThat(rows.getInt(2)).isOne();
            assertThat(rows.getInt(3)).isEqualTo(3);
        }
    }

    /** The type of the events tells nothing. */
    @Test
    @Promise("89.4")
    void aStateThatComesBackIsAnEventOnlyWhereStatesAreEvents() throws Exception {
        try (var store = DurableStore.inMemory()) {
            var line = "{\"key\":\"a\",\"state\":70}";
            var sums = Durable.of(store, "sums", Long.class, 0L, Long.class, Long::sum);
            assertThat(sums.keys().importFrom(new StringReader(line))).isOne();
            assertThat(sums.history("a", 0, 10)).singleElement()
                    .satisfies(turn -> assertThat(turn.events()).isEmpty());
            var states = Durable.stateOnly(store, "states", Long.class, 0L);
            assertThat(states.keys().importFrom(new StringReader(line))).isOne();
            assertThat(states.history("a", 0, 10)).singleElement()
                    .satisfies(turn -> assertThat(turn.events()).containsExactly(70L));
            var lines = new StringBuilder();
            sums.keys().exportTo("", lines);
            assertThat(lines.toString()).contains("\"state\":70");
        }
    }

    /**
     * What it said, of any size and in any row, also before it was replaced. SQLite may have copied rows within the pages of an
     * index, and leaves these copies where nothing is: a VACUUM writes the pages anew.
     */
    @Test
    @Promise("89.3")
    void ofAnErasedKeyTheBytesAreOverwrittenAndAVacuumLeavesNone() throws Exception {
        var ann = new Id("accounts", "ann");
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var journal = SqliteJournal.open(folder.resolve("bank.db"), Duration.ofSeconds(60))) {
            Flushing.setting(journal, "PRAGMA wal_autocheckpoint=100"); // so both files have what is erased
            var revisions = new HashMap<Id, Long>();
            for (int i = 0; i < 300; i++) {
                var id = i % 3 == 0 ? ann : new Id("accounts", "k" + random.nextInt(40));
                // What is behind a page is in pages of its own.
                var text = ((id.equals(ann) ? SECRET : OTHER).repeat(1 + random.nextInt(20))
                        + (i % 10 == 0 ? " ".repeat(8_000) + (id.equals(ann) ? LARGE_SECRET : OTHER) : ""))
                        .getBytes(StandardCharsets.UTF_8);
                long revision = revisions.merge(id, 1L, Long::sum);
                var sent = new Sent(id, revision);
                journal.commit(List.of(new Turn(id, revision, Instant.EPOCH, text,
                        List.of(new Handled(new UUID(1, i), Instant.EPOCH, Optional.empty(), text)), text,
                        List.of(new Reminder(id, "r" + random.nextInt(3), Instant.EPOCH, "", text)), Set.of(),
                        Optional.of(new Snapshot(revision, text)), false)));
                if (random.nextBoolean()) {
                    journal.sent(List.of(sent));
                } else {
                    journal.park(sent, Frames.NONE, Reminder.letter(sent, 0, Instant.EPOCH, text,
                            new Tries(1, Tries.NEVER, new String(text, 0, 14, StandardCharsets.UTF_8))));
                }
                if (i % 50 == 0) {
                    journal.compact("accounts", Instant.now(), Position.FIRST, 1_000);
                }
            }
            assertThat(filesWith(SECRET)).isNotEmpty();
            assertThat(filesWith(LARGE_SECRET)).isNotEmpty();
            assertThat(JournalContract.erase(journal,
                    new Turn(ann, 101, Instant.EPOCH, Frames.DELETED, List.of(), Frames.NONE,
                            List.of(), Set.of(), Optional.of(new Snapshot(101, Frames.NONE)), true)))
                    .isTrue();
            assertThat(filesWith(LARGE_SECRET)).as("seed %d", seed).isEmpty();
            try (var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bank.db"));
                    var statement = connection.createStatement()) {
                statement.execute("VACUUM");
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
            assertThat(filesWith(SECRET)).as("seed %d", seed).isEmpty();
            assertThat(filesWith(OTHER)).isNotEmpty();
        }
    }

    private List<Path> filesWith(String text) throws IOException {
        try (var files = Files.list(folder)) {
            var found = new ArrayList<Path>();
            for (var file : files.toList()) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
                    found.add(file);
                }
            }
            return found;
        }
    }

    /** The answer of the store is lost, and what it has written is there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Promise("89.2")
    void actorsSeeWhatWasWrittenWithoutAnAnswer(boolean isErased) throws Exception {
        var journal = new ForwardingJournal() {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                var written = super.commit(turns);
                if (turns.getFirst().deleted()) {
                    throw new IOException("on purpose");
                }
                return written;
            }

            @Override
            public boolean erase(Turn deleted) throws Exception {
                super.erase(deleted);
                throw new IOException("on purpose");
            }
        };
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            var keys = Bank.durable(store).keys();
            Waits.on(accounts.sendMessageReturn(Bank.deposit("ann", 1)));
            assertThatThrownBy(() -> {
                var unused = isErased ? keys.erase("ann") : keys.delete("ann");
            }).hasStackTraceContaining("on purpose");
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("ann")))).isEqualTo(new Answer(0, 2));
        }
    }

    /** So no statement takes longer than the limit, and others commit meanwhile. */
    @Test
    @Promise("89.3")
    void aLongPastIsErasedInStepsAndThoseThatWereNotDoneAreDoneTheNextTime() throws Exception {
        var steps = new AtomicInteger();
        var journal = new ForwardingJournal() {
            @Override
            public OptionalLong eraseBelow(Id id, long below, int most) throws Exception {
                if (steps.incrementAndGet() == 2) {
                    throw new IOException("on purpose");
                }
                return super.eraseBelow(id, below, most);
            }
        };
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            Waits.on(accounts.sendMessageReturn(Bank.deposit("ann", 1)));
            var ann = new Id("accounts", "ann");
            var first = store.load(ann).turns().getFirst();
            journal.commit(LongStream.rangeClosed(2, 3_500)
                    .mapToObj(revision -> new Turn(ann, revision, first.at(), first.events(), List.of(),
                            Frames.NONE, List.of(), Set.of(), Optional.empty(), false))
                    .toList());
            var keys = Bank.durable(store).keys();
            assertThatThrownBy(() -> keys.erase("ann")).hasStackTraceContaining("on purpose");
            assertThat(keys.list("", "", 9)).isEmpty();
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("ann")))).isEqualTo(new Answer(0, 3_501));
            steps.set(10);
            assertThat(keys.erase("ann")).isTrue();
            assertThat(steps).as("each has a thousand turns").hasValue(13);
            assertThat(Bank.durable(store).history("ann", 0, 9)).extracting(Past::revision)
                    .containsExactly(3_502L);
        }
    }

    /** The state before is not answered after it either. */
    @Test
    @Promise("89.2")
    void aReadThatFailsAfterAKeyWasErasedIsDoneAgain() throws Exception {
        var isBroken = new AtomicBoolean();
        var journal = new ForwardingJournal() {
            @Override
            public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
                if (isBroken.getAndSet(false)) {
                    throw new IOException("on purpose");
                }
                return super.load(ids);
            }
        };
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            Waits.on(accounts.sendMessageReturn(Bank.deposit("ann", 1)));
            assertThat(Bank.durable(store).keys().erase("ann")).isTrue();
            isBroken.set(true);
            assertThat(Waits.failure(accounts.sendMessageReturn(new Look("ann"))))
                    .hasStackTraceContaining("on purpose");
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("ann")))).isEqualTo(new Answer(0, 2));
        }
    }

    /** A read that fails, such as for a page of the program, is done apart from what actors begin with. */
    @Test
    @Promise("65.2")
    void aReadThatFailsFailsNoOther() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var store = DurableStore.inMemory(); var threads = Executors.newCachedThreadPool()) {
            var first = threads.submit(() -> store.<Boolean>read(journal -> {
                begun.countDown();
                return goOn.await(1, TimeUnit.MINUTES);
            }));
            begun.await();
            var waiting = new ConcurrentLinkedQueue<Thread>();
            var bad = threads.submit(() -> {
                waiting.add(Thread.currentThread());
                return store.read(journal -> {
                    throw new IllegalStateException("on purpose");
                });
            });
            var good = threads.submit(() -> {
                waiting.add(Thread.currentThread());
                return store.load(new Id("accounts", "ann"));
            });
            Waits.until("both wait", () -> waiting.size() == 2
                    && waiting.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
            goOn.countDown();
            assertThat(first.get()).isTrue();
            assertThat(good.get().turns()).isEmpty();
            assertThatThrownBy(bad::get).hasStackTraceContaining("on purpose");
        }
    }

    public record Note(String text, byte[] picture, Optional<Double> weight) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Note note && text.equals(note.text)
                    && java.util.Arrays.equals(picture, note.picture)
                    && weight.equals(note.weight);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    @Test
    @Promise("89.4")
    void statesLeaveAsLinesOfJsonAndComeBack() throws Exception {
        var lines = new StringBuilder();
        var notes = new StringBuilder();
        var note = new Note("\"tea\" \u00fc\n", new byte[]{0, -1, 7}, Optional.of(0.1));
        try (var store = open(); var scope = ActorSystem.open("bank")) {
            var accounts = Bank.open(scope, store);
            for (int i = 0; i < 3; i++) {
                Waits.on(accounts.sendMessageReturn(Bank.deposit("a" + i % 2, i + 1)));
            }
            assertThat(Bank.durable(store).keys().exportTo("", lines)).isEqualTo(2);
            var durable = Durable.stateOnly(store, "notes", Note.class,
                    new Note("", new byte[0], Optional.empty()));
            Waits.on(durable.keyed(scope, String.class, String.class, key -> key, (self, key) -> {
                self.persist(note);
                return "";
            }).sendMessageReturn("n"));
            durable.keys().exportTo("", notes);
        }
        assertThat(lines.toString()).isEqualTo("""
                {"key":"a0","revision":2,"state":["Balance",{"cents":4,"events":2}]}
                {"key":"a1","revision":1,"state":["Balance",{"cents":2,"events":1}]}
                """);
        try (var store = DurableStore.inMemory(); var scope = ActorSystem.open("copy")) {
            var accounts = Bank.open(scope, store);
            var keys = Bank.durable(store).keys();
            Waits.on(accounts.sendMessageReturn(Bank.deposit("a0", 99)));
            assertThat(keys
                    .importFrom(new StringReader(lines.toString().replace("\"cents\":2", "\"cents\":20"))))
                    .isEqualTo(2);
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a0")))).isEqualTo(new Answer(4, 2));
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a1", 1))).cents()).isEqualTo(21);
            assertThatThrownBy(
                    () -> keys.importFrom(new StringReader("{\"key\":\"x\",\"state\":{\"euros\":1}}")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("line 1 has no state of accounts");
            var durable = Durable.stateOnly(store, "notes", Note.class,
                    new Note("", new byte[0], Optional.empty()));
            durable.keys().importFrom(new StringReader(notes.toString()));
            assertThat(Waits.on(
                    durable.keyed(scope, String.class, Note.class, key -> key, (self, key) -> self.state())
                            .sendMessageReturn("n")))
                    .isEqualTo(note);
        }
    }
}
