package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.codec.Codec;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.event.ActorEvent;
import io.fibry.event.Undelivered;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The messages of one sender arrive in their order, also those of two processes, and however many there are. */
class OutboxOrderTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int PAGE = 10_000;
    /** How many turns an outbox reads at a time. */
    private static final int PAGE_OF_PASS = 1_000;
    private static final byte[] NONE = {};

    /** A message: the sender and its number. */
    public record Word(String sender, int number) {
    }

    private final MemoryJournal memory = new MemoryJournal();
    private final ConcurrentLinkedQueue<Word> heard = new ConcurrentLinkedQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** What a process before has not sent. */
    private static Turn unsent(String key, int revision) {
        var word = Codec.of(Word.class).encode(new Word(key, revision));
        return new Turn(new Id("senders", key), revision, Instant.now(), NONE, List.of(),
                Frames.outbox(List.of(new Letter("hearers", word))), List.of(), Set.of(), Optional.empty(),
                false);
    }

    /** Hears the words of {@code free} senders at once, those of {@code deaf} never, and all others when the test goes on. */
    private KeyedActors<String, Word, Void> hearers(ActorScope scope) {
        return scope.named("hearers").keyed(Word::sender).idle(LONG).newActorsFrom(key -> (context, word) -> {
            if (!key.startsWith("free")) {
                Waits.on(goOn);
            }
            if (key.equals("deaf")) {
                throw new IllegalStateException("no, on purpose");
            }
            heard.add(word);
        });
    }

    private static KeyedActors<String, Word, Long> senders(DurableStore store, ActorScope scope,
            KeyedActors<String, Word, Void> hearers) {
        return Durable.stateOnly(store, "senders", Long.class, 0L).reaches(hearers, Word.class)
                .idle(LONG).keyed(scope, Word.class, Long.class, Word::sender, (self, word) -> {
                    self.send(hearers, word);
                    return self.revision();
                });
    }

    private List<Integer> heardOf(String sender) {
        return heard.stream().filter(word -> word.sender.equals(sender)).map(Word::number).toList();
    }

    @Test
    @Promise("66.1")
    void whatAProcessBeforeHasLeftIsSentFirstAlsoIfItCouldNotBeReadAtOnce() throws Exception {
        memory.commit(List.of(unsent("a", 1)));
        var reads = new AtomicInteger();
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
                if (reads.incrementAndGet() == 1) {
                    throw new IllegalStateException("not yet");
                }
                return super.unsent(group, slices, after, most);
            }
        };
        goOn.countDown();
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var senders = senders(store, scope, hearers(scope));
            Waits.until("the first read has failed", () -> reads.get() >= 1);
            assertThat(Waits.on(senders.sendMessageReturn(new Word("a", 2)))).isEqualTo(1);
            Waits.until("both have arrived", () -> heardOf("a").size() >= 2);
            assertThat(heardOf("a")).containsExactly(1, 2);
        }
    }

    @Test
    @Promise("66.1")
    void soAreMoreThanAreReadAtATimeAndOneThatAlwaysFailsDoesNotHoldUpTheOthers() throws Exception {
        memory.commit(List.of(unsent("deaf", 1)));
        memory.commit(IntStream.range(0, PAGE).mapToObj(i -> unsent("k" + i, 1)).toList());
        memory.commit(List.of(unsent("z", 1)));
        try (var store = DurableStore.of(memory, CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var senders = senders(store, scope, hearers(scope));
            assertThat(Waits.on(senders.sendMessageReturn(new Word("z", 2)))).isEqualTo(1);
            goOn.countDown();
            Waits.until("all have arrived", () -> heard.size() >= PAGE + 2);
            assertThat(heardOf("z")).containsExactly(1, 2);
            assertThat(heard).as("each once, since no process has ended").hasSize(PAGE + 2);
            Waits.until("one is left",
                    () -> memory.unsent("senders", Slices.ALL, Position.FIRST, 10).size() == 1);
        }
    }

    /** Another writer has taken its revision, with the same state. */
    @Test
    @Promise({"64.2", "66.1"})
    void thoseOfATurnThatWasNotWrittenDoNotLeave() throws Exception {
        var isCut = new AtomicBoolean();
        var journal = new ForwardingJournal(memory) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                if (isCut.getAndSet(false)) {
                    memory.commit(List.of(ofOther(turns.getFirst().snapshot().orElseThrow())));
                    throw new IllegalStateException("connection cut");
                }
                return super.commit(turns);
            }
        };
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var senders = senders(store, scope, hearers(scope));
            Waits.on(senders.sendMessageReturn(new Word("free", 1)));
            memory.commit(List.of(ofOther(new Snapshot(2, NONE))));
            assertThat(Waits.failure(senders.sendMessageReturn(new Word("free", 2))))
                    .isInstanceOf(FencedException.class);
            Waits.on(senders.sendMessageReturn(new Word("free", 3)));
            isCut.set(true);
            assertThat(Waits.failure(senders.sendMessageReturn(new Word("free", 4))))
                    .hasMessageContaining("connection cut");
            Waits.on(senders.sendMessageReturn(new Word("free", 5)));
            Waits.until("the last one has arrived", () -> heardOf("free").contains(5));
            assertThat(heardOf("free")).containsExactly(1, 3, 5);
        }
    }

    /** Its turn is written later, and the actor has not seen it. */
    @Test
    @Promise("66.1")
    void soAreThoseOfATurnWhoseWaitWasInterrupted() throws Exception {
        try (var store = DurableStore.of(holdingTheSecondTurn(), CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var hearers = hearers(scope);
            var senders = Durable.stateOnly(store, "senders", Long.class, 0L).reaches(hearers, Word.class)
                    .idle(LONG).keyed(scope, Word.class, Long.class, Word::sender, (self, word) -> {
                        self.send(hearers, word);
                        if (word.number == 2) {
                            Thread.currentThread().interrupt();
                        }
                        return self.revision();
                    });
            Waits.on(senders.sendMessageReturn(new Word("free", 1)));
            assertThat(Waits.failure(senders.sendMessageReturn(new Word("free", 2))))
                    .isInstanceOf(InterruptedException.class);
            var last = senders.sendMessageReturn(new Word("free", 3));
            goOn.countDown();
            assertThat(Waits.on(last)).isEqualTo(2);
            Waits.until("the last one has arrived", () -> heardOf("free").contains(3));
            assertThat(heardOf("free")).containsExactly(1, 2, 3);
        }
    }

    /** It is written when the handler has ended, and another turn comes behind it. */
    @Test
    @Promise("66.1")
    void soAreThoseOfAFlushThatWasInterrupted() throws Exception {
        try (var store = DurableStore.of(holdingTheSecondTurn(), CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var hearers = hearers(scope);
            var durable = Durable.stateOnly(store, "senders", Long.class, 0L).reaches(hearers, Word.class)
                    .idle(LONG);
            var senders = durable.keyed(scope, Word.class, Long.class, Word::sender, (self, word) -> {
                self.persist(1L);
                self.send(hearers, word);
                if (word.number == 2) {
                    Thread.currentThread().interrupt();
                    try {
                        self.flush();
                    } finally {
                        goOn.countDown();
                    }
                }
                return self.revision();
            });
            Waits.on(senders.sendMessageReturn(new Word("free", 1)));
            assertThat(Waits.failure(senders.sendMessageReturn(new Word("free", 2))))
                    .isInstanceOf(InterruptedException.class);
            var lines = new StringBuilder();
            durable.keys().exportTo("", lines);
            assertThat(durable.keys().importFrom(new StringReader(lines.toString()))).isOne();
            assertThat(Waits.on(senders.sendMessageReturn(new Word("free", 3)))).isEqualTo(3);
            Waits.until("the last one has arrived", () -> heardOf("free").contains(3));
            assertThat(heardOf("free")).containsExactly(1, 2, 3);
        }
    }

    private Journal holdingTheSecondTurn() {
        return new ForwardingJournal(memory) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                if (turns.getFirst().revision() == 2) {
                    Waits.on(goOn);
                }
                return super.commit(turns);
            }
        };
    }

    private static Turn ofOther(Snapshot snapshot) {
        return new Turn(new Id("senders", "free"), snapshot.revision(), Instant.EPOCH, NONE, List.of(), NONE,
                List.of(), Set.of(), Optional.of(snapshot), false);
    }

    @Test
    @Promise("66.1")
    void soAreThoseOfASliceThatBeginsDuringAPass() throws Exception {
        var halves = new Slices(2, Set.of());
        memory.commit(IntStream.range(0, 3 * PAGE_OF_PASS).mapToObj(i -> unsent("k" + i, 1))
                .filter(turn -> halves.slice(turn.id()) == 0).toList());
        var early = IntStream.range(0, 100).mapToObj(i -> unsent("a" + i, 1))
                .filter(turn -> halves.slice(turn.id()) == 1).findFirst().orElseThrow();
        memory.commit(List.of(early));
        var told = new CompletableFuture<Actor<Outbox.Call, Void>>();
        var reads = new AtomicInteger();
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
                if (reads.incrementAndGet() == 1) {
                    Waits.on(told).sendMessage(new Outbox.Begun(1, 2));
                }
                return super.unsent(group, slices, after, most);
            }
        };
        goOn.countDown();
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(new ManualTime()).open()) {
            store.groups().add(new PlainTarget<>(hearers(scope), Word.class));
            Actor<Outbox.Call, Void> outbox = scope.anonymous()
                    .newActor(new Outbox(store, "senders", Durable.Parking.NEVER, new DurableLoad()));
            outbox.sendMessage(new Outbox.Begun(0, 2));
            told.complete(outbox);
            Waits.until("its message has arrived", () -> heardOf(early.id().key()).size() == 1);
        }
    }

    /** The mailboxes and the failure policy of the scope are for its own actors. */
    @Test
    @Promise("66.1")
    void soAreThoseOfAScopeWhoseMailboxesDropMessages() throws Exception {
        goOn.countDown();
        var lost = new ConcurrentLinkedQueue<ActorEvent>();
        try (var store = DurableStore.of(memory, CommitOptions.defaults());
                var others = ActorSystem.open("others");
                var scope = ActorSystem.configure("test")
                        .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropNewest()))
                        .listener(event -> {
                            if (event instanceof Undelivered) {
                                lost.add(event);
                            }
                        }).onFailure(FailurePolicy.stop()).open()) {
            var senders = senders(store, scope, hearers(others));
            for (int number = 1; number <= 20; number++) {
                var asked = new ArrayList<CompletableFuture<Long>>();
                for (int key = 0; key < 50; key++) {
                    asked.add(senders.sendMessageReturn(new Word("free" + key, number)));
                }
                for (var each : asked) {
                    assertThat(Waits.on(each)).isEqualTo(number - 1);
                }
            }
            Waits.until("all have arrived", () -> heard.size() >= 1000);
            for (int key = 0; key < 50; key++) {
                assertThat(heardOf("free" + key)).isSorted().hasSize(20);
            }
            assertThat(lost).as("none had to be sent again").isEmpty();
        }
    }

    /** Their messages fill a page that would be read again and again. */
    @Test
    @Promise("66.1")
    void soManyReceiversThatDoNotAnswerHoldUpNoOther() throws Exception {
        memory.commit(IntStream.range(0, PAGE).mapToObj(i -> unsent("a" + i, 1)).toList());
        memory.commit(List.of(unsent("free", 1)));
        try (var store = DurableStore.of(memory, CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var senders = senders(store, scope, hearers(scope));
            assertThat(Waits.on(senders.sendMessageReturn(new Word("free", 2)))).isEqualTo(1);
            Waits.until("the words behind the page have arrived", () -> heard.size() >= 2);
            assertThat(heard).containsExactly(new Word("free", 1), new Word("free", 2));
            goOn.countDown();
            Waits.until("all have arrived", () -> heard.size() >= PAGE + 2);
        }
    }
}
