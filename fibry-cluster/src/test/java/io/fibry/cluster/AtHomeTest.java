package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
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
        var told = new Item(1, 1);
        var asked = new Item(1, 2);
        assertThat(items.sendMessage(told)).isTrue();
        assertThat(Waits.on(items.sendMessageReturn(asked))).isSameAs(asked);
        assertThat(Waits.on(node.cluster.reach(GROUP).sendMessageReturn(asked, TestNode.LIMIT)))
                .isSameAs(asked);
        assertThat(handled).hasSize(3).element(0).isSameAs(told);
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
        return node.cluster.share(GROUP, Stereotypes.with(node.scope.named("items")
                .mailbox(MailboxPolicy.bounded(1, overflow)))
                .keyedWithReturn(KeyedOptions.idle(TestNode.LIMIT), Item::key, key -> (self, item) -> {
                    begun.release();
                    mayEnd.await();
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

    @Promise("80.1")
    @Test
    void aSenderThatWaitsForRoomIsHandledBeforeItsSliceMoves() throws Exception {
        var node = node("a");
        var begun = new Semaphore(0);
        var mayEnd = new CountDownLatch(1);
        var items = full(node, OverflowPolicy.block(), begun, mayEnd);
        settled(node);
        var keys = 40; // some of them move
        var senders = new ArrayList<Thread>();
        var taken = new Semaphore(0);
        for (int each = 0; each < keys; each++) {
            var key = each;
            senders.add(Thread.ofVirtual().start(() -> {
                for (int number = 1; number <= 3; number++) {
                    if (items.sendMessage(new Item(key, number))) {
                        taken.release();
                    }
                }
            }));
        }
        begun.acquire(keys);
        taken.acquire(2 * keys); // the third of each key waits for room
        var other = node("b");
        var moved = new ConcurrentLinkedQueue<Item>();
        other.share(GROUP, key -> (self, item) -> {
            moved.add(item);
            return item;
        });
        soon().until(() -> node.cluster.members().size() == 2);
        assertThat(moved).isEmpty();
        mayEnd.countDown();
        for (var sender : senders) {
            sender.join();
        }
        taken.acquire(keys);
        soon().until(() -> items.counters().handled() + moved.size() == 3 * keys);
        soon().until(() -> other.cluster.homes().getFirst().slices().stream()
                .anyMatch(home -> home.equals(Optional.of(other.cluster.self()))));
        assertThat(items.counters().handled()).isEqualTo(3 * keys);
    }

    @Promise("80.4")
    @Test
    void aSenderThatWaitsForRoomIsRefusedWhenItsNodeIsCutOff() throws Exception {
        node("a");
        node("b");
        var node = node("c");
        var begun = new Semaphore(0);
        var mayEnd = new CountDownLatch(1);
        var items = full(node, OverflowPolicy.block(), begun, mayEnd);
        settled(node);
        var result = new CompletableFuture<Boolean>();
        assertThat(items.sendMessage(new Item(1, 1))).isTrue();
        begun.acquire();
        assertThat(items.sendMessage(new Item(1, 2))).isTrue();
        var sender =
                Thread.ofPlatform().start(() -> result.complete(items.sendMessage(new Item(1, 3))));
        Waits.parked(sender);
        network.cut(node.engine);
        soon().until(() -> !node.events(ClusterEvent.CutOff.class).isEmpty());
        assertThat(Waits.failure(items.sendMessageReturn(new Item(1, 4))))
                .isInstanceOf(NotHandledException.class);
        mayEnd.countDown();
        assertThat(Waits.on(result)).isFalse();
        Waits.on(sender);
        network.heal();
        soon().until(() -> node.cluster.serves());
        assertThat(Waits.on(items.sendMessageReturn(new Item(1, 5)))).isEqualTo(new Item(1, 5));
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
        assertThatThrownBy(() -> items.sendMessageReturn(new Item(1, 1), Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Promise("82.4")
    @EveryStrategy
    void aCircleAtHomeIsFoundAtOnce(Strategy strategy) throws Exception {
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

    private static int recurse(KeyedActors<Integer, Item, Item> items, int depth) {
        items.sendMessage(new Item(depth % 50, depth));
        return recurse(items, depth + 1) + 1;
    }
}
