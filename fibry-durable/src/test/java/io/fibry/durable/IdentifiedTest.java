package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Messages with an id of the program: once from outside, once from an outbox, and however many there are. */
class IdentifiedTest {
    private static final Duration LONG = Duration.ofHours(9_999);
    private static final Duration IDS = Duration.ofMinutes(10);

    /** Asks a shop to order a parcel from a depot. */
    public record Order(String shop, String parcel) {
    }

    /** A parcel that a depot sends once. */
    public record Parcel(String depot, String id) implements Identified {
        @Override
        public String messageId() {
            return id;
        }
    }

    private final ManualTime time = new ManualTime();
    private final AtomicBoolean losesMarks = new AtomicBoolean();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicLong largest = new AtomicLong();
    private final ForwardingJournal journal = new ForwardingJournal() {
        @Override
        public void sent(Collection<Sent> turns) throws Exception {
            if (losesMarks.get()) {
                lost.addAndGet(turns.size());
            } else {
                super.sent(turns);
            }
        }

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            turns.forEach(turn -> largest.accumulateAndGet(TurnSize.of(turn), Math::max));
            return super.commit(turns);
        }
    };
    /** What the depots have sent: the id that the handler has seen. */
    private final ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();

    private ActorScope scope() {
        return ActorSystem.configure("test").time(time).open();
    }

    private DurableStore store() {
        return DurableStore.of(journal, CommitOptions.defaults());
    }

    private KeyedActors<String, Parcel, Long> depots(ActorScope scope, DurableStore store) {
        return Durable.stateOnly(store, "depots", Long.class, 0L).ids(IDS).pipelined().idle(LONG)
                .keyed(scope, Parcel.class, Long.class, Parcel::depot, (self, parcel) -> {
                    sent.add(self.messageId());
                    self.persist(self.state() + 1);
                    return self.state();
                });
    }

    private static KeyedActors<String, Order, Long> shops(ActorScope scope, DurableStore store,
            KeyedActors<String, Parcel, Long> depots) {
        return Durable.stateOnly(store, "shops", Long.class, 0L).idle(LONG).keyed(scope, Order.class,
                Long.class,
                Order::shop, (self, order) -> {
                    self.send(depots, new Parcel("depot/of the north", order.parcel()));
                    return self.revision();
                });
    }

    private int unsent() {
        try {
            return journal.unsent("shops", Slices.ALL, Position.FIRST, 100).size();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Promise({"66.1", "66.2"})
    void aMessageOfAnOutboxKeepsTheIdThatTheProgramHasGivenIt() throws Exception {
        try (var store = store(); var scope = scope()) {
            var depots = depots(scope, store);
            var shops = shops(scope, store, depots);
            for (var shop : List.of("a", "b", "c")) {
                Waits.on(shops.sendMessageReturn(new Order(shop, "parcel 1")));
            }
            Waits.on(shops.sendMessageReturn(new Order("a", "parcel 2")));
            Waits.until("all were sent", () -> unsent() == 0);
            assertThat(sent).as("what the handlers have seen as the id").containsExactlyInAnyOrder("parcel 1",
                    "parcel 2");
            assertThat(Waits.on(depots.sendMessageReturn(new Parcel("depot/of the north", "parcel 1"))))
                    .as("the first answer").isEqualTo(1);
            assertThat(sent).hasSize(2);
        }
    }

    /** The outbox sends again what its store does not know as sent, also long after the id of the program is forgotten. */
    @Test
    @Promise({"66.1", "66.2"})
    void aMessageOfAnOutboxIsHandledOnceAlsoAfterTheTimeForWhichIdsAreKept() throws Exception {
        losesMarks.set(true);
        try (var store = store(); var scope = scope()) {
            var shops = shops(scope, store, depots(scope, store));
            Waits.on(shops.sendMessageReturn(new Order("a", "parcel 1")));
            Waits.on(shops.sendMessageReturn(new Order("b", "parcel 1")));
            Waits.until("both were sent", () -> lost.get() == 2);
        }
        time.advance(IDS.multipliedBy(100));
        try (var store = store(); var scope = scope()) {
            var depots = depots(scope, store);
            store.compaction.run(Duration.ofDays(1));
            losesMarks.set(false);
            var shops = shops(scope, store, depots);
            Waits.until("both were sent again", () -> unsent() == 0);
            assertThat(sent).as("the first time").containsExactly("parcel 1");
            assertThat(Waits.on(depots.sendMessageReturn(new Parcel("depot/of the north", "parcel 1"))))
                    .as("from outside, and after all that time").isEqualTo(2);
            Waits.on(shops.sendMessageReturn(new Order("a", "parcel 3")));
            Waits.until("the next one was sent", () -> unsent() == 0);
            assertThat(sent).containsExactly("parcel 1", "parcel 1", "parcel 3");
        }
    }

    @Test
    @Promise("66.2")
    void aKeyTakesAnyNumberOfMessagesWithAnIdAndKnowsAllOfThem() throws Exception {
        int count = 3 * Journal.Loaded.MOST_HANDLED;
        try (var store = store()) {
            try (var scope = scope()) {
                var depots = depots(scope, store);
                var answers = new ArrayList<CompletableFuture<Long>>();
                for (int i = 0; i < count; i++) {
                    answers.add(depots.sendMessageReturn(new Parcel("d", "parcel " + i)));
                }
                for (int i = 0; i < count; i++) {
                    assertThat(Waits.on(answers.get(i))).isEqualTo(i + 1);
                }
                assertThat(largest.get()).as("bytes of the largest turn").isLessThan(200);
                assertThat(repeated(depots, 0)).as("the oldest").isEqualTo(1);
                assertThat(repeated(depots, count - 1)).as("the newest").isEqualTo(count);
            }
            try (var scope = scope()) {
                var depots = depots(scope, store);
                for (int i = 0; i < count; i += 999) {
                    assertThat(repeated(depots, i)).isEqualTo(i + 1);
                }
                assertThat(repeated(depots, count)).as("a new one").isEqualTo(count + 1);
                assertThat(sent).hasSize(count + 1);
            }
        }
    }

    private static long repeated(KeyedActors<String, Parcel, Long> depots, int parcel) throws Exception {
        return Waits.on(depots.sendMessageReturn(new Parcel("d", "parcel " + parcel)));
    }

    @Test
    @Promise("66.2")
    void whatIsKeptOfMessagesGoesWhenItsTimeIsOverAlsoThatOfADeletedKey() throws Exception {
        try (var store = store(); var scope = scope()) {
            var carts = Durable.stateOnly(store, "carts", Long.class, 0L).ids(IDS).idle(LONG)
                    .keyed(scope, Parcel.class, Long.class, Parcel::depot, (self, parcel) -> {
                        self.delete();
                        return self.revision();
                    });
            assertThat(Waits.on(carts.sendMessageReturn(new Parcel("c", "1")))).isZero();
            time.advance(IDS.minusSeconds(1));
            assertThat(Waits.on(carts.sendMessageReturn(new Parcel("c", "2")))).isEqualTo(1);
            store.compaction.run(Duration.ofDays(1));
            assertThat(Waits.on(carts.sendMessageReturn(new Parcel("c", "1")))).as("again").isZero();
            time.advance(Duration.ofSeconds(2));
            store.compaction.run(Duration.ofDays(1));
            assertThat(kept("1")).isFalse();
            assertThat(kept("2")).isTrue();
            time.advance(IDS);
            store.compaction.run(Duration.ofDays(1));
            assertThat(kept("2")).isFalse();
            assertThat(Waits.on(carts.sendMessageReturn(new Parcel("c", "1")))).as("as if new").isEqualTo(2);
        }
    }

    private boolean kept(String parcel) throws Exception {
        return journal.handled(new Id("carts", "c"), HandledMessages.ofProgram(parcel))
                .isPresent();
    }

    /** A message that waits for its time is one like those that come from outside; each time of a repeated one is a message of its own. */
    @Test
    @Promise({"66.2", "67.1"})
    void aReminderKeepsTheIdThatTheProgramHasGivenItAndARepeatedOneComesEachTime() throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        try (var store = store(); var scope = scope()) {
            var carts =
                    Durable.stateOnly(store, "carts", Long.class, 0L).idle(LONG).keyed(scope, Parcel.class,
                            Long.class, Parcel::depot, (self, parcel) -> {
                                seen.add(parcel.id());
                                if (parcel.id().equals("begin")) {
                                    self.remind("once", time.clock().instant().plusSeconds(1),
                                            new Parcel("c", "once"));
                                    self.remind("each", Schedule.fixedRate(Duration.ofSeconds(10)),
                                            new Parcel("c", "each"));
                                }
                                return self.revision();
                            });
            Waits.on(carts.sendMessageReturn(new Parcel("c", "begin")));
            Waits.on(carts.sendMessageReturn(new Parcel("c", "once")));
            Waits.until("the repeated one has come twice", () -> {
                time.advance(Duration.ofSeconds(1));
                return seen.stream().filter("each"::equals).count() >= 2;
            });
            assertThat(seen).as("the other one was handled before its time came").containsOnlyOnce("once");
            Waits.until("it is over", () -> due().equals(List.of("each")));
        }
    }

    private List<String> due() {
        try {
            return journal.due("carts", Slices.ALL, Instant.MAX, 10).stream().map(Journal.Reminder::name)
                    .toList();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
