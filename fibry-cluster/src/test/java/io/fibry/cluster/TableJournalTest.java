package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.ActorScope;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Message;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.durable.UnsettledTurnsException;
import io.fibry.testing.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs in the tables of an engine that does what engines may do. */
class TableJournalTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_000_000);
    private static final Id ID = new Id("accounts", "4711");
    private static final byte[] NONE = {};

    private final MemoryNetwork network = new MemoryNetwork();
    private final ClusterEngine engine = network.node();
    private final ActorScope scope = ActorSystem.open("test");
    private final AtomicInteger changes = new AtomicInteger();

    /** Tells nobody. */
    private static final class Silent implements EngineListener {
        @Override
        public void viewChanged(ClusterEngine.View view, Set<UUID> left) {
        }

        @Override
        public void received(UUID from, ByteBuffer bytes) {
        }

        @Override
        public void entryChanged(String table, String key, byte[] value) {
        }
    }

    @BeforeEach
    void join() throws Exception {
        var unused = engine.start(new NodeInfo(UUID.randomUUID(), NONE), new Silent());
    }

    @AfterEach
    void end() {
        scope.close();
        engine.close();
    }

    private TableJournal journal() {
        return new TableJournal(engine, scope, Duration.ofSeconds(30));
    }

    /** Returns a journal whose engine gives something else for the outcome of a change, or for what it reads; given are the true value and the name of the method. */
    private TableJournal lying(BinaryOperator<Object> lie) {
        return lying(Duration.ofSeconds(30), lie);
    }

    private TableJournal lying(Duration limit, BinaryOperator<Object> lie) {
        var liar = (ClusterEngine) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, arguments) -> {
                    try {
                        return lie.apply(method.invoke(engine, arguments), method.getName());
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new TableJournal(liar, scope, limit);
    }

    private static Turn turn(Id id, long revision, byte[] outbox, Reminder... reminders) {
        return new Turn(id, revision, NOW, new byte[]{(byte) revision},
                List.of(new Handled(new UUID(7, revision), NOW, Optional.empty(), new byte[]{7})),
                outbox, List.of(reminders), Set.of(), Optional.empty(), false);
    }

    private static Turn turn(long revision) {
        return turn(ID, revision, NONE);
    }

    @Test
    @Promise("85.7")
    void whatATurnHasComesBackAndARevisionIsTakenOnce() throws Exception {
        var reminder = new Reminder(ID, "r", NOW, Optional.of(Duration.ofSeconds(3)), new byte[]{5});
        var journal = journal();
        assertThat(journal.load(List.of(ID))).isEmpty();
        assertThat(engine.all("durable/accounts")).as("of keys that were only looked at").isEmpty();
        var other = new Id("accounts", "1");
        assertThat(
                journal.commit(List.of(turn(1), turn(other, 1, NONE), turn(ID, 2, new byte[]{9}, reminder)))
                        .cardinality())
                .isEqualTo(3);
        assertThat(journal.commit(List.of(turn(2), turn(3), turn(other, 2, NONE))).stream())
                .as("the turn behind a fenced one is fenced").containsExactly(2);
        var loaded = journal.load(List.of(ID)).get(ID);
        assertThat(loaded.turns()).extracting(Turn::revision).containsExactly(1L, 2L);
        var second = loaded.turns().getLast();
        assertThat(second.events()).containsExactly(2);
        var message = new Message(ID, new UUID(7, 2));
        assertThat(journal.handled(List.of(message)).get(message).answer()).containsExactly(7);
        assertThat(second.at()).isEqualTo(NOW);
        assertThat(journal.revisions(List.of(ID, other, new Id("x", "y")))).hasSize(2).containsEntry(ID, 2L);
        assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 9)).extracting(Turn::id)
                .containsExactly(ID);
        assertThat(journal.due("accounts", Slices.ALL, NOW.minusMillis(1), 9)).isEmpty();
        var due = journal.due("accounts", Slices.ALL, NOW, 9).getFirst();
        assertThat(due.every()).contains(Duration.ofSeconds(3));
        assertThat(due.message()).containsExactly(5);
        assertThat(journal.reminder(ID, "r")).isPresent();
        assertThat(journal.reminder(ID, "s")).isEmpty();
        journal.sent(List.of(new Sent(ID, 2)));
        assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 9)).isEmpty();
    }

    @Test
    @Promise("85.7")
    void belowASnapshotNothingIsKeptButWhatWasNotSentAndNoWriterGetsIn() throws Exception {
        var journal = journal();
        journal.commit(List.of(turn(ID, 1, new byte[]{9}), turn(2)));
        var third = new Turn(ID, 3, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(3, new byte[]{1})), false);
        assertThat(journal.commit(List.of(third)).cardinality()).isEqualTo(1);
        assertThat(journal.history(ID, 0, 9)).extracting(Turn::revision).containsExactly(1L);
        journal.sent(List.of(new Sent(ID, 1)));
        assertThat(journal.history(ID, 0, 9)).isEmpty();
        for (long revision = 1; revision <= 3; revision++) {
            assertThat(journal.commit(List.of(turn(revision))).isEmpty()).isTrue();
        }
        var loaded = journal.load(List.of(ID)).get(ID);
        assertThat(loaded.snapshot().orElseThrow().state()).containsExactly(1);
        assertThat(loaded.handled()).extracting(Handled::id).containsExactly(new UUID(7, 1), new UUID(7, 2));
    }

    @Test
    void ofEachSliceItsMessagesAndRemindersAreRead() throws Exception {
        var journal = journal();
        journal.commit(IntStream.range(0, 40).mapToObj(key -> new Id("accounts", "k" + key))
                .map(id -> turn(id, 1, new byte[]{9}, new Reminder(id, "r", NOW, Optional.empty(), NONE)))
                .toList());
        int messages = 0;
        int reminders = 0;
        for (int number = 0; number < 4; number++) {
            var slices = new Slices(4, Set.of(number));
            assertThat(journal.unsent("accounts", slices, Position.FIRST, 99))
                    .allMatch(turn -> slices.contains(turn.id()));
            messages += journal.unsent("accounts", slices, Position.FIRST, 99).size();
            reminders += journal.due("accounts", slices, NOW, 99).size();
        }
        assertThat(messages).isEqualTo(40);
        assertThat(reminders).isEqualTo(40);
        assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 7)).hasSize(7);
        assertThat(journal.due("accounts", Slices.ALL, NOW, 7)).hasSize(7);
    }

    /** A copy may be old, or a change that never became effective. */
    @Test
    @Promise("85.7")
    void whatOnlyTheCopyOfThisNodeHasIsNotReadAndNotBuiltUpon() throws Exception {
        journal().commit(List.of(turn(1), turn(2)));
        var elsewhere = engine.get("durable/accounts", "4711");
        journal().commit(List.of(turn(3)));
        var reads = new AtomicInteger();
        var journal = lying(
                (truth, method) -> method.equals("get") && reads.incrementAndGet() < 5 ? elsewhere : truth);
        assertThat(journal.load(List.of(ID)).get(ID).turns()).extracting(Turn::revision).containsExactly(1L,
                2L, 3L);
        reads.set(0);
        assertThat(journal.commit(List.of(turn(3))).isEmpty()).as("fenced, though the copy is behind")
                .isTrue();
        reads.set(0);
        assertThat(journal.commit(List.of(turn(4))).cardinality()).isEqualTo(1);
        assertThat(journal().revisions(List.of(ID))).containsEntry(ID, 4L);
    }

    @Test
    @Promise("85.7")
    void aChangeThatWasMadeThoughItWasRefusedIsFoundOut() throws Exception {
        var journal = lying((truth, method) -> truth == Outcome.DONE && changes.incrementAndGet() == 1
                ? Outcome.REFUSED
                : truth);
        assertThat(journal.commit(List.of(turn(1))).cardinality()).isEqualTo(1);
        assertThat(journal().revisions(List.of(ID))).containsEntry(ID, 1L);
    }

    /** The outbox and the reminders look at the key at this moment, and the next home of the key writes as well. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    @Promise("85.7")
    void aTurnThatWasWrittenIsNotToldAsFencedWhateverComesNext(int others) throws Exception {
        var journal = lying((truth, method) -> {
            if (truth == Outcome.DONE && changes.incrementAndGet() == 1) {
                try {
                    assertThat(journal().revisions(List.of(ID))).containsEntry(ID, 1L);
                    for (int i = 0; i < others; i++) {
                        assertThat(journal().commit(List.of(turn(2 + i))).cardinality()).isEqualTo(1);
                    }
                    assertThat(journal().load(List.of(ID)).get(ID).turns()).hasSize(1 + others);
                } catch (Exception wrong) {
                    throw new IllegalStateException(wrong);
                }
                return Outcome.UNKNOWN;
            }
            return truth;
        });
        assertThat(journal.commit(List.of(turn(1))).cardinality()).isEqualTo(1);
        assertThat(journal().load(List.of(ID)).get(ID).turns()).hasSize(1 + others);
        assertThat(journal.commit(List.of(turn(1))).isEmpty()).as("its revision is taken now").isTrue();
    }

    @Test
    @Promise("85.8")
    void aTurnIsNotToldAsFencedIfItIsNotKnown() throws Exception {
        var journal = lying((truth, method) -> {
            if (truth == Outcome.DONE && changes.incrementAndGet() == 1) {
                try {
                    for (int i = 0; i < 9; i++) {
                        journal().commit(List.of(turn(2 + i)));
                    }
                } catch (Exception wrong) {
                    throw new IllegalStateException(wrong);
                }
                return Outcome.UNKNOWN;
            }
            return truth;
        });
        assertThatThrownBy(() -> journal.commit(List.of(turn(1)))).isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "it is not known whether accounts 4711 was changed: others have changed it too often since");
    }

    @Test
    @Promise("85.8")
    void aKeyOfWhichNothingIsKnownHarmsNoOthers() throws Exception {
        var liar = (ClusterEngine) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("compareAndSet") && arguments[1].equals("bad")
                                ? Outcome.UNKNOWN
                                : method.invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        var journal = new TableJournal(liar, scope, Duration.ofMillis(300));
        var turns = IntStream.range(0, 200)
                .mapToObj(key -> turn(new Id("accounts", key == 70 ? "bad" : "k" + key), 1, NONE)).toList();
        assertThatThrownBy(() -> journal.commit(turns)).isInstanceOfSatisfying(UnsettledTurnsException.class,
                some -> {
                    assertThat(some.written().cardinality()).isEqualTo(199);
                    assertThat(some.written().get(70)).isFalse();
                    assertThat(some.unsettled()).containsOnlyKeys(70);
                    assertThat(some.unsettled().get(70))
                            .hasMessageContaining("whether accounts bad was changed");
                });
        assertThat(engine.all("durable/accounts")).hasSize(199);
    }

    /** The store reads nothing else meanwhile. */
    @Test
    @Promise("85.2")
    void aPageOfWhatIsDueOrUnsentTakesNoMoreChangesThanItHas() throws Exception {
        journal().commit(IntStream.range(0, 500).mapToObj(key -> new Id("accounts", "k" + key))
                .map(id -> turn(id, 1, new byte[]{9},
                        new Reminder(id, "r", NOW.plusMillis(Integer.parseInt(id.key().substring(1))),
                                Optional.empty(), NONE)))
                .toList());
        var journal = lying((truth, method) -> {
            changes.addAndGet(method.equals("compareAndSet") ? 1 : 0);
            return truth;
        });
        assertThat(journal.due("accounts", Slices.ALL, NOW.plusSeconds(9), 7))
                .extracting(reminder -> reminder.id().key())
                .containsExactly("k0", "k1", "k2", "k3", "k4", "k5", "k6");
        assertThat(changes.getAndSet(0)).isLessThanOrEqualTo(64);
        assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 100)).hasSize(100)
                .doesNotHaveDuplicates();
        assertThat(changes).hasValueLessThanOrEqualTo(128);
    }

    @Test
    @Promise("85.8")
    void aChangeOfWhichNothingIsKnownAndOneWithoutTheMajorityFail() throws Exception {
        var journal = lying(Duration.ofMillis(300),
                (truth, method) -> truth == Outcome.DONE ? Outcome.UNKNOWN : truth);
        assertThatThrownBy(() -> journal.commit(List.of(turn(1)))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not said within PT0.3S whether accounts 4711");
        var refusing = lying(Duration.ofMillis(300),
                (truth, method) -> truth == Outcome.DONE ? Outcome.REFUSED : truth);
        assertThatThrownBy(() -> refusing.commit(List.of(turn(2)))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("again and again");
        network.cut(engine);
        assertThatThrownBy(() -> journal().load(List.of(ID))).isInstanceOf(NotServedException.class)
                .hasMessageContaining("majority");
        assertThatThrownBy(() -> journal().commit(List.of(turn(2), turn(new Id("x", "y"), 1, NONE))))
                .isInstanceOf(NotServedException.class);
    }

    /** What becomes of a change whose outcome is unknown. */
    private enum Fate {
        MADE, NOT_MADE, MADE_LATER
    }

    /** The outcome of the first change of each turn is unknown, as when a node leaves meanwhile; it is asked for again. */
    @ParameterizedTest
    @EnumSource
    @Promise("85.1")
    void aChangeWhoseOutcomeIsUnknownForAMomentIsMadeOnce(Fate fate) throws Exception {
        var late = new AtomicReference<Object[]>();
        var asked = new AtomicInteger();
        var forgetful = (ClusterEngine) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("compareAndSet")) {
                            if (late.get() != null) {
                                var earlier = late.getAndSet(null);
                                assertThat(method.invoke(engine, earlier)).isEqualTo(Outcome.DONE);
                            } else if (asked.incrementAndGet() % 3 == 1) {
                                if (fate == Fate.MADE) {
                                    method.invoke(engine, arguments);
                                } else if (fate == Fate.MADE_LATER) {
                                    late.set(arguments);
                                }
                                return Outcome.UNKNOWN;
                            }
                        }
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        var journal = new TableJournal(forgetful, scope, Duration.ofSeconds(30));
        for (int revision = 1; revision <= 5; revision++) {
            assertThat(journal.commit(List.of(turn(revision))).stream()).as("written").containsExactly(0);
        }
        assertThat(journal().load(List.of(ID)).get(ID).turns()).extracting(Turn::revision)
                .containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(asked).hasValueGreaterThan(5);
    }

    /** After others have left, an engine may deny its tables for a moment. */
    @Test
    @Promise("85.8")
    void tablesThatAreDeniedForAMomentAreReadAgain() throws Exception {
        var denials = new AtomicInteger();
        BinaryOperator<Object> denying = (truth, method) -> {
            if (Set.of("get", "all").contains(method) && denials.incrementAndGet() % 4 != 0) {
                throw new NotServedException("for a moment");
            }
            return truth;
        };
        var journal = lying(denying);
        assertThat(journal.commit(List.of(turn(ID, 1, new byte[]{9}))).stream()).as("written")
                .containsExactly(0);
        assertThat(journal.load(List.of(ID)).get(ID).turns()).hasSize(1);
        assertThat(journal.unsent("accounts", Slices.ALL, Position.FIRST, 9)).extracting(Turn::id)
                .containsExactly(ID);
        assertThat(denials).hasValueGreaterThanOrEqualTo(12);
        var never = lying(Duration.ofMillis(100), (truth, method) -> {
            if (method.equals("get")) {
                throw new NotServedException("never");
            }
            return truth;
        });
        assertThatThrownBy(() -> never.load(List.of(ID))).isInstanceOf(NotServedException.class)
                .hasMessage("never");
    }
}
