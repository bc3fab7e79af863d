package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Slices;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SliceHomes;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Where the promises of durable actors end: failures that are caught, ids that are old, logs with a gap, messages that fail. */
class DurableEdgesTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** A state: what was said to an actor. */
    public record Words(List<String> all) {
        static final Words NONE = new Words(List.of());

        Words with(Said said) {
            return new Words(Stream.concat(all.stream(), Stream.of(said.text)).toList());
        }
    }

    public record Said(String text) {
    }

    public record Say(String to, String text, Optional<String> id) implements Identified {
        @Override
        public String messageId() {
            return id.orElse("");
        }
    }

    /** The handler of a test, which may use the actors themselves. */
    private interface Hearing {
        String handle(DurableContext<Words, Said, Say, String> self, Say say,
                KeyedActors<String, Say, String> all) throws Exception;
    }

    private static Say say(String to, String text) {
        return new Say(to, text, Optional.empty());
    }

    private static DurableStore store(Journal journal) {
        return DurableStore.of(journal, CommitOptions.defaults());
    }

    private static Durable<Words, Said> words(DurableStore store) {
        return Durable.of(store, "words", Words.class, Words.NONE, Said.class, Words::with);
    }

    private static KeyedActors<String, Say, String> open(ActorScope scope, Durable<Words, Said> durable,
            Hearing hearing) {
        var self = new Object() {
            KeyedActors<String, Say, String> actors;
        };
        self.actors = durable.idle(Duration.ofHours(1)).keyed(scope, Say.class, String.class,
                Say::to, (context, say) -> hearing.handle(context, say, self.actors));
        return self.actors;
    }

    private static String ask(KeyedActors<String, Say, String> actors, Say say) throws Exception {
        return Waits.on(actors.sendMessageReturn(say));
    }

    @Test
    @Promise("65.2")
    void aHandlerThatCatchesTheFailureOfItsFlushFailsAllTheSame() throws Exception {
        var broken = new AtomicBoolean();
        var journal = new ForwardingJournal() {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                if (broken.get()) {
                    throw new IllegalStateException("disk on fire");
                }
                return super.commit(turns);
            }
        };
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, words(store), (self, say, all) -> {
                if (say.text.equals("look")) {
                    return self.state().all().toString();
                }
                self.persist(new Said(say.text));
                try {
                    self.flush();
                } catch (RuntimeException caught) {
                    broken.set(false); // what comes after it would succeed
                    return "all is well";
                }
                return "flushed";
            });
            broken.set(true);
            assertThat(Waits.failure(actors.sendMessageReturn(say("a", "tea"))))
                    .hasMessageContaining("disk on fire");
            assertThat(ask(actors, say("a", "look"))).isEqualTo("[]");
        }
    }

    @Test
    @Promise("66.2")
    void aMessageWithAnIdThatChangesNothingIsHandledOnceToo() throws Exception {
        var handled = new AtomicInteger();
        try (var store = store(new MemoryJournal())) {
            for (int process = 0; process < 3; process++) {
                try (var scope = ActorSystem.open("test")) {
                    var actors =
                            open(scope, words(store),
                                    (self, say, all) -> "answer " + handled.incrementAndGet());
                    assertThat(ask(actors, new Say("a", "tea", Optional.of("order 7"))))
                            .isEqualTo("answer 1");
                }
            }
        }
    }

    @Test
    @Promise("66.2")
    void anIdIsKnownForItsTime() throws Exception {
        var handled = new AtomicInteger();
        var time = new ManualTime();
        try (var store = store(new MemoryJournal());
                var scope = ActorSystem.configure("test").time(time).open()) {
            var actors = open(scope, words(store).ids(Duration.ofMinutes(10)),
                    (self, say, all) -> "answer " + handled.incrementAndGet());
            var first = new Say("a", "tea", Optional.of("order 7"));
            assertThat(ask(actors, first)).isEqualTo("answer 1");
            time.advance(Duration.ofMinutes(9));
            assertThat(ask(actors, new Say("a", "tea", Optional.of("order 8")))).isEqualTo("answer 2");
            assertThat(ask(actors, first)).isEqualTo("answer 1");
            time.advance(Duration.ofMinutes(2));
            assertThat(ask(actors, new Say("a", "tea", Optional.of("order 9")))).isEqualTo("answer 3");
            assertThat(ask(actors, first)).isEqualTo("answer 4");
        }
    }

    @Test
    @Promise("64.2")
    void aLogWithAGapIsNotRead() throws Exception {
        var journal = new ForwardingJournal() {
            @Override
            public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
                var all = new HashMap<>(super.load(ids));
                all.replaceAll((id, loaded) -> new Loaded(loaded.snapshot(),
                        loaded.turns().subList(Math.min(1, loaded.turns().size()), loaded.turns().size()),
                        loaded.handled()));
                return all;
            }
        };
        try (var store = store(journal)) {
            Hearing hearing = (self, say, all) -> {
                self.persist(new Said(say.text));
                return "heard";
            };
            try (var scope = ActorSystem.open("test")) {
                var actors = open(scope, words(store), hearing);
                ask(actors, say("a", "tea"));
                ask(actors, say("a", "milk"));
            }
            try (var scope = ActorSystem.open("test")) {
                var actors = open(scope, words(store), hearing);
                assertThat(Waits.failure(actors.sendMessageReturn(say("a", "salt"))))
                        .hasMessageContaining("words a has revision 2 after 0");
            }
        }
    }

    @Test
    @Promise("67.1")
    void theTimeOfAReminderIsNotRoundedDown() throws Exception {
        var journal = new MemoryJournal();
        var at = Instant.parse("2100-01-01T00:00:00.000000001Z");
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, words(store), (self, say, all) -> {
                self.remind("party", at, say("a", "dance"));
                return "heard";
            });
            ask(actors, say("a", "tea"));
            assertThat(journal.due("words", Slices.ALL, Instant.MAX, 10)).singleElement()
                    .satisfies(reminder -> assertThat(reminder.at()).isAfterOrEqualTo(at));
        }
    }

    @Test
    @Promise("67.1")
    void aKeyThatIsDeletedHasNoReminders() throws Exception {
        var journal = new MemoryJournal();
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, words(store), (self, say, all) -> {
                self.remind(say.text, Instant.parse("2100-01-01T00:00:00Z"), say("a", "dance"));
                if (say.text.equals("last")) {
                    self.delete();
                }
                return "heard";
            });
            ask(actors, say("a", "first"));
            assertThat(journal.due("words", Slices.ALL, Instant.MAX, 10)).hasSize(1);
            ask(actors, say("a", "last"));
            assertThat(journal.due("words", Slices.ALL, Instant.MAX, 10)).isEmpty();
        }
    }

    @Test
    @Promise({"64.1", "89.1"})
    void whatATurnPersistsAfterItHasDeletedItsKeyIsKept() throws Exception {
        try (var store = store(new MemoryJournal())) {
            for (var text : List.of("tea", "look")) {
                try (var scope = ActorSystem.open("test")) {
                    var actors = open(scope, words(store), (self, say, all) -> {
                        if (say.text.equals("tea")) {
                            self.persist(new Said("milk"));
                            self.delete();
                            self.persist(new Said("tea"));
                        }
                        return self.state().all().toString();
                    });
                    assertThat(ask(actors, say("a", text))).isEqualTo("[tea]");
                }
            }
            assertThat(words(store).keys().list("", "", 10)).containsExactly("a");
        }
    }

    @Test
    @Promise("66.1")
    void anOutboxIsKeptUntilTheLastOfItsMessagesIsHandled() throws Exception {
        var journal = new MemoryJournal();
        var entered = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, words(store), (self, say, all) -> {
                switch (say.text) {
                    case "tell both" -> {
                        self.send(all, say("b", "tea"));
                        self.send(all, say("c", "milk"));
                    }
                    case "milk" -> {
                        entered.countDown();
                        goOn.await();
                    }
                    default -> self.persist(new Said(say.text));
                }
                return "heard";
            });
            ask(actors, say("a", "tell both"));
            Waits.on(entered);
            ask(actors, say("d", "salt")); // what was to be written before has been written now
            assertThat(journal.unsent("words", Slices.ALL, Position.FIRST, 10)).hasSize(1);
            goOn.countDown();
            Waits.until("the outbox is empty",
                    () -> journal.unsent("words", Slices.ALL, Position.FIRST, 10).isEmpty());
        }
    }

    @Test
    @Promise("66.1")
    void aMessageThatFailsIsSentAgainAfterAPause() throws Exception {
        var attempts = new CopyOnWriteArrayList<Instant>();
        var time = new ManualTime();
        try (var store = store(new MemoryJournal());
                var scope = ActorSystem.configure("test").time(time).open()) {
            var actors = open(scope, words(store), (self, say, all) -> {
                if (say.text.equals("tell")) {
                    self.send(all, say("b", "tea"));
                    return "heard";
                }
                attempts.add(time.clock().instant());
                if (attempts.size() < 3) {
                    throw new IllegalStateException("no, on purpose");
                }
                return "heard";
            });
            ask(actors, say("a", "tell"));
            Waits.until("three attempts", () -> {
                time.advance(Duration.ofMillis(10));
                return attempts.size() == 3;
            });
            assertThat(Duration.between(attempts.get(0), attempts.get(1)))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(50));
            assertThat(Duration.between(attempts.get(1), attempts.get(2)))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(100));
            time.advance(Duration.ofMinutes(2));
            assertThat(scope.awaitIdle(LONG)).isTrue();
            assertThat(attempts).hasSize(3);
        }
    }

    @Test
    @Promise("66.1")
    void aMessageThatCannotBeMadeIsSentAgain() throws Exception {
        Fragile.BREAKS.set(false);
        var heard = new CountDownLatch(1);
        try (var store = store(new MemoryJournal()); var scope = ActorSystem.open("test")) {
            var actors = Durable.stateOnly(store, "fragile", Long.class, 0L).keyed(scope, Fragile.class,
                    Long.class, Fragile::to, (self, message) -> {
                        if (message.to().equals("a")) {
                            self.send(new Fragile("b"));
                            Fragile.BREAKS.set(true);
                        } else {
                            heard.countDown();
                        }
                        return 0L;
                    });
            Waits.on(actors.sendMessageReturn(new Fragile("a")));
            Waits.until("it has failed", () -> store.figures().stream()
                    .anyMatch(figure -> figure.name().equals("outbox.failing") && figure.value() == 1));
            Fragile.BREAKS.set(false);
            Waits.on(heard);
        }
    }

    @Test
    @Promise("66.1")
    void anOutboxThatCannotBeReadIsReadAgainAfterLongerAndLongerPauses() throws Exception {
        var time = new ManualTime();
        var reads = new CopyOnWriteArrayList<Long>();
        var journal = new ForwardingJournal() {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
                reads.add(time.clock().instant().getEpochSecond());
                if (reads.size() < 10) {
                    throw new IllegalStateException("not yet, on purpose");
                }
                return super.unsent(group, slices, after, most);
            }
        };
        try (var store = store(journal); var scope = ActorSystem.configure("test").time(time).open()) {
            var heard = new AtomicInteger();
            var actors = open(scope, words(store), (self, say, all) -> {
                if (say.text.equals("tell")) {
                    self.send(all, say("b", "tea"));
                    return "told";
                }
                return "heard " + heard.incrementAndGet();
            });
            // Reads that come together fail together.
            assertThat(scope.awaitIdle(LONG)).isTrue();
            assertThat(ask(actors, say("a", "tell"))).isEqualTo("told");
            for (int second = 0; second < 300; second++) {
                time.advance(Duration.ofSeconds(1));
                assertThat(scope.awaitIdle(LONG)).isTrue();
            }
            long start = reads.getFirst();
            assertThat(reads.stream().map(read -> read - start)).containsExactly(0L, 1L, 3L, 7L, 15L, 31L,
                    63L,
                    123L, 183L, 243L, 273L);
            Waits.until("what was sent meanwhile has arrived", () -> heard.get() == 1);
        }
    }

    /** A process that is taken for dead may still write. */
    @Test
    @Promise("66.1")
    void whatAnotherProcessWritesLateIsSentWithinHalfAMinute() throws Exception {
        var time = new ManualTime();
        var journal = new MemoryJournal();
        try (var store = store(journal); var scope = ActorSystem.configure("test").time(time).open()) {
            var heard = new CopyOnWriteArrayList<String>();
            var actors = open(scope, words(store), (self, say, all) -> {
                if (say.text.equals("tell")) {
                    self.send(all, say("b", "tea"));
                } else {
                    heard.add(say.text);
                }
                return "heard";
            });
            assertThat(scope.awaitIdle(LONG)).isTrue();
            try (var late = store(journal); var other = ActorSystem.open("late")) {
                // The other process sends nothing any more.
                var alone = open(other, words(late).shared(), (self, say, all) -> {
                    self.send(all, say("b", "late"));
                    return "sent";
                });
                SharedKeys.of(alone).orElseThrow().work().orElseThrow().share(new Nowhere(), alone);
                assertThat(ask(alone, say("c", "x"))).isEqualTo("sent");
            }
            assertThat(ask(actors, say("a", "tell"))).isEqualTo("heard");
            Waits.until("what this process has written has arrived", () -> heard.contains("tea"));
            assertThat(heard).doesNotContain("late");
            time.advance(Duration.ofSeconds(30));
            Waits.until("what the other one has written has arrived", () -> heard.contains("late"));
        }
    }

    /** No slice has this process as its home. */
    private record Nowhere() implements SliceHomes {
        @Override
        public int slices() {
            return 4;
        }

        @Override
        public CompletableFuture<?> ask(String id, Object message, Duration limit) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask) {
            throw new AssertionError("no reminder is sent");
        }
    }

    @Test
    @Promise({"65.2", "66.1"})
    void theMessagesOfATurnWhoseEndWasNotKnownLeaveBeforeThoseOfTheNextTurn() throws Exception {
        var fails = new AtomicBoolean();
        var journal = new ForwardingJournal() {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                var written = super.commit(turns);
                if (fails.getAndSet(false)) {
                    throw new IllegalStateException("the connection is gone, on purpose");
                }
                return written;
            }
        };
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var heard = new CopyOnWriteArrayList<String>();
            var actors = open(scope, words(store), (self, say, all) -> {
                if (self.key().equals("b")) {
                    heard.add(say.text);
                } else {
                    self.send(all, say("b", say.text));
                }
                return "heard";
            });
            assertThat(ask(actors, say("b", "first"))).isEqualTo("heard");
            fails.set(true);
            assertThat(Waits.failure(actors.sendMessageReturn(say("a", "unknown"))))
                    .hasMessageContaining("the connection is gone");
            assertThat(ask(actors, say("a", "known"))).isEqualTo("heard");
            Waits.until("both have arrived", () -> heard.size() == 3);
            assertThat(heard).containsExactly("first", "unknown", "known");
        }
    }

    @Test
    @Promise("67.1")
    void aReminderWhoseHandlerFailsComesAgain() throws Exception {
        var attempts = new AtomicInteger();
        var time = new ManualTime();
        var journal = new MemoryJournal();
        try (var store = store(journal); var scope = ActorSystem.configure("test").time(time).open()) {
            var actors = open(scope, words(store), (self, say, all) -> {
                if (say.text.equals("set")) {
                    self.remind("party", time.clock().instant().plus(Duration.ofSeconds(10)),
                            say("a", "dance"));
                } else if (attempts.incrementAndGet() < 2) {
                    throw new IllegalStateException("no, on purpose");
                }
                return "heard";
            });
            ask(actors, say("a", "set"));
            assertThat(scope.awaitIdle(LONG)).isTrue();
            time.advance(Duration.ofSeconds(10));
            Waits.until("it has come", () -> attempts.get() == 1);
            assertThat(scope.awaitIdle(LONG)).isTrue();
            assertThat(journal.due("words", Slices.ALL, Instant.MAX, 10)).hasSize(1);
            Waits.until("it has come again", () -> {
                time.advance(Duration.ofSeconds(1));
                return attempts.get() == 2;
            });
            Waits.until("it is gone", () -> journal.due("words", Slices.ALL, Instant.MAX, 10).isEmpty());
        }
    }

    /** What a database does not keep as it is would make one key of two, or fail the turns of others. */
    @Test
    void aKeyThatIsNoTextIsRefusedAtItsSender() throws Exception {
        try (var store = store(new MemoryJournal()); var scope = ActorSystem.open("test")) {
            var actors = open(scope, words(store), (self, say, all) -> {
                self.persist(new Said(say.text));
                return self.key();
            });
            for (var bad : List.of("a\0", "\ud83d", "a\ude00b", "\ud83d\ud83d\ude00", "x".repeat(513))) {
                assertThatThrownBy(() -> actors.sendMessageReturn(say(bad, "tea")))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("the key has");
            }
            for (var good : List.of(" ", "\ud83d\ude00", "x".repeat(512), "'\"\\\n")) {
                assertThat(ask(actors, say(good, "tea"))).isEqualTo(good);
            }
            assertThat(Waits.failure(actors.sendMessageReturn(new Say("a", "tea", Optional.of("\0")))))
                    .hasMessageContaining("id of a message");
            assertThat(ask(actors, say("a", "tea"))).isEqualTo("a");
        }
    }
}
