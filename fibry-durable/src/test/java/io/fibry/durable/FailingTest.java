package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.codec.Codec;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Reminders and messages of outboxes that fail hold up nothing else, and the log says it once. */
class FailingTest {
    private static final Duration LONG = Duration.ofHours(9_999);
    /** More messages of an outbox than are read at a time. */
    private static final int MANY = Boolean.getBoolean("fibry.thorough") ? 12_000 : 3_000;
    /** More reminders than are read at a time. */
    private static final int REMINDERS = Boolean.getBoolean("fibry.thorough") ? 12_000 : 6_000;
    private static final byte[] NONE = {};

    /** A message: the sender and its number. */
    public record Word(String sender, int number) {
    }

    private final Logger log = (Logger) LoggerFactory.getLogger("io.fibry");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final ManualTime time = new ManualTime();
    private final MemoryJournal memory = new MemoryJournal();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
    }

    @AfterEach
    void listenNoMore() {
        log.detachAppender(lines);
        log.setLevel(null);
    }

    private List<String> lines() {
        return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private ActorScope scope() {
        return scope(time);
    }

    private static ActorScope scope(ManualTime time) {
        return ActorSystem.configure("test").time(time).open();
    }

    // ---- Reminders. ----

    private Turn reminding(String key, Instant at) {
        var id = new Id("g", key);
        return new Turn(id, 1, at, NONE, List.of(), NONE,
                List.of(new Reminder(id, "r", at, "", NONE)), Set.of(), Optional.empty(),
                false);
    }

    /** They are older than the others, and more than are read at a time. */
    @Test
    @Promise("67.1")
    void anyNumberOfRemindersThatAlwaysFailHoldUpNoOther() throws Exception {
        // Each of the timers would wait until the actors are at rest.
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO);
        var past = time.clock().instant().minusSeconds(100);
        memory.commit(IntStream.range(0, REMINDERS).mapToObj(i -> reminding("bad " + i, past)).toList());
        memory.commit(List.of(reminding("good", past.plusSeconds(1))));
        var tries = new ConcurrentHashMap<String, AtomicInteger>();
        var good = new CompletableFuture<Reminder>();
        try (var store = DurableStore.of(memory, CommitOptions.defaults().limit(Duration.ofMinutes(1)))) {
            try (var scope = scope(time)) {
                begin(scope, store, tries, good);
                Waits.until("the other one has come", good::isDone);
                Waits.until("each was tried three times", () -> {
                    time.advance(Duration.ofMillis(500));
                    return tries.size() == REMINDERS
                            && tries.values().stream().allMatch(count -> count.get() >= 3);
                });
                assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
                assertThat(lines().stream().filter(line -> line.contains("has failed"))).as("one for each")
                        .hasSize(REMINDERS);
                Waits.until("the store knows the tries",
                        () -> memory.due("g", Slices.ALL, Instant.MAX, REMINDERS + 1)
                                .stream().filter(each -> each.tries().failed() >= 3).count() == REMINDERS);
            }
            int before = tries.values().stream().mapToInt(AtomicInteger::get).sum();
            try (var scope = scope(time)) {
                begin(scope, store, tries, good);
                assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
                assertThat(tries.values().stream().mapToInt(AtomicInteger::get).sum() - before)
                        .as("the next process does not begin anew").isLessThan(REMINDERS / 2);
            }
        }
    }

    private static void begin(ActorScope scope, DurableStore store, Map<String, AtomicInteger> tries,
            CompletableFuture<Reminder> good) throws Exception {
        Actor<Alarms.Call, Void> alarms =
                scope.anonymous().newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                    if (each.id().key().equals("good")) {
                        good.complete(each);
                        return CompletableFuture.completedFuture(null);
                    }
                    int now = tries.computeIfAbsent(each.id().key(), key -> new AtomicInteger())
                            .incrementAndGet();
                    return CompletableFuture
                            .failedFuture(new IllegalStateException("on purpose, number " + now));
                }, gone -> {
                }, new DurableLoad()));
        Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
    }

    @Test
    @Promise("67.1")
    void thePausesBecomeLongerAndTheLogSaysWhenTheReasonIsAnotherOneAndWhenItIsOver() throws Exception {
        memory.commit(List.of(reminding("k", time.clock().instant())));
        var tries = new AtomicInteger();
        var last = new CompletableFuture<Instant>();
        try (var store = DurableStore.of(memory, CommitOptions.defaults()); var scope = scope()) {
            var start = time.clock().instant();
            Actor<Alarms.Call, Void> alarms =
                    scope.anonymous().newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                        int now = tries.incrementAndGet();
                        if (now < 10) {
                            return CompletableFuture.failedFuture(now < 5
                                    ? new IllegalStateException("on purpose, at " + System.nanoTime())
                                    : new ArithmeticException("on purpose"));
                        }
                        last.complete(time.clock().instant());
                        return CompletableFuture.completedFuture(null);
                    }, gone -> {
                    }, new DurableLoad()));
            Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
            Waits.until("it was handled", () -> {
                time.advance(Duration.ofSeconds(1));
                return last.isDone();
            });
            assertThat(Duration.between(start, last.join())).isBetween(Duration.ofSeconds(511 / 2),
                    Duration.ofMinutes(20));
            Waits.until("the log says so", () -> lines().size() == 3);
            assertThat(lines().get(0)).contains("reminder r of g k", "IllegalStateException: on purpose");
            assertThat(lines().get(1)).contains("reminder r of g k", "ArithmeticException: on purpose");
            assertThat(lines().get(2)).contains("was handled", "9 tries");
        }
    }

    /** Its pauses are longer than what is read ahead. */
    @Test
    @Promise("91.1")
    void aReminderThatFailsIsLateBetweenItsTries() throws Exception {
        var start = time.clock().instant();
        memory.commit(List.of(reminding("k", start)));
        var isGood = new AtomicBoolean();
        var tries = new AtomicInteger();
        var load = new DurableLoad();
        try (var store = DurableStore.of(memory, CommitOptions.defaults()); var scope = scope()) {
            Actor<Alarms.Call, Void> alarms =
                    scope.anonymous().newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                        tries.incrementAndGet();
                        return isGood.get() ? CompletableFuture.completedFuture(null)
                                : CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
                    }, gone -> {
                    }, load));
            Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
            Waits.until("its pause is long", () -> {
                time.advance(Duration.ofSeconds(1));
                return tries.get() == 9;
            });
            for (int i = 0; i < 3; i++) { // the pause is two minutes at least
                time.advance(Duration.ofSeconds(31));
                assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
                assertThat(load.first).as("after look %d", i).contains(start);
            }
            isGood.set(true);
            Waits.until("it is not late any more", () -> {
                time.advance(Duration.ofSeconds(1));
                return load.first.isEmpty();
            });
            assertThat(tries).hasValue(10);
        }
    }

    private static Turn deleted(Id id, long revision) {
        return new Turn(id, revision, Instant.EPOCH, Frames.DELETED, List.of(), NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(revision, NONE)), true);
    }

    /** By this process at once, and by another one when the store is read again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("89.3")
    void aLetterThatFailsIsNotSentAgainWhenItsKeyWasErased(boolean isTold) throws Exception {
        var id = new Id("g", "k");
        var start = time.clock().instant();
        memory.commit(List.of(new Turn(id, 1, start, NONE, List.of(), NONE,
                List.of(Reminder.letter(new Sent(id, 1), 0, start, NONE, new Tries(0, start, ""))), Set.of(),
                Optional.empty(), false)));
        var tries = new AtomicInteger();
        try (var store = DurableStore.of(memory, CommitOptions.defaults()); var scope = scope()) {
            Actor<Alarms.Call, Void> alarms =
                    scope.anonymous().newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                        tries.incrementAndGet();
                        return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
                    }, gone -> {
                    }, new DurableLoad()));
            Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
            Waits.until("it has failed three times", () -> {
                time.advance(Duration.ofMillis(500));
                return tries.get() == 3;
            });
            assertThat(memory.erase(deleted(id, 2))).isTrue();
            if (isTold) {
                alarms.sendMessage(new Alarms.Erased(id));
            } else {
                time.advance(Duration.ofSeconds(31));
            }
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            int before = tries.get();
            time.advance(Duration.ofMinutes(2));
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            assertThat(tries).hasValue(before);
        }
    }

    // ---- Outboxes. ----

    private static Turn saying(String key, int revision) {
        return new Turn(new Id("senders", key), revision, Instant.EPOCH, NONE, List.of(),
                Frames.outbox(List.of(
                        new Letter("hearers", Codec.of(Word.class).encode(new Word(key, revision))))),
                List.of(), Set.of(), Optional.empty(), false);
    }

    private static KeyedActors<String, Word, Void> senders(DurableStore store, ActorScope scope,
            KeyedActors<String, Word, Void> hearers) {
        return Durable.stateOnly(store, "senders", Long.class, 0L).reaches(hearers, Word.class)
                .idle(LONG).keyed(scope, Word.class, Void.class, Word::sender, (self, word) -> {
                    self.send(hearers, word);
                    return null;
                });
    }

    /** A count has no messages, which may be large. */
    @Test
    @Promise("91.1")
    void whatIsParkedIsCountedAndNotRead() throws Exception {
        var read = new AtomicInteger();
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Reminder> parked(String group, String key, String name, int most) throws Exception {
                var found = super.parked(group, key, name, most);
                read.addAndGet(found.size());
                return found;
            }
        };
        memory.commit(IntStream.range(0, 300).mapToObj(i -> {
            var id = new Id("senders", "k" + i);
            return new Turn(id, 1, Instant.EPOCH, NONE, List.of(), NONE,
                    List.of(Reminder.letter(new Sent(id, 1), 0, Instant.EPOCH,
                            Frames.outbox(List.of(new Letter("hearers", NONE))),
                            new Tries(1, Tries.NEVER, "no"))),
                    Set.of(), Optional.empty(), false);
        }).toList());
        try (var store = DurableStore.of(journal, CommitOptions.defaults()); var scope = scope()) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                    });
            assertThat(senders(store, scope, hearers)).isNotNull();
            Waits.until("they are counted",
                    () -> store.figures().contains(new DurableStore.Figure("parked", "senders", 300)));
            assertThat(read).hasValueLessThanOrEqualTo(20);
        }
    }

    /** What the key sends after that goes on, and does not wait for what was erased. */
    @Test
    @Promise("89.3")
    void aMessageThatFailsIsNotSentAgainWhenAnotherProcessHasErasedItsKey() throws Exception {
        memory.commit(List.of(saying("k", 1), saying("k", 2)));
        var tries = new ConcurrentHashMap<Integer, AtomicInteger>();
        try (var store = DurableStore.of(memory, CommitOptions.defaults()); var scope = scope()) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                        tries.computeIfAbsent(word.number(), number -> new AtomicInteger()).incrementAndGet();
                        if (word.number() < 4) {
                            throw new IllegalStateException("no, on purpose");
                        }
                    });
            assertThat(senders(store, scope, hearers)).isNotNull();
            Waits.until("it has failed", () -> tries.containsKey(1));
            assertThat(memory.erase(deleted(new Id("senders", "k"), 3))).isTrue();
            memory.commit(List.of(saying("k", 4)));
            Waits.until("the next one has arrived", () -> {
                time.advance(Duration.ofSeconds(1));
                return tries.containsKey(4);
            });
            int before = tries.get(1).get();
            time.advance(Duration.ofMinutes(5));
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            assertThat(tries.get(1)).hasValue(before);
            assertThat(tries).containsOnlyKeys(1, 4);
            assertThat(tries.get(4)).hasValue(1);
            assertThat(store.figures()).contains(new DurableStore.Figure("outbox.failing", "senders", 0));
        }
    }

    /** Its line is filled again after the pass was at its key, so the pass does not see it. */
    @Test
    @Promise("66.1")
    void aTurnThatIsReadDuringAPassIsNotTakenForErased() throws Exception {
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // no timer waits until the actors are at rest
        memory.commit(IntStream.rangeClosed(1, 102).mapToObj(i -> saying("a", i)).toList());
        memory.commit(IntStream.range(0, 1_500).mapToObj(i -> saying("z" + i, 1)).toList());
        var passes = new AtomicInteger();
        var isRefilled = new AtomicBoolean();
        var isUnderWay = new CountDownLatch(1);
        var heard = new ConcurrentLinkedQueue<Integer>();
        var goOn = new CountDownLatch(1);
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
                boolean isPass = most == 1_000;
                if (!isPass && !isRefilled.get()) {
                    throw new IllegalStateException("on purpose");
                }
                if (isPass && after.equals(Position.FIRST)) {
                    passes.incrementAndGet();
                } else if (isPass && passes.get() == 2 && isRefilled.get()) {
                    Waits.on(isUnderWay);
                }
                var turns = super.unsent(group, slices, after, most);
                if (isPass && passes.get() == 2 && !isRefilled.getAndSet(true)) {
                    time.advance(Duration.ofMinutes(2)); // the line reads its next turns before the next page is read
                }
                return turns;
            }
        };
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var scope = scope(time)) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                        if (key.equals("a")) {
                            heard.add(word.number());
                        }
                        if (word.number() == 101) {
                            isUnderWay.countDown();
                        }
                        if (!key.equals("a") || word.number() == 101) {
                            Waits.on(goOn);
                        }
                    });
            assertThat(senders(store, scope, hearers)).isNotNull();
            Waits.until("those in memory have come", () -> heard.size() == 100);
            Waits.until("a second pass has begun", () -> {
                time.advance(Duration.ofSeconds(1));
                return passes.get() == 2;
            });
            Waits.on(isUnderWay);
            goOn.countDown();
            Waits.until("all have come", () -> {
                time.advance(Duration.ofSeconds(1));
                return heard.size() >= 102
                        && memory.unsent("senders", Slices.ALL, Position.FIRST, 1).isEmpty();
            });
            assertThat(List.copyOf(heard)).isSorted();
        }
    }

    private static KeyedActors<String, Word, Void> deaf(ActorScope scope, Collection<Integer> heard) {
        return scope.named("hearers").keyed(Word::sender).idle(LONG).newActorsFrom(key -> (context, word) -> {
            heard.add(word.number());
            if (word.number() == 1) {
                throw new IllegalStateException("no, on purpose");
            }
        });
    }

    private static Durable<Long, Long> parking(DurableStore store, KeyedActors<String, Word, Void> hearers) {
        return Durable.stateOnly(store, "senders", Long.class, 0L).reaches(hearers, Word.class).idle(LONG)
                .parkAfter(2);
    }

    private static void start(Durable<Long, Long> durable, ActorScope scope) {
        assertThat(durable.keyed(scope, Word.class, Void.class, Word::sender, (self, word) -> null))
                .isNotNull();
    }

    /** The store parks it between what a pass reads of what is parked and of what is unsent. */
    @Test
    @Promise("90.2")
    void aKeyStandsStillAlsoIfItsMessageIsParkedDuringAPass() throws Exception {
        memory.commit(List.of(saying("k", 1), saying("k", 2)));
        var isParking = new CountDownLatch(1);
        var isRead = new CountDownLatch(1);
        var isParked = new CountDownLatch(1);
        var isOver = new CountDownLatch(1);
        var journal = new ForwardingJournal(memory) {
            @Override
            public boolean park(Sent from, byte[] left, Reminder letter) throws Exception {
                isParking.countDown();
                Waits.on(isRead);
                var isDone = super.park(from, left, letter);
                isParked.countDown();
                Waits.on(isOver);
                return isDone;
            }

            @Override
            public List<String> keysOfParked(String group, String after, int most) throws Exception {
                var keys = super.keysOfParked(group, after, most);
                if (isParking.getCount() == 0) {
                    isRead.countDown();
                    Waits.on(isParked);
                }
                return keys;
            }
        };
        var heard = new ConcurrentLinkedQueue<Integer>();
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var scope = scope()) {
            var hearers = deaf(scope, heard);
            start(parking(store, hearers).standStill(), scope);
            Waits.until("it is being parked", () -> {
                time.advance(Duration.ofMillis(100));
                return isParking.getCount() == 0;
            });
            Waits.until("a pass has begun", () -> {
                time.advance(Duration.ofSeconds(1));
                return isParked.getCount() == 0;
            });
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            isOver.countDown();
            Waits.until("it is parked", () -> lines().stream().anyMatch(line -> line.contains("parked")));
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            assertThat(heard).containsExactly(1, 1);
        }
    }

    /** Another process erases the key while its message is to be parked. */
    @Test
    @Promise({"89.3", "90.2"})
    void whatWasErasedIsNotParkedAndLetsItsKeyGoOn() throws Exception {
        memory.commit(List.of(saying("k", 1)));
        var journal = new ForwardingJournal(memory) {
            @Override
            public boolean park(Sent from, byte[] left, Reminder letter) throws Exception {
                memory.erase(deleted(from.id(), 2));
                memory.commit(List.of(saying("k", 3)));
                return super.park(from, left, letter);
            }
        };
        var heard = new ConcurrentLinkedQueue<Integer>();
        try (var store = DurableStore.of(journal, CommitOptions.defaults()); var scope = scope()) {
            var hearers = deaf(scope, heard);
            start(parking(store, hearers).standStill(), scope);
            Waits.until("it has failed", () -> heard.size() == 1);
            Waits.until("it has failed again, and the next one has come", () -> {
                time.advance(Duration.ofMillis(100));
                return heard.size() == 3;
            });
            assertThat(heard).containsExactly(1, 1, 3);
            assertThat(store.figures()).contains(new DurableStore.Figure("parked", "senders", 0));
            assertThat(lines()).noneMatch(line -> line.contains("later messages of its key wait"));
        }
    }

    /** What is under way then is not sent twice, and what is parked is not counted for each. */
    @Test
    @Promise("90.3")
    void manyThatAreDroppedAreCountedTogetherAndSendNothingTwice() throws Exception {
        memory.commit(List.of(saying("k", 1)));
        var counts = new AtomicInteger();
        var isCounting = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var journal = new ForwardingJournal(memory) {
            @Override
            public int countParked(String group) throws Exception {
                if (counts.incrementAndGet() == 2) {
                    isCounting.countDown();
                    Waits.on(goOn);
                }
                return super.countParked(group);
            }
        };
        var heard = new ConcurrentLinkedQueue<Integer>();
        var answer = new CountDownLatch(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var scope = scope()) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                        heard.add(word.number());
                        Waits.on(answer);
                    });
            start(parking(store, hearers), scope);
            Waits.until("its message is under way", () -> heard.size() == 1);
            var group = (DurableGroup<?, ?, ?, ?, ?>) store.groups().find("senders").orElseThrow();
            for (int i = 0; i < 100; i++) {
                group.gone(Reminder.letter(new Sent(new Id("senders", "k"), 1), i, Instant.EPOCH, NONE,
                        new Tries(0, Instant.EPOCH, "")));
            }
            Waits.on(isCounting);
            goOn.countDown();
            answer.countDown();
            assertThat(scope.awaitIdle(Patience.LIMIT)).isTrue();
            assertThat(heard).containsExactly(1);
            assertThat(counts).hasValueLessThan(5);
        }
    }

    /** What waits is in the store, and is read about once. */
    @Test
    @Promise("66.1")
    void anyNumberOfMessagesWaitBehindOneThatFailsAndTakeNoMemory() throws Exception {
        var most = new AtomicInteger();
        var read = new AtomicLong();
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int limit)
                    throws Exception {
                var turns = super.unsent(group, slices, after, limit);
                most.accumulateAndGet(turns.size(), Math::max);
                read.addAndGet(turns.size());
                return turns;
            }
        };
        memory.commit(IntStream.rangeClosed(1, MANY / 2).mapToObj(i -> saying("k", i)).toList());
        memory.commit(List.of(saying("z", 1)));
        var heard = new ConcurrentLinkedQueue<Word>();
        var mayPass = new CountDownLatch(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults()); var scope = scope()) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                        if (key.equals("k") && mayPass.getCount() > 0) {
                            throw new IllegalStateException("no, on purpose");
                        }
                        heard.add(word);
                    });
            var senders = senders(store, scope, hearers);
            Waits.until("another sender's message has arrived", () -> heard.size() == 1);
            for (int i = MANY / 2 + 1; i <= MANY; i++) {
                Waits.on(senders.sendMessageReturn(new Word("k", i)));
            }
            Waits.on(senders.sendMessageReturn(new Word("z", 2)));
            Waits.until("so has the next one", () -> heard.size() == 2);
            heard.clear();
            mayPass.countDown();
            Waits.until("all have arrived", () -> {
                time.advance(Duration.ofSeconds(1));
                return heard.size() >= MANY;
            });
            assertThat(heard.stream().map(Word::number)).hasSize(MANY).isSorted();
            assertThat(most.get()).as("turns that are in memory").isLessThanOrEqualTo(1_000);
            assertThat(read.get()).as("turns that were read").isLessThan(4L * MANY);
            assertThat(lines()).filteredOn(line -> line.contains("has failed")).hasSize(1);
            assertThat(lines()).filteredOn(line -> line.contains("was handled")).hasSize(1);
        }
    }

    /** What a pass has not come to is sent in its order, although the next message of its key is committed meanwhile. */
    @Test
    @Promise("66.1")
    void aMessageThatIsCommittedDuringAPassDoesNotOvertakeThoseThatWait() throws Exception {
        var pages = new AtomicInteger();
        var secondPage = new CountDownLatch(1);
        var journal = new ForwardingJournal(memory) {
            @Override
            public List<Turn> unsent(String group, Slices slices, Position after, int limit)
                    throws Exception {
                if (limit == 1_000 && pages.incrementAndGet() == 2) {
                    Waits.on(secondPage);
                }
                return super.unsent(group, slices, after, limit);
            }
        };
        memory.commit(IntStream.range(0, 1_500).mapToObj(i -> saying("k" + i, 1)).toList());
        memory.commit(IntStream.rangeClosed(1, 300).mapToObj(i -> saying("z", i)).toList());
        var heard = new ConcurrentLinkedQueue<Word>();
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var scope = scope()) {
            KeyedActors<String, Word, Void> hearers = scope.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> heard.add(word));
            var senders = senders(store, scope, hearers);
            Waits.until("the second page is asked for", () -> pages.get() == 2);
            secondPage.countDown();
            for (int i = 301; i <= 310; i++) {
                Waits.on(senders.sendMessageReturn(new Word("z", i)));
            }
            Waits.until("all have arrived", () -> heard.size() >= 1_500 + 310);
            assertThat(heard.stream().filter(word -> word.sender().equals("z")).map(Word::number))
                    .hasSize(310)
                    .isSorted();
            assertThat(heard).as("each once, since no process has ended").hasSize(1_500 + 310);
        }
    }

    // ---- The end. ----

    /** The store marks the turn, and the receiver answers, when the actors that send have stopped. */
    @Test
    @Promise("66.1")
    void whatIsUnderWayAtTheEndOfTheScopeIsNoLossThatTheLogNames() throws Exception {
        var marks = new CountDownLatch(1);
        var marking = new CountDownLatch(1);
        var journal = new ForwardingJournal(memory) {
            @Override
            public void sent(Collection<Sent> turns) throws Exception {
                marking.countDown();
                Waits.on(marks);
                super.sent(turns);
            }
        };
        var answers = new CountDownLatch(1);
        var heard = new CountDownLatch(2);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var others = ActorSystem.open("others")) {
            KeyedActors<String, Word, Void> hearers = others.named("hearers").keyed(Word::sender).idle(LONG)
                    .newActorsFrom(key -> (context, word) -> {
                        heard.countDown();
                        if (key.equals("slow")) {
                            Waits.on(answers);
                        }
                    });
            try (var scope = scope()) {
                var senders = senders(store, scope, hearers);
                Waits.on(senders.sendMessageReturn(new Word("slow", 1)));
                Waits.on(senders.sendMessageReturn(new Word("quick", 1)));
                Waits.on(heard);
                Waits.on(marking);
            }
            answers.countDown();
            marks.countDown();
            assertThat(others.awaitIdle(Duration.ofSeconds(30))).isTrue();
            Waits.until("one is marked", () -> memory.unsent("senders", Slices.ALL, Position.FIRST, 9)
                    .size() == 1);
        }
        assertThat(lines()).isEmpty();
    }
}
