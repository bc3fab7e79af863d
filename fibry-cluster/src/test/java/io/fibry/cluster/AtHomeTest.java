package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.ActorContext;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages to keys whose home is the node of the sender. */
class AtHomeTest {
    private static final ClusterGroup<Integer, Item, Item> GROUP =
            ClusterGroup.of("items", Integer.class, Item.class, Item.class, Item::key);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();

    private record Item(int key, int number) {
    }

    /** A class that no group knows. */
    private static final class Unknown {
    }

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private TestNode node(String name, Strategy strategy) {
        var scope = Scopes.configure().strategy(strategy.create()).open();
        var node = new TestNode(scope,
                ClusterOptions.on(name, network.node()).slices(16).askLimit(TestNode.LIMIT));
        nodes.add(node);
        return node;
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    /** Waits until all slices of a group have a home, which is this node if there is no other. */
    private static void settled(TestNode node) {
        soon().until(() -> !node.cluster.homes().isEmpty()
                && node.cluster.homes().getFirst().slices().stream().allMatch(home -> home.isPresent()));
    }

    @Promise("80.14")
    @EveryStrategy
    void messagesAndAnswersAreTheObjectsThemselves(Strategy strategy) throws Exception {
        var node = node("a", strategy);
        var handled = new ConcurrentLinkedQueue<Item>();
        var items = node.share(GROUP, key -> (self, item) -> {
            handled.add(item);
            return item;
        });
        settled(node);
        // A node reads in the table that it is the home a moment before it lets senders in.
        Waits.on(items.sendMessageReturn(new Item(1, 0)));
        handled.clear();
        var told = new Item(1, 1);
        var asked = new Item(1, 2);
        assertThat(items.sendMessage(told)).isTrue();
        var answers = List.of(Waits.on(items.sendMessageReturn(asked)),
                Waits.on(node.cluster.reach(GROUP).ask(asked, TestNode.LIMIT)));
        assertThat(answers).containsOnly(asked);
        assertThat(handled).containsExactly(told, asked, asked);
        if (isDirect(strategy)) {
            assertThat(answers).allMatch(answer -> answer == asked);
            assertThat(handled.element()).isSameAs(told);
        }
    }

    @Promise("80.6")
    @EveryStrategy
    void aFailureIsToldAsFromAnotherNode(Strategy strategy) throws Exception {
        var node = node("a", strategy);
        var items = node.share(GROUP, key -> (ActorContext<Item, Item> self, Item item) -> {
            if (item.number() == 2) {
                self.deferReply().fail(new IllegalStateException("number 2"));
                return item;
            }
            throw new IllegalStateException("number " + item.number());
        });
        settled(node);
        for (int number = 1; number <= 2; number++) {
            var answer = items.sendMessageReturn(new Item(1, number));
            assertThat(Waits.failure(answer)).isInstanceOfSatisfying(RemoteException.class, told -> {
                assertThat(told.className()).isEqualTo(IllegalStateException.class.getName());
                assertThat(told.trace()).contains("AtHomeTest");
                assertThat(told).hasNoCause();
            }).hasMessage("java.lang.IllegalStateException: number " + number);
        }
    }

    @Promise("80.6")
    @Test
    void aFailureWhoseTextCannotBeHadIsToldByItsClass() {
        var unspeakable = new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("no text");
            }
        };
        var told = AnswerBody.failure(unspeakable).exception();
        assertThat(told.className()).isEqualTo(unspeakable.getClass().getName());
        assertThat(told).hasMessageContaining("IllegalStateException");
    }

    private KeyedActors<Integer, Item, Item> full(TestNode node, OverflowPolicy overflow, Semaphore begun,
            CountDownLatch mayEnd) {
        return node.cluster.share(GROUP, node.scope.named("items")
                .mailbox(MailboxPolicy.bounded(1, overflow)).keyed(Item::key).idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, item) -> {
                    if (item.number() > 0) {
                        begun.release();
                        mayEnd.await();
                    }
                    return item;
                }));
    }

    @Promise("80.7")
    @Test
    void whatFindsNoRoomIsRefusedAsFromAnotherNode() throws Exception {
        var node = node("a");
        var begun = new Semaphore(0);
        var mayEnd = new CountDownLatch(1);
        var items = full(node, OverflowPolicy.reject(), begun, mayEnd);
        settled(node);
        Waits.on(items.sendMessageReturn(new Item(1, 0))); // now senders are let in
        assertThat(items.sendMessage(new Item(1, 1))).isTrue();
        begun.acquire();
        assertThat(items.sendMessage(new Item(1, 2))).isTrue();
        assertThat(items.sendMessage(new Item(1, 3))).isFalse();
        assertThat(Waits.failure(items.sendMessageReturn(new Item(1, 4))))
                .isInstanceOf(NotHandledException.class)
                .hasMessageContainingAll("'items'", "node 'a'", "is full");
        soon().until(() -> node.events(ClusterEvent.NotHandled.class).size() == 1);
        assertThat(node.events(ClusterEvent.NotHandled.class)).extracting(ClusterEvent.NotHandled::cause)
                .containsExactly(Cause.FULL);
        assertThat(items.counters().refused()).isEqualTo(2);
        mayEnd.countDown();
    }

    @Promise("80.14")
    @Test
    void aHandlerMayTellItsOwnKeyThoughItsMailboxIsFull() {
        var node = node("a");
        var handled = new ConcurrentLinkedQueue<Integer>();
        var itself = new AtomicReference<KeyedActors<Integer, Item, Item>>();
        var items = node.cluster.share(GROUP, node.scope.named("items")
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())).keyed(Item::key)
                .idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, item) -> {
                    handled.add(item.number());
                    for (int number = 1; number <= 3 && item.number() == 0; number++) {
                        assertThat(itself.get().sendMessage(new Item(key, number))).isTrue();
                    }
                    return item;
                }));
        itself.set(items);
        settled(node);
        assertThat(items.sendMessage(new Item(1, 0))).isTrue();
        soon().until(() -> handled.size() == 4);
        assertThat(handled).containsExactly(0, 1, 2, 3);
    }

    @Promise("80.6")
    @Test
    void whatActorsDoBesideMessagesFailsAsItDoesAlone() throws Exception {
        var node = node("a");
        var items = node.share(GROUP, key -> (self, item) -> {
            var child = self.child().newActorWithReturn((Integer number) -> {
                throw new IllegalArgumentException("number " + number);
            });
            assertThatThrownBy(() -> child.sendMessageReturn(1).get())
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            return item;
        });
        settled(node);
        assertThat(Waits.on(items.sendMessageReturn(new Item(1, 1)))).isEqualTo(new Item(1, 1));
        var code = items.find(1).orElseThrow().execFuture(() -> {
            throw new IllegalStateException("code");
        });
        assertThat(Waits.failure(code)).isInstanceOf(IllegalStateException.class);
    }

    /** The actors' own function of the key stands for threads that were held up between the gate and the mailbox. */
    @Promise("80.4")
    @Test
    void whatCameInBeforeItsNodeWasCutOffEndsWhenItIsOut() throws Exception {
        node("a");
        node("b");
        var node = node("c");
        var slices = new SliceOfKey(16, value -> new byte[0]);
        var other = 2;
        while (slices.of(other) != slices.of(1)) {
            other++;
        }
        var key = other; // of the slice of key 1
        var isSlow = new AtomicBoolean();
        var inside = new CountDownLatch(2);
        var gates = Map.of(1, new CountDownLatch(1), key, new CountDownLatch(1));
        var items = node.cluster.share(GROUP, node.scope.named("items").<Integer, Item>keyed(item -> {
            if (isSlow.get()) {
                inside.countDown();
                awaitQuietly(gates.get(item.key()));
            }
            return item.key();
        }).idle(Duration.ofHours(1)).<Item>newActorsWithReturnFrom(made -> (self, item) -> item));
        settled(node);
        assertThat(Waits.on(items.sendMessageReturn(new Item(1, 0)))).isEqualTo(new Item(1, 0));
        isSlow.set(true);
        var first = Thread.ofPlatform().start(() -> items.sendMessage(new Item(1, 1)));
        var second = Thread.ofPlatform().start(() -> items.sendMessage(new Item(key, 1)));
        Waits.on(inside);
        network.cut(node.engine);
        soon().until(() -> !node.events(ClusterEvent.CutOff.class).isEmpty());
        soon().until(() -> items.live() == 0);
        gates.get(1).countDown();
        Waits.on(first);
        soon().until(() -> items.live() == 0); // though the other one is still inside, so that the slice has not ended
        gates.get(key).countDown();
        Waits.on(second);
        soon().until(() -> items.live() == 0);
        isSlow.set(false);
        network.heal();
        soon().until(() -> node.cluster.serves());
        assertThat(Waits.on(items.sendMessageReturn(new Item(1, 2)))).isEqualTo(new Item(1, 2));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            Waits.on(latch);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @Promise("80.2")
    @Test
    void whatGoesByWayOfTheMemberIsNotOvertaken() throws Exception {
        var node = node("a");
        var handled = new ConcurrentLinkedQueue<Integer>();
        var items = node.share(GROUP, key -> (self, item) -> {
            handled.add(item.number());
            return item;
        });
        settled(node);
        var rounds = 5_000;
        for (int number = 0; number < rounds; number++) {
            if (number % 5 == 0) {
                var unused = items.sendTracked(new Item(1, number));
            } else if (number % 50 == 1) {
                Waits.on(items.sendMessageReturn(new Item(1, number)));
            } else {
                assertThat(items.sendMessage(new Item(1, number))).isTrue();
            }
        }
        soon().until(() -> handled.size() == rounds);
        assertThat(List.copyOf(handled)).isSorted();
    }

    @Promise("80.7")
    @Test
    void whatCannotCrossFailsAtHomeAsWell() {
        var group = ClusterGroup.of("anything", Integer.class, Object.class, Object.class, Object::hashCode);
        assertThatThrownBy(() -> node("a").share(group, key -> (self, message) -> message))
                .isInstanceOf(ClusterException.class);
        var node = node("b");
        var items = node.share(GROUP, key -> (self, item) -> item);
        settled(node);
        @SuppressWarnings({"unchecked", "rawtypes"})
        var raw = (KeyedActors<Integer, Object, Item>) (KeyedActors) items;
        assertThatThrownBy(() -> raw.sendMessage(new Unknown())).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> items.sendMessage(new Item(1, 1), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("more than zero");
        assertThatThrownBy(() -> items.ask(new Item(1, 1), Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Where the sender's thread may run the handler, messages go by way of the member. */
    private static boolean isDirect(Strategy strategy) {
        return EnumSet.of(Strategy.FIBERS, Strategy.THREADS, Strategy.POOL).contains(strategy);
    }

    @Promise("82.4")
    @EveryStrategy
    void aCircleAtHomeIsFoundAtOnce(Strategy strategy) throws Exception {
        assumeTrue(isDirect(strategy));
        var node = node("a", strategy);
        var itself = new AtomicReference<KeyedActors<Integer, Item, Item>>();
        var caught = new AtomicReference<Throwable>();
        var items = node.share(GROUP, key -> (self, item) -> {
            try {
                return itself.get().sendMessageReturnWait(new Item(key == 1 ? 2 : 1, item.number()));
            } catch (AskCycleException cycle) {
                caught.set(cycle);
                throw cycle;
            }
        });
        itself.set(items);
        settled(node);
        var failure = Waits.failure(items.sendMessageReturn(new Item(1, 1)));
        assertThat(failure).isInstanceOf(RemoteException.class);
        assertThat(caught.get()).isInstanceOf(AskCycleException.class);
    }

    @Promise("80.5")
    @Test
    void anAskAtHomeHasTheLimitOfTheOptions() throws Exception {
        var node = new TestNode(Scopes.configure().open(),
                ClusterOptions.on("a", network.node()).slices(16).askLimit(Duration.ofMillis(50)));
        nodes.add(node);
        var never = new CountDownLatch(1);
        var items = node.share(GROUP, key -> (self, item) -> {
            never.await();
            return item;
        });
        settled(node);
        assertThat(Waits.failure(items.sendMessageReturn(new Item(1, 1))))
                .isInstanceOf(AskTimeoutException.class);
        never.countDown();
    }

    @Promise("80.1")
    @Test
    void aSenderWithLittleStackDoesNotHoldUpTheMove() throws Exception {
        var node = node("a");
        var items = node.share(GROUP, key -> (self, item) -> item);
        settled(node);
        var overflowed = new AtomicBoolean();
        var deep = Thread.ofPlatform().start(() -> {
            try {
                recurse(items, 0);
            } catch (StackOverflowError expected) {
                overflowed.set(true);
            }
        });
        Waits.on(deep);
        assertThat(overflowed).isTrue();
        assertThat(node.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    /** On some strategies the thread that gives a message to an actor handles it: it must not be the sender's. */
    @Promise("80.1")
    @EveryStrategy
    void aSenderIsNotHeldUpByAHandlerAndNorIsTheMoveThatFollows(Strategy strategy) throws Exception {
        var a = node("a", strategy);
        var handled = new ConcurrentLinkedQueue<Integer>();
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var items = a.share(GROUP, key -> (self, item) -> {
            begun.countDown();
            awaitQuietly(mayEnd);
            handled.add(item.number());
            return item;
        });
        settled(a);
        for (int number = 0; number < 4; number++) {
            assertThat(items.sendMessage(new Item(1, number))).isTrue();
        }
        Waits.on(begun);
        assertThat(handled).isEmpty();
        var b = node("b", strategy);
        var others = b.share(GROUP, key -> (self, item) -> {
            handled.add(item.number());
            return item;
        });
        var leaves = CompletableFuture.supplyAsync(() -> a.cluster.leave(TestNode.LIMIT));
        soon().until(() -> !a.cluster.serves());
        mayEnd.countDown();
        assertThat(Waits.on(leaves)).isTrue();
        assertThat(Waits.on(others.sendMessageReturn(new Item(1, 4)))).isEqualTo(new Item(1, 4));
        assertThat(handled).containsExactly(0, 1, 2, 3, 4);
    }

    private static int recurse(KeyedActors<Integer, Item, Item> items, int depth) {
        items.sendMessage(new Item(depth % 50, depth));
        return recurse(items, depth + 1) + 1;
    }

    private sealed interface Order {
    }

    private record Once(int number) implements Order {
    }

    /** It goes by way of the member, also at home. */
    private record Again(int number) implements Order, Repeatable {
    }

    /** If one of them were counted for ever, no later message to its slice could be put into its mailbox directly. */
    @Promise("80.14")
    @Test
    void asksForWhichTheStackWasTooShortAreNotCountedAsOnTheirWay() throws Exception {
        var orders = ClusterGroup.of("orders", Integer.class, Order.class, Order.class, order -> 1);
        var node = node("a");
        var group = node.share(orders, key -> (self, order) -> order);
        settled(node);
        for (int i = 0; i < 30_000; i++) { // compiled, the codec takes less stack than what follows it
            group.sendMessage(new Again(i));
        }
        var overflowed = new AtomicInteger();
        var answers = new ConcurrentLinkedQueue<CompletableFuture<Order>>();
        var deep = new Thread(null,
                () -> descend(() -> answers.add(group.sendMessageReturn(new Again(1))), overflowed),
                "deep", 512 * 1024);
        deep.start();
        Waits.on(deep);
        assertThat(overflowed).hasPositiveValue();
        for (var answer : answers) {
            assertThat(Waits.on(answer)).isEqualTo(new Again(1));
        }
        var order = new Once(2);
        soon().until(() -> Waits.on(group.sendMessageReturn(order)) == order);
    }

    /** Uses up the stack, and then tries to send with a little more of it each time, until a message was sent. */
    private static void descend(Runnable send, AtomicInteger overflowed) {
        try {
            descend(send, overflowed);
        } catch (StackOverflowError deep) {
            overflowed.incrementAndGet();
            send.run();
        }
    }
}
