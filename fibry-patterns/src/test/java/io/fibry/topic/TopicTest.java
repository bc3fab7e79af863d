package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Topics: who gets which messages, in which order, and on which threads. */
class TopicTest {
    private static final int EACH = 200;
    private static final MailboxPolicy WIDE = MailboxPolicy.bounded(10_000, OverflowPolicy.reject());

    private record Note(int publisher, int number) {
    }

    private static TopicOptions options(Delivery way) {
        return way.options().withMailbox(WIDE);
    }

    private static List<Integer> numbersOf(int publisher, Iterable<Note> notes) {
        var numbers = new ArrayList<Integer>();
        notes.forEach(note -> {
            if (note.publisher() == publisher) {
                numbers.add(note.number());
            }
        });
        return numbers;
    }

    private static void assertAllInOrder(Delivery way, int publishers, Iterable<Note> notes) {
        var all = IntStream.range(0, EACH).boxed().toList();
        for (int publisher = 0; publisher < publishers; publisher++) {
            var numbers = numbersOf(publisher, notes);
            assertThat(numbers).as("%s, publisher %s", way, publisher).isEqualTo(all);
        }
    }

    @Promise("41.1")
    @EveryStrategy
    void eachSubscriberGetsEachMessageInTheOrderOfItsPublisher(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topic = Topic.<Note>open(scope, "news", options(way));
                var first = new ConcurrentLinkedQueue<Note>();
                var second = new ConcurrentLinkedQueue<Note>();
                var third = new ConcurrentLinkedQueue<Note>();
                var subscription = topic.subscribe(first::add);
                topic.subscribe(SubscriberOptions.named("second"), second::add);
                var actor = scope.anonymous().newActor((Note note) -> third.add(note));
                topic.subscribe(actor);
                Senders.run(3, publisher -> {
                    for (int i = 0; i < EACH; i++) {
                        assertThat(topic.publish(new Note(publisher, i))).isEqualTo(3);
                    }
                });
                topic.close();
                actor.close();
                assertAllInOrder(way, 3, first);
                assertAllInOrder(way, 3, second);
                assertAllInOrder(Delivery.PER_SUBSCRIBER, 3, third);
                assertThat(subscription.counters().handled()).as("%s", way).isEqualTo(3 * EACH);
                assertThat(topic.counters().handled()).isEqualTo(9 * EACH);
                assertThat(topic.counters().total()).isEqualTo(9 * EACH);
                assertThat(subscription.isActive()).isFalse();
            }
        }
    }

    @Promise("41.1")
    @EveryStrategy
    void aPatternGetsTheMessagesOfItsTopics(Strategy strategy) {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way));
                var market = new ConcurrentLinkedQueue<String>();
                var all = new ConcurrentLinkedQueue<String>();
                var tea = new ConcurrentLinkedQueue<String>();
                topics.topic("market.tea");
                topics.subscribe("market.*", (topic, n) -> market.add(topic + n));
                topics.subscribe("*", (topic, n) -> all.add(topic + n));
                topics.subscribe("market.tea", (topic, n) -> tea.add(topic + n));
                assertThat(topics.publish("market.tea", 1)).isEqualTo(3);
                assertThat(topics.publish("market.salt", 2)).as("made later").isEqualTo(2);
                assertThat(topics.publish("marketing", 3)).isEqualTo(1);
                assertThat(topics.publish("market.", 4)).isEqualTo(2);
                assertThat(topics.names()).containsExactly("market.", "market.salt", "market.tea",
                        "marketing");
                assertThat(topics.subscriptions()).isEqualTo(3);
                topics.close();
                var expected = List.of("market.tea1", "market.salt2", "market.4");
                assertThat(market).containsExactlyElementsOf(expected);
                assertThat(all).hasSize(4);
                assertThat(tea).containsExactly("market.tea1");
                assertThat(topics.subscriptions()).isZero();
                assertThat(topics.counters().handled()).isEqualTo(8);
            }
        }
    }

    /** How many handlers run at this moment, and the most that have. */
    private static final class Running {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void run() {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            Thread.yield();
            now.decrementAndGet();
        }
    }

    @Promise("41.1")
    @EveryStrategy
    void aHandlerNeverRunsBesideItself(Strategy strategy) throws Exception {
        for (var way : Delivery.values()) {
            try (var scope = Scopes.on(strategy)) {
                var topics = Topics.<Integer>open(scope, "all", options(way));
                var alone = List.of(new Running(), new Running());
                for (int i = 0; i < 2; i++) {
                    topics.topic("t" + i).subscribe(n -> alone.get(n % 2).run());
                    topics.topic("t" + i).subscribe(n -> {
                    });
                }
                Senders.run(4, sender -> {
                    for (int i = 0; i < EACH; i++) {
                        topics.publish("t" + i % 2, i);
                    }
                });
                topics.close();
                assertThat(alone).allMatch(each -> each.most.get() == 1);
            }
        }
    }

    @Promise("41.4")
    @EveryStrategy
    void thePublisherRunsTheHandlers(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var topic = Topic.<Integer>open(scope, "news", options(Delivery.PUBLISHER));
            var threads = ConcurrentHashMap.<Thread>newKeySet();
            var seen = new ArrayList<Integer>();
            topic.subscribe(n -> {
                threads.add(Thread.currentThread());
                seen.add(n);
            });
            topic.publish(1);
            topic.publish(2);
            assertThat(seen).containsExactly(1, 2);
            assertThat(threads).containsExactly(Thread.currentThread());
        }
    }

    /** As deep as this, nested handlers would overflow the stack. */
    private static final int DEEP = 20_000;

    @Promise("41.4")
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void aHandlerMayPublishToItsOwnTopic(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "chain", options(way));
            var end = new CountDownLatch(1);
            var depth = new AtomicInteger();
            var deepest = new AtomicInteger();
            topic.subscribe(n -> {
                deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
                if (n < DEEP) {
                    topic.publish(n + 1);
                } else {
                    end.countDown();
                }
                depth.decrementAndGet();
            });
            topic.publish(0);
            Waits.on(end);
            topic.close();
            assertThat(topic.counters().handled()).isEqualTo(DEEP + 1);
            assertThat(deepest).hasValue(1);
        }
    }

    @Promise({"41.4", "41.5"})
    @ParameterizedTest
    @EnumSource(Delivery.class)
    void twoTopicsThatPublishToEachOtherNeitherNestNorHang(Delivery way) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var narrow = way.options()
                    .withMailbox(MailboxPolicy.bounded(4, OverflowPolicy.block()));
            var topics = Topics.<Integer>open(scope, "pair", narrow);
            var end = new CountDownLatch(2);
            for (var pair : List.of(List.of("ping", "pong"), List.of("pong", "ping"))) {
                topics.subscribe(pair.get(0), (topic, n) -> {
                    if (n < 2_000) {
                        topics.publish(pair.get(1), n + 1);
                    } else {
                        end.countDown();
                    }
                });
            }
            topics.publish("ping", 0);
            topics.publish("pong", 0);
            Waits.on(end);
            topics.close();
            assertThat(topics.counters().total()).isEqualTo(topics.counters().handled());
        }
    }

    /** A topic whose one subscriber is busy until the latch opens, and whose other one counts. */
    private static Subscription busy(Topic<Integer> topic, CountDownLatch begun, CountDownLatch go)
            throws Exception {
        var busy = topic.subscribe(SubscriberOptions.named("busy"), n -> {
            begun.countDown();
            go.await();
        });
        topic.publish(0);
        Waits.on(begun);
        return busy;
    }

    @Promise("41.5")
    @Test
    void aFloodHurtsTheSlowSubscriberOnly() throws Exception {
        for (var policy : List.of(OverflowPolicy.dropOldest(), OverflowPolicy.dropNewest(),
                OverflowPolicy.reject())) {
            try (var scope = Scopes.on(Strategy.FIBERS)) {
                var topic = Topic.<Integer>open(scope, "flood", TopicOptions.defaults()
                        .withMailbox(MailboxPolicy.bounded(10, policy)));
                var go = new CountDownLatch(1);
                var slow = busy(topic, new CountDownLatch(1), go);
                var quick = topic.subscribe(SubscriberOptions.named("quick").withMailbox(WIDE), n -> {
                });
                for (int i = 0; i < 2_000; i++) {
                    topic.publish(i);
                }
                Waits.until("the quick one has all", () -> quick.counters().handled() == 2_000);
                go.countDown();
                topic.close();
                assertThat(slow.counters().handled()).as("%s", policy).isBetween(11L, 12L);
                assertThat(slow.counters().total()).isEqualTo(2_001);
                assertThat(quick.counters().total()).isEqualTo(2_000);
            }
        }
    }

    @Promise("41.5")
    @Test
    void aMailboxThatBlocksComesLastAndMakesThePublisherWait() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "wait", options(Delivery.PER_SUBSCRIBER)
                    .withMailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
            var go = new CountDownLatch(1);
            var slow = busy(topic, new CountDownLatch(1), go);
            var got = new ConcurrentLinkedQueue<Integer>();
            topic.subscribe(SubscriberOptions.defaults().withMailbox(WIDE), got::add);
            var publisher = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 1; i <= 3; i++) {
                    topic.publish(i);
                }
            });
            Waits.until("two were taken by the one that does not block", () -> got.size() == 2);
            Waits.parked(publisher);
            assertThat(got).containsExactly(1, 2);
            go.countDown();
            Waits.on(publisher);
            topic.close();
            assertThat(got).containsExactly(1, 2, 3);
            assertThat(slow.counters().handled()).isEqualTo(4);
        }
    }

    @Promise("41.5")
    @Test
    void aPolicyToFailThrowsWhenAllOthersHaveTheMessage() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "fail", TopicOptions.defaults()
                    .withMailbox(MailboxPolicy.bounded(1, OverflowPolicy.fail())));
            var go = new CountDownLatch(1);
            var slow = busy(topic, new CountDownLatch(1), go);
            var got = new ConcurrentLinkedQueue<Integer>();
            topic.subscribe(SubscriberOptions.defaults().withMailbox(WIDE), got::add);
            topic.publish(1);
            assertThatThrownBy(() -> topic.publish(2)).isInstanceOf(MailboxFullException.class);
            go.countDown();
            Waits.until("the slow one has both", () -> slow.counters().handled() == 2);
            topic.close();
            assertThat(slow.counters()).isEqualTo(new Counters(2, 0, 0, 0, 1, 0));
            assertThat(got).contains(1);
            assertThat(got).as("offered to the other one").contains(2);
        }
    }

    @Promise("41.5")
    @Test
    void anActorWhoseMailboxBlocksHasAMailboxBeforeIt() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "relay", options(Delivery.PER_SUBSCRIBER));
            var go = new CountDownLatch(1);
            var begun = new CountDownLatch(1);
            var seen = new ConcurrentLinkedQueue<Integer>();
            var slow = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((Integer n) -> {
                        begun.countDown();
                        go.await();
                        seen.add(n);
                    });
            var subscription = topic.subscribe(SubscriberOptions.named("slow")
                    .withMailbox(MailboxPolicy.bounded(5, OverflowPolicy.dropOldest())), slow);
            topic.publish(0);
            Waits.on(begun);
            for (int i = 1; i < 100; i++) {
                topic.publish(i);
            }
            go.countDown();
            topic.close();
            slow.close();
            assertThat(subscription.counters().total()).isEqualTo(100);
            assertThat(subscription.counters().dropped()).isGreaterThan(80);
            assertThat(List.copyOf(seen)).contains(99).isSorted();
        }
    }

    @Promise({"41.1", "41.5"})
    @Test
    void aThousandSubscribers() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var topic = Topic.<Integer>open(scope, "crowd", options(Delivery.PER_SUBSCRIBER));
            var sum = new AtomicInteger();
            for (int i = 0; i < 1_000; i++) {
                topic.subscribe(n -> sum.addAndGet(n));
            }
            assertThat(topic.subscribers()).isEqualTo(1_000);
            for (int i = 0; i < 10; i++) {
                assertThat(topic.publish(1)).isEqualTo(1_000);
            }
            topic.close();
            assertThat(sum).hasValue(10_000);
        }
    }

    @Promise("41.9")
    @Test
    void thereAreNoMoreTopicsThanTheOptionsAllow() {
        try (ActorScope scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "few", TopicOptions.defaults().withMostTopics(2));
            topics.publish("a", 1);
            var second = topics.topic("b");
            assertThatThrownBy(() -> topics.publish("c", 1)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'few'").hasMessageContaining("'c'")
                    .hasMessageContaining("withMostTopics");
            second.close();
            assertThat(topics.publish("c", 1)).isZero();
            assertThat(topics.names()).containsExactly("a", "c");
            assertThat(topics.find("b")).isEmpty();
        }
    }

    @Test
    void namesAndNumbersAreChecked() {
        try (ActorScope scope = Scopes.on(Strategy.FIBERS)) {
            var topics = Topics.<Integer>open(scope, "names", TopicOptions.defaults());
            for (var wrong : List.of("", " ", "a*", "*")) {
                assertThatThrownBy(() -> topics.topic(wrong)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> Topic.open(scope, wrong, TopicOptions.defaults()))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            for (var wrong : List.of("", "a*b", "*.b", "**")) {
                assertThatThrownBy(() -> topics.subscribe(wrong, (topic, n) -> {
                })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'" + wrong + "'");
            }
            assertThatThrownBy(() -> topics.topic("a").publish(null))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> TopicOptions.defaults().withMostTopics(0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> SubscriberOptions.named(" "))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> ObserverOptions.defaults().withMost(0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
