package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.codec.CodecOptions;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns with many bytes. */
@Timeout(60)
class LargeTurnTest {
    private static final int MIB = 1 << 20;
    private static final CodecOptions LARGE = CodecOptions.defaults().largest(64 * MIB);

    /** Persists, and answers, texts of these lengths. */
    public record Write(String key, int persisted, int answered, Optional<String> id) implements Identified {
        @Override
        public String messageId() {
            return id.orElse("");
        }
    }

    /** A state that grows. */
    public record Grown(String text) {
    }

    /** Commits when a test allows it, and notes the sizes of what it commits. */
    private static final class SizingJournal extends ForwardingJournal {
        final Semaphore commits = new Semaphore(0);
        final List<List<Long>> groups = new CopyOnWriteArrayList<>();

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            commits.acquire();
            groups.add(turns.stream().map(turn -> (long) turn.events().length).toList());
            return super.commit(turns);
        }
    }

    private final SizingJournal journal = new SizingJournal();
    private final AtomicInteger handled = new AtomicInteger();

    private static Write write(String key, int persisted) {
        return new Write(key, persisted, 1, Optional.empty());
    }

    private static Durable<String, String> texts(DurableStore store) {
        return Durable.of(store, "texts", String.class, "", String.class, (before, text) -> text)
                .codec(LARGE);
    }

    private KeyedActors<String, Write, String> open(ActorScope scope, Durable<String, String> texts) {
        return texts.idle(Duration.ofHours(1)).keyed(scope, Write.class, String.class,
                Write::key, (self, write) -> {
                    handled.incrementAndGet();
                    if (write.persisted > 0) {
                        self.persist("x".repeat(write.persisted));
                    }
                    if (write.answered < 0) {
                        self.flush();
                    }
                    return write.answered > 1 ? "y".repeat(write.answered)
                            : self.revision() + " " + self.state().length();
                });
    }

    private static DurableStore store(Journal journal) {
        return DurableStore.of(journal, CommitOptions.defaults().limit(Duration.ofSeconds(30)));
    }

    @Test
    @Promise("63.8")
    void theTurnsOfATransactionHaveALimitTogether() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, texts(store));
            var answers = new ArrayList<CompletableFuture<String>>();
            answers.add(actors.sendMessageReturn(write("first", 1)));
            Waits.until("the first commit waits", journal.commits::hasQueuedThreads);
            for (int i = 0; i < 9; i++) {
                answers.add(actors.sendMessageReturn(write("key " + i, MIB)));
            }
            Waits.until("nine wait", () -> store.writes.waiting.size() == 9);
            answers.add(actors.sendMessageReturn(write("large", 6 * MIB)));
            Waits.until("so does a large one", () -> store.writes.waiting.size() == 10);
            answers.add(actors.sendMessageReturn(write("small", 1)));
            Waits.until("and a small one", () -> store.writes.waiting.size() == 11);
            journal.commits.release(20);
            for (var answer : answers) {
                assertThat(Waits.on(answer)).startsWith("0 ");
            }
            assertThat(journal.groups).extracting(List::size).containsExactly(1, 3, 3, 3, 1, 1);
            assertThat(journal.groups).filteredOn(group -> group.size() > 1).allSatisfy(
                    group -> assertThat(group.stream().mapToLong(each -> each).sum())
                            .isLessThanOrEqualTo(4 * MIB));
        }
    }

    @Test
    @Promise({"63.8", "65.1"})
    void aTurnThatIsTooLargeFailsAndSaysWhoseItIsHowLargeAndWhatToDo() throws Exception {
        journal.commits.release(1_000);
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, texts(store));
            assertThat(Waits.on(actors.sendMessageReturn(write("a", 15 * MIB)))).startsWith("0 ");
            for (var tooLarge : List.of(write("a", 17 * MIB),
                    new Write("a", 17 * MIB, -1, Optional.empty()))) {
                assertThat(Waits.failure(actors.sendMessageReturn(tooLarge)))
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("texts a")
                        .hasMessageContaining("of which 17,8").hasMessageContaining("are events")
                        .hasMessageContaining("may have 16,777,216").hasMessageContaining("elsewhere");
            }
            assertThat(Waits.failure(actors.sendMessageReturn(new Write("a", 1, 17 * MIB, Optional.of("m")))))
                    .hasMessageContaining("texts a").hasMessageContaining("are the answer");
            assertThat(Waits.on(actors.sendMessageReturn(write("a", 0)))).as("as if they had not come")
                    .isEqualTo("1 " + (15 * MIB));
        }
    }

    @Test
    @Promise("63.8")
    void soDoesOneWhoseSnapshotIsTooLarge() throws Exception {
        journal.commits.release(1_000);
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = Durable
                    .of(store, "grown", Grown.class, new Grown(""), String.class,
                            (before, text) -> new Grown(before.text + text))
                    .codec(LARGE).snapshotEvery(3).idle(Duration.ofHours(1)).keyed(scope, Write.class,
                            Integer.class, Write::key, (self, write) -> {
                                if (write.persisted > 0) {
                                    self.persist("x".repeat(write.persisted));
                                } else if (write.answered < 0) {
                                    self.delete();
                                }
                                return self.state().text.length();
                            });
            Waits.on(actors.sendMessageReturn(write("a", 7 * MIB)));
            Waits.on(actors.sendMessageReturn(write("a", 7 * MIB)));
            assertThat(Waits.failure(actors.sendMessageReturn(write("a", 7 * MIB))))
                    .hasMessageContaining("grown a").hasMessageContaining("are the state")
                    .hasMessageContaining("divide the state");
            assertThat(Waits.on(actors.sendMessageReturn(write("a", 0)))).isEqualTo(14 * MIB);
            assertThat(Waits.on(actors.sendMessageReturn(new Write("a", 0, -1, Optional.empty())))).isZero();
            assertThat(Waits.on(actors.sendMessageReturn(write("a", 1)))).isOne();
        }
    }

    /** Nothing of the first turn was written, so its id must not be known. */
    @Test
    @Promise({"65.1", "66.2"})
    void theRepetitionOfATurnThatWasTooLargeIsHandled() throws Exception {
        journal.commits.release(1_000);
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, texts(store));
            var id = Optional.of("order 7");
            assertThat(Waits.failure(actors.sendMessageReturn(new Write("a", 17 * MIB, 1, id))))
                    .hasMessageContaining("are events");
            assertThat(Waits.on(actors.sendMessageReturn(new Write("a", 3, 1, id)))).isEqualTo("0 3");
            assertThat(handled).hasValue(2);
            assertThat(Waits.on(actors.sendMessageReturn(new Write("a", 5, 1, id)))).isEqualTo("0 3");
            assertThat(handled).hasValue(2);
        }
    }

    /** The logs of all keys that are read together are in memory at once. */
    @Test
    void soManyKeysAreReadTogetherAndNoMore() throws Exception {
        var loads = new Semaphore(0);
        var sizes = new CopyOnWriteArrayList<Integer>();
        var slow = new ForwardingJournal() {
            @Override
            public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
                sizes.add(ids.size());
                loads.acquire();
                return super.load(ids);
            }
        };
        try (var store = DurableStore.of(slow, CommitOptions.defaults().limit(Duration.ofMinutes(1)));
                var scope = ActorSystem.open("test")) {
            var actors = open(scope, texts(store));
            var answers = new ArrayList<CompletableFuture<String>>();
            answers.add(actors.sendMessageReturn(write("first", 0)));
            Waits.until("the first load waits", loads::hasQueuedThreads);
            for (int i = 0; i < 600; i++) {
                answers.add(actors.sendMessageReturn(write("key " + i, 0)));
            }
            // Those of the outbox and of the alarms, which read once at the beginning, may wait as well.
            Waits.until("600 wait", () -> store.reads.waiting.size() >= 600);
            loads.release(100);
            for (var answer : answers) {
                assertThat(Waits.on(answer)).isEqualTo("0 0");
            }
            assertThat(sizes).hasSize(4).startsWith(1).allMatch(size -> size <= 256);
            assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(601);
        }
    }

    @Test
    @Promise({"63.8", "65.1"})
    void aTurnThatIsTooLargeFailsAloneAmongThoseThatAreUnderWay() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var actors = open(scope, texts(store).pipelined());
            var first = actors.sendMessageReturn(write("a", 1));
            Waits.until("the first commit waits", journal.commits::hasQueuedThreads);
            var before = actors.sendMessageReturn(write("a", 2));
            var tooLarge = actors.sendMessageReturn(write("a", 17 * MIB));
            var behind = actors.sendMessageReturn(write("a", 0));
            journal.commits.release(20);
            assertThat(Waits.on(first)).isEqualTo("0 1");
            assertThat(Waits.on(before)).isEqualTo("1 2");
            assertThat(Waits.failure(tooLarge)).hasMessageContaining("are events");
            assertThat(Waits.on(behind)).isEqualTo("2 2");
        }
    }
}
