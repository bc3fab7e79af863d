package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.topic.Publication;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic with subscribers on several nodes. */
class TopicOfNodesTest {
    private static final ClusterGroup<String, Price, Void> PRICES = ClusterGroup.topic("prices", Price.class);
    private static final TopicOptions WITH_ROOM = TopicOptions.defaults()
            .withMailbox(MailboxPolicy.bounded(100_000, OverflowPolicy.dropOldest()));

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final CountDownLatch opened = new CountDownLatch(1);

    record Price(String publisher, int cents, String text) {
        Price(String publisher, int cents) {
            this(publisher, cents, "");
        }
    }

    private TestNode node(String name) {
        return node(new TestNode(name, network.node()));
    }

    private TestNode node(TestNode node) {
        nodes.add(node);
        return node;
    }

    private static Topic<Price> prices(TestNode node) {
        return node.cluster.topic(PRICES, WITH_ROOM);
    }

    /** Waits until each topic knows how many subscribers there are on all nodes. */
    private static void meet(int subscribers, Topic<?>... topics) {
        soon().until(() -> List.of(topics).stream().allMatch(topic -> topic.subscribers() == subscribers));
    }

    @AfterEach
    void close() {
        opened.countDown();
        nodes.reversed().forEach(TestNode::close);
    }

    @Promise("86.8")
    @Test
    void whatIsPublishedAtOnceReachesTheNodesThatHaveTheTopic() throws Exception {
        var received = new ConcurrentLinkedQueue<Integer>();
        var a = node("a");
        var b = node("b");
        var groups = IntStream.range(0, 20).mapToObj(n -> ClusterGroup.topic("t" + n, Price.class)).toList();
        groups.forEach(
                group -> b.cluster.topic(group, WITH_ROOM).subscribe(price -> received.add(price.cents)));
        soon().until(() -> groups.stream()
                .allMatch(group -> ((JoinedCluster) a.cluster).loads.loads(group.name()).values().stream()
                        .anyMatch(load -> load.size() == 1))); // the topic may be known before its subscriber
        for (int n = 0; n < groups.size(); n++) {
            assertThat(a.cluster.topic(groups.get(n), WITH_ROOM).publish(new Price("a", n))).isEqualTo(1);
        }
        soon().until(() -> received.size() == groups.size());
    }

    /** The wait for all nodes together has one limit, and a node with room does not wait for those without. */
    @Tag("timing")
    @Promise("86.10")
    @Test
    void aPublisherWaitsNoLongerForManySlowNodesThanForOne() throws Exception {
        var options = TopicOptions.defaults().withMailbox(MailboxPolicy.bounded(100, OverflowPolicy.block()));
        var deaf = new ArrayList<DeafEngine>();
        for (int i = 0; i < 4; i++) {
            deaf.add(new DeafEngine(network.node()));
            node(new TestNode("d" + i, deaf.get(i))).cluster.topic(PRICES, options).subscribe(price -> {
            });
        }
        var received = new CountDownLatch(2);
        node("quick").cluster.topic(PRICES, options).subscribe(price -> {
            if (price.cents > 0) {
                received.countDown();
            }
        });
        var limit = Duration.ofSeconds(2);
        var a = node(new TestNode(ActorSystem.open("a"),
                ClusterOptions.on("a", network.node()).slices(16).sendBuffer(1_000).roomLimit(limit)));
        var topic = a.cluster.topic(PRICES, options);
        soon().until(() -> topic.publish(new Price("a", 0)) == 5);
        deaf.forEach(each -> each.isDeaf = true);
        topic.publish(new Price("a", 1, "x".repeat(2_000)));
        soon().until(() -> received.getCount() == 1);
        var since = System.nanoTime();
        assertThat(topic.publish(new Price("a", 2, "x".repeat(2_000)))).isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(limit.multipliedBy(2));
        received.await();
        deaf.forEach(each -> each.isDeaf = false);
    }

    @Promise("86.11")
    @Test
    void aTopicWhoseStopWasRefusedGoesOn() throws Exception {
        var a = node("a");
        var here = prices(a);
        var there = prices(node("b"));
        here.subscribe(price -> {
        });
        meet(1, here, there);
        assertThatThrownBy(() -> here.stop(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadline must not be negative: PT-1S");
        assertThatThrownBy(() -> prices(a)).isInstanceOf(ClusterException.class);
        assertThat(there.publish(new Price("b", 1))).isEqualTo(1);
    }

    /** There is room for one message, so one that kept its room would leave none for the next. */
    @Promise("86.10")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPublisherWithTooLittleStackTakesNoRoom(boolean isTracked) throws Exception {
        var here = prices(node(new TestNode(ActorSystem.open("a"),
                ClusterOptions.on("a", network.node()).slices(16).sendBuffer(1).askLimit(TestNode.LIMIT))));
        var there = prices(node("b"));
        there.subscribe(price -> {
        });
        meet(1, here, there);
        var price = new Price("p", 1);
        for (int i = 0; i < 10_000; i++) { // compiled, the codec takes less stack than what follows it
            here.publish(price);
        }
        here.publishTracked(price); // its lambdas are linked: on a stack at its end that could fail, and then for ever
        var overflowed = new AtomicInteger();
        for (int round = 0; round < 5; round++) {
            var deep = new Thread(null, () -> descend(() -> {
                if (isTracked) {
                    here.publishTracked(price);
                } else {
                    here.publish(price);
                }
            }, overflowed), "deep", 512 * 1024);
            deep.start();
            Waits.on(deep);
            soon().until(() -> here.publish(price) == 1);
        }
        assertThat(overflowed).hasPositiveValue();
    }

    /** Uses up the stack, and then tries to send with a little more of it each time, until that does not overflow. */
    private static void descend(Runnable send, AtomicInteger overflowed) {
        try {
            descend(send, overflowed);
        } catch (StackOverflowError deep) {
            overflowed.incrementAndGet();
            send.run();
        }
    }

    @Promise("86.8")
    @Test
    void eachSubscriberOfEachNodeGetsTheMessagesOfEachPublisherInTheirOrder() throws Exception {
        var topics = List.of(prices(node("a")), prices(node("b")), prices(node("c")));
        var received = new ArrayList<ConcurrentLinkedQueue<Price>>();
        for (var topic : topics) {
            for (int i = 0; i < 2; i++) {
                var queue = new ConcurrentLinkedQueue<Price>();
                received.add(queue);
                topic.subscribe(queue::add);
            }
        }
        meet(6, topics.get(0), topics.get(1), topics.get(2));
        var messages = 500;
        var threads = new ArrayList<Thread>();
        for (int publisher = 0; publisher < topics.size(); publisher++) {
            var topic = topics.get(publisher);
            var name = "p" + publisher;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < messages; i++) {
                    assertThat(topic.publish(new Price(name, i))).isEqualTo(6);
                }
            }));
        }
        for (var queue : received) {
            soon().until(() -> queue.size() == messages * topics.size());
            for (int publisher = 0; publisher < topics.size(); publisher++) {
                var name = "p" + publisher;
                assertThat(queue.stream().filter(price -> price.publisher.equals(name)).map(Price::cents))
                        .isSorted().doesNotHaveDuplicates().hasSize(messages);
            }
        }
        for (var thread : threads) {
            Waits.on(thread);
        }
    }

    @Promise("86.8")
    @Test
    void theFatesAtAllSubscribersAreKnown() throws Exception {
        var a = node("a");
        var b = node("b");
        var here = prices(a);
        var there = prices(b);
        var mine = here.subscribe(SubscriberOptions.named("mine"), price -> {
        }).name();
        var good = "b/" + there.subscribe(SubscriberOptions.named("good"), price -> {
        }).name();
        var bad = "b/" + there.subscribe(SubscriberOptions.named("bad"), price -> {
            throw new IllegalStateException("too dear");
        }).name();
        meet(3, here, there);
        for (var publication : List.of(Waits.on(here.publishTracked(new Price("a", 1))),
                here.publishAndWait(new Price("a", 2)))) {
            assertThat(publication.fates()).containsOnlyKeys(mine, good, bad);
            assertThat(publication.handled()).isEqualTo(2);
            assertThat(publication.fates().get(bad)).isInstanceOfSatisfying(MessageFate.Failed.class,
                    failed -> assertThat(failed.cause()).isInstanceOf(RemoteException.class)
                            .hasMessageContaining("too dear"));
        }
        there.close();
        soon().until(() -> here.publishAndWait(new Price("a", 3)).fates().size() == 1);
    }

    @Promise("86.8")
    @Test
    void ofANodeThatIsLostItIsKnownThatNothingIsKnown() throws Exception {
        var a = node("a");
        var b = node("b");
        node("c");
        var here = prices(a);
        var there = prices(b);
        var begun = new CountDownLatch(1);
        there.subscribe(price -> {
            begun.countDown();
            opened.await();
        });
        meet(1, here, there);
        var publication = here.publishTracked(new Price("a", 1));
        Waits.on(begun);
        network.kill(b.engine);
        b.isDead = true;
        var known = Waits.on(publication);
        assertThat(known.fates()).containsOnlyKeys("b");
        assertThat(known.fates().get("b")).isInstanceOfSatisfying(MessageFate.Failed.class,
                failed -> assertThat(failed.cause()).isInstanceOf(UncertainException.class)
                        .hasMessageContaining("'b' was lost"));
        assertThat(a.cluster.uncertain()).isEqualTo(1);
        soon().until(() -> here.subscribers() == 0);
    }

    @Promise("86.8")
    @Test
    void ofANodeThatDoesNotTellInTimeItIsKnownThatTheTimeIsOver() throws Exception {
        var options = ClusterOptions.on("a", network.node()).slices(16).askLimit(Duration.ofMillis(100));
        var here = prices(node(new TestNode(ActorSystem.open("a"), options)));
        var there = prices(node("b"));
        there.subscribe(price -> opened.await());
        meet(1, here, there);
        var publication = Waits.on(here.publishTracked(new Price("a", 1)));
        assertThat(publication.fates().get("b")).isInstanceOfSatisfying(MessageFate.Failed.class,
                failed -> assertThat(failed.cause()).isInstanceOf(AskTimeoutException.class));
    }

    @Promise("86.10")
    @Test
    void aNodeThatReadsNothingHoldsUpNoPublisher() {
        var options = ClusterOptions.on("a", network.node()).slices(16).sendBuffer(10_000)
                .roomLimit(TestNode.LIMIT);
        var a = node(new TestNode(ActorSystem.open("a"), options));
        var here = prices(a);
        var deaf = new DeafEngine(network.node());
        var there = prices(node(new TestNode("b", deaf)));
        var received = new ConcurrentLinkedQueue<Price>();
        here.subscribe(received::add);
        there.subscribe(price -> {
        });
        meet(2, here, there);
        deaf.isDeaf = true;
        var text = "x".repeat(1_000);
        for (int i = 0; i < 50; i++) {
            here.publish(new Price("a", i, text));
        }
        soon().until(() -> received.size() == 50);
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).size() > 30);
        assertThat(a.events(ClusterEvent.NotHandled.class))
                .allMatch(event -> event.cause() == Cause.SLOW_NODE);
        deaf.isDeaf = false;
    }

    @Promise("86.10")
    @Test
    void aPublisherThatWaitsForRoomIsRefusedWhenItsNodeLeaves() throws Exception {
        var options = ClusterOptions.on("a", network.node()).slices(16).sendBuffer(3_000)
                .roomLimit(TestNode.LIMIT);
        var a = node(new TestNode(ActorSystem.open("a"), options));
        var here = a.cluster.topic(PRICES,
                TopicOptions.defaults().withMailbox(MailboxPolicy.bounded(100, OverflowPolicy.block())));
        var deaf = new DeafEngine(network.node());
        var there = prices(node(new TestNode("b", deaf)));
        there.subscribe(price -> {
        });
        meet(1, here, there);
        deaf.isDeaf = true;
        var text = "x".repeat(2_000);
        here.publish(new Price("a", 1, text));
        var waits = new CompletableFuture<CompletableFuture<Publication>>();
        var publishing = Thread.ofPlatform()
                .start(() -> waits.complete(here.publishTracked(new Price("a", 2, text))));
        soon().until(() -> publishing.getState() == Thread.State.WAITING);
        var leaves = CompletableFuture.supplyAsync(() -> a.cluster.leave(TestNode.LIMIT));
        var published = Waits.on(Waits.on(waits));
        assertThat(leaves).isNotDone();
        assertThat(published.fates().get("b")).isInstanceOfSatisfying(MessageFate.Failed.class,
                failed -> assertThat(failed.cause()).hasMessageContaining("or leaves or has left"));
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).stream()
                .anyMatch(event -> event.cause() == Cause.NOT_SERVED));
        deaf.isDeaf = false;
        assertThat(Waits.on(leaves)).isTrue();
    }

    @Promise("86.11")
    @EveryStrategy
    void aloneItIsATopicOfThisNode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var topic = cluster.topic(PRICES, WITH_ROOM);
            var received = new ConcurrentLinkedQueue<Price>();
            topic.subscribe(received::add);
            assertThat(topic.publishAndWait(new Price("a", 1)).isHandledByAll()).isTrue();
            assertThat(received).hasSize(1);
            assertThat(cluster.leave(TestNode.LIMIT)).isTrue();
            assertThat(topic.publish(new Price("a", 2))).isZero();
        }
    }

    @Promise("86.11")
    @Test
    void aTopicThatIsClosedOnANodeIsOpenOnOthersAndMayBeOpenedAgain() throws Exception {
        var a = node("a");
        var here = prices(a);
        var there = prices(node("b"));
        var received = new ConcurrentLinkedQueue<Price>();
        there.subscribe(received::add);
        meet(1, here, there);
        here.close();
        assertThat(Waits.on(here.onStopped()).stopped()).isTrue();
        there.publish(new Price("b", 1));
        soon().until(() -> received.size() == 1);
        var again = prices(a);
        meet(1, again);
        again.publish(new Price("a", 2));
        soon().until(() -> received.size() == 2);
        var handler = new CompletableFuture<Boolean>();
        again.subscribe(price -> handler.complete(again.stop(Duration.ofSeconds(20)) != null));
        again.publish(new Price("a", 3));
        assertThat(Waits.on(handler)).isTrue();
    }

    @Promise("86.11")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHasComeIsDeliveredBeforeATopicEnds(boolean byLeaving) throws Exception {
        var a = node("a");
        var b = node("b");
        var here = prices(a);
        var there = b.cluster.topic(PRICES,
                TopicOptions.defaults().withMailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())));
        var received = new AtomicInteger();
        there.subscribe(price -> {
            opened.await();
            received.incrementAndGet();
        });
        var group = ClusterGroup.of("later", Integer.class, Integer.class, Integer.class, key -> key);
        b.share(group, key -> (self, number) -> number);
        meet(1, here, there);
        for (int i = 0; i < 100; i++) {
            here.publish(new Price("a", i));
        }
        Waits.on(a.cluster.reach(group).sendMessageReturn(1)); // it comes after them, and they wait for room
        var ending = CompletableFuture.supplyAsync(() -> byLeaving ? b.cluster.leave(TestNode.LIMIT)
                : there.stop(TestNode.LIMIT).stopped());
        soon().until(() -> ((JoinedCluster) a.cluster).loads.hosts(PRICES.name()).size() == 1);
        opened.countDown();
        assertThat(Waits.on(ending)).isTrue();
        assertThat(received).hasValue(100);
    }

    @Promise("86.11")
    @Test
    void whatIsPublishedToATopicThatIsClosedGoesNowhere() throws Exception {
        var a = node("a");
        var b = node("b");
        var here = prices(a);
        var there = prices(b);
        var received = new ConcurrentLinkedQueue<Price>();
        there.subscribe(received::add);
        meet(1, here, there);
        here.close();
        assertThat(here.publish(new Price("a", 1))).isZero();
        assertThat(Waits.on(here.publishTracked(new Price("a", 2))).fates()).isEmpty();
        assertThat(here.publishAndWait(new Price("a", 3)).fates()).isEmpty();
        assertThat(Waits.on(there.publishTracked(new Price("b", 4))).fates()).hasSize(1);
        assertThat(received).containsExactly(new Price("b", 4));
    }

    @Promise("86.11")
    @Test
    void whatIsNoTopicIsRefused() {
        var a = node("a");
        try (var scope = ActorSystem.open("alone"); var alone = Cluster.open(scope, ClusterOptions.alone())) {
            for (var cluster : List.of(alone, a.cluster)) {
                assertThatThrownBy(() -> cluster.topic(
                        ClusterGroup.single("one", Price.class, Void.class), WITH_ROOM))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'one' is that of a singleton");
                assertThatThrownBy(() -> cluster.reach(PRICES)).isInstanceOf(ClusterException.class)
                        .hasMessageContaining("open it with Cluster.topic");
                assertThatThrownBy(
                        () -> cluster.topic(ClusterGroup.topic("threads", Thread.class), WITH_ROOM))
                        .isInstanceOf(ClusterException.class).hasMessageContaining("'threads' cannot cross");
                cluster.topic(PRICES, WITH_ROOM);
                assertThatThrownBy(() -> cluster.topic(PRICES, WITH_ROOM))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("shares a group 'prices' already");
                cluster.leave(TestNode.LIMIT);
                assertThatThrownBy(() -> cluster.topic(PRICES, WITH_ROOM))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("has left");
            }
        }
    }
}
