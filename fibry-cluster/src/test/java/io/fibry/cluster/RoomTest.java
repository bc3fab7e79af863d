package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.Recipient;
import io.fibry.cluster.History.Note;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that reads nothing for a while, beside one that does. */
class RoomTest {
    private static final int KEYS = 30;
    private static final int BUFFER = 4000;
    private static final Duration SOON = Duration.ofMillis(10);
    private static final ClusterGroup<String, Note, String> JOBS =
            ClusterGroup.workers("jobs", Note.class, String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final DeafEngine deaf = new DeafEngine(network.node());
    private final List<TestNode> nodes = new ArrayList<>();
    private final History history = new History();
    private final AtomicInteger numbers = new AtomicInteger();

    private TestNode node(ClusterOptions options) {
        var node = new TestNode(ActorSystem.open(options.name()), options.slices(8).askLimit(TestNode.LIMIT));
        nodes.add(node);
        return node;
    }

    private TestNode host(ClusterOptions options) {
        var node = node(options);
        var name = options.name();
        node.share(History.GROUP, key -> history.writer(name, key));
        return node;
    }

    /** Returns a node that sends to the two others, and waits for room for so long. */
    private TestNode sender(Duration roomLimit) {
        var sender = node(ClusterOptions.on("a", network.node()).sendBuffer(BUFFER).roomLimit(roomLimit));
        host(ClusterOptions.on("slow", deaf));
        host(ClusterOptions.on("quick", network.node()));
        return sender;
    }

    @AfterEach
    void close() {
        deaf.isDeaf = false;
        nodes.reversed().forEach(TestNode::close);
    }

    private Note note(int key) {
        return new Note("a", key, numbers.incrementAndGet());
    }

    /** Returns the homes of all keys, once both nodes have their share, so that no key moves any more. */
    private Map<Integer, String> homes(Recipient<Note, String> notes) {
        soon().until(() -> nodes.getFirst().cluster.homes().stream()
                .anyMatch(each -> nodes.stream().skip(1)
                        .allMatch(node -> each.countOf(node.cluster.self()) == 4)));
        var homes = new HashMap<Integer, String>();
        soon().until(() -> {
            for (int key = 0; key < KEYS; key++) {
                homes.put(key, Waits.on(notes.sendMessageReturn(note(key))));
            }
            return Set.copyOf(homes.values()).equals(Set.of("slow", "quick"));
        });
        return homes;
    }

    private static int keyOf(Map<Integer, String> homes, String node) {
        return homes.entrySet().stream().filter(home -> home.getValue().equals(node)).findFirst()
                .orElseThrow()
                .getKey();
    }

    @Promise("82.3")
    @Test
    void aSenderWaitsForRoomNoLongerThanItsOwnTimeLimit() throws Exception {
        var a = sender(Duration.ofHours(1));
        var notes = a.cluster.reach(History.GROUP);
        var slow = keyOf(homes(notes), "slow");
        deaf.isDeaf = true;
        // Each of these has a time limit of its own, so the last one, which finds no room, waits for a second.
        soon().until(() -> !notes.sendMessage(note(slow), Duration.ofSeconds(1)));
        assertThat(notes.sendMessage(note(slow), SOON)).isFalse();
        assertThat(Waits.failure(notes.ask(note(slow), SOON)))
                .isInstanceOf(NotHandledException.class);
    }

    /** Two messages for which there is no home, and room for one of them. */
    @Promise({"80.1", "82.3"})
    @Test
    void theTimeThatAMessageWaitsForRoomIsAPartOfItsTime() throws Exception {
        var time = new ManualTime();
        var a = new TestNode(ActorSystem.configure("a").time(time).open(),
                ClusterOptions.on("a", network.node()).sendBuffer(1).roomLimit(Duration.ofHours(1)));
        try {
            var nobody = a.cluster.reach(History.GROUP);
            assertThat(nobody.sendMessage(note(1), Duration.ofSeconds(9))).isTrue();
            var begin = time.nanoTime();
            var second = Thread.ofVirtual().start(() -> nobody.sendMessage(note(1), Duration.ofSeconds(10)));
            soon().until(() -> second.getState() == Thread.State.WAITING);
            time.advance(Duration.ofSeconds(9));
            passUntil(time, () -> !second.isAlive());
            time.advance(Duration.ofSeconds(1));
            passUntil(time, () -> a.events(ClusterEvent.Expired.class).size() == 2);
            assertThat(Duration.ofNanos(time.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18));
        } finally {
            a.scope.close();
        }
    }

    private static void passUntil(ManualTime time, BooleanSupplier isThere) {
        soon().until(() -> {
            time.advance(Duration.ofMillis(1));
            return isThere.getAsBoolean();
        });
    }

    @Promise("82.3")
    @Test
    void aSlowNodeCostsItsSendersItsOwnBufferAndNothingElse() throws Exception {
        var a = sender(Duration.ZERO);
        var notes = a.cluster.reach(History.GROUP);
        var homes = homes(notes);
        var slow = keyOf(homes, "slow");
        var quick = keyOf(homes, "quick");
        deaf.isDeaf = true;
        var accepted = 0;
        while (notes.sendMessage(note(slow))) {
            accepted++;
        }
        assertThat(accepted).isBetween(10, BUFFER / 100);
        var answer = notes.sendMessageReturn(note(slow));
        assertThat(Waits.failure(answer)).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("bytes are underway to the home of its key");
        for (int n = 0; n < 1000; n++) {
            assertThat(Waits.on(notes.sendMessageReturn(note(quick)))).isEqualTo("quick");
            // The fate is awaited: a tell gives its room back a moment after the answer to an ask behind it.
            assertThat(Waits.on(notes.sendTracked(note(quick)))).isInstanceOf(MessageFate.Handled.class);
        }
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).size() == 2);
        assertThat(a.events(ClusterEvent.NotHandled.class))
                .allMatch(told -> told.cause() == Cause.SLOW_NODE && ((Note) told.message()).key() == slow);
        deaf.isDeaf = false;
        soon().until(() -> notes.sendMessage(note(slow)));
        // The tell may have taken the first room that there was.
        soon().until(() -> Waits.on(notes.sendTracked(note(slow))) instanceof MessageFate.Handled);
        assertThat(Waits.on(notes.sendMessageReturn(note(slow)))).isEqualTo("slow");
        history.check();
    }

    /** Asks until one is refused for want of room. */
    private void assertRoomEnds(Recipient<Note, String> notes, int key, String where) throws Exception {
        var failure = Waits.failure(notes.ask(note(key), SOON));
        for (int n = 0; n < BUFFER / 10 && failure instanceof AskTimeoutException; n++) {
            failure = Waits.failure(notes.ask(note(key), SOON));
        }
        assertThat(failure).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("bytes are underway to " + where);
    }

    /** Their bytes are kept for the slow node, which may hear of them later. */
    @Promise("82.3")
    @Test
    void asksWhoseTimeIsOverTakeRoomUntilTheirNodeHasThem() throws Exception {
        var a = sender(Duration.ZERO);
        var notes = a.cluster.reach(History.GROUP);
        var slow = keyOf(homes(notes), "slow");
        deaf.isDeaf = true;
        assertRoomEnds(notes, slow, "the home of its key");
        deaf.isDeaf = false;
        soon().until(() -> notes.sendMessage(note(slow)));
        soon().until(() -> Waits.on(notes.sendTracked(note(slow))) instanceof MessageFate.Handled);
    }

    @Promise("82.3")
    @Test
    void asksWhoseTimeIsOverTakeNoRoomWhenTheirNodeIsLost() throws Exception {
        var a = sender(Duration.ZERO);
        var notes = a.cluster.reach(History.GROUP);
        var slow = keyOf(homes(notes), "slow");
        deaf.isDeaf = true;
        assertRoomEnds(notes, slow, "the home of its key");
        network.kill(deaf.engine);
        nodes.get(1).isDead = true;
        soon().until(() -> notes.sendMessage(note(slow)));
        assertThat(Waits.on(notes.sendMessageReturn(note(slow)))).isEqualTo("quick");
    }

    @Promise("86.2")
    @Test
    void asksOfWorkersWhoseTimeIsOverTakeRoomUntilTheirNodeHasThem() throws Exception {
        var a = node(ClusterOptions.on("a", network.node()).sendBuffer(BUFFER).roomLimit(Duration.ZERO));
        var slow = node(ClusterOptions.on("slow", deaf));
        try (var pool = WorkerPool.<Note, String>openWithReturn(slow.scope, "jobs", PoolOptions.fixed(1, 10),
                note -> "slow")) {
            slow.cluster.workers(JOBS, pool);
            var jobs = a.cluster.reach(JOBS);
            assertThat(Waits.on(jobs.sendMessageReturn(note(1)))).isEqualTo("slow");
            deaf.isDeaf = true;
            assertRoomEnds(jobs, 1, "workers");
            deaf.isDeaf = false;
            soon().until(() -> jobs.sendMessage(note(1)));
            soon().until(() -> Waits.on(jobs.sendTracked(note(1))) instanceof MessageFate.Handled);
        }
    }

    /** They wait for a node with workers, and are forgotten. */
    @Promise("86.1")
    @Test
    void asksWhoseTimeIsOverBeforeTheyHaveWorkersTakeNoRoom() throws Exception {
        var a = node(ClusterOptions.on("a", network.node()).sendBuffer(BUFFER).roomLimit(TestNode.LIMIT));
        var jobs = a.cluster.reach(JOBS);
        for (int n = 0; n < BUFFER / 100; n++) {
            assertThat(Waits.failure(jobs.ask(note(1), SOON)))
                    .isInstanceOfAny(AskTimeoutException.class, NotHandledException.class)
                    .hasMessageNotContaining("underway");
        }
    }

    @Promise("82.3")
    @Test
    void aSenderThatWaitsForRoomGoesOnWhenTheSlowNodeIsLost() throws Exception {
        var a = node(ClusterOptions.on("a", network.node()).sendBuffer(BUFFER).roomLimit(TestNode.LIMIT));
        var b = host(ClusterOptions.on("slow", deaf));
        host(ClusterOptions.on("quick", network.node()));
        var notes = a.cluster.reach(History.GROUP);
        var slow = keyOf(homes(notes), "slow");
        deaf.isDeaf = true;
        var isFull = new CompletableFuture<Void>();
        var sent = new AtomicInteger();
        var sending = Thread.ofPlatform().start(() -> {
            while (sent.get() < 2 * BUFFER / 100 && notes.sendMessage(note(slow))) {
                if (sent.incrementAndGet() == 10) {
                    isFull.complete(null);
                }
            }
        });
        Waits.on(isFull);
        soon().until(() -> sending.getState() == Thread.State.WAITING
                || sending.getState() == Thread.State.TIMED_WAITING);
        assertThat(sent.get()).isLessThan(BUFFER / 100);
        network.kill(deaf.engine);
        b.isDead = true;
        Waits.on(sending);
        assertThat(sent).hasValue(2 * BUFFER / 100);
        assertThat(Waits.on(notes.sendMessageReturn(note(slow)))).isEqualTo("quick");
        assertThat(a.events(ClusterEvent.NotHandled.class)).isEmpty();
    }

    @Promise("80.8")
    @Test
    void aSenderThatWaitsForRoomIsRefusedWhenItsNodeLeaves() throws Exception {
        var a = sender(TestNode.LIMIT);
        var notes = a.cluster.reach(History.GROUP);
        var slow = keyOf(homes(notes), "slow");
        deaf.isDeaf = true;
        var last = new CompletableFuture<Note>();
        var sending = Thread.ofPlatform().start(() -> {
            var note = note(slow);
            while (notes.sendMessage(note)) {
                note = note(slow);
            }
            last.complete(note);
        });
        soon().until(() -> sending.getState() == Thread.State.WAITING);
        var leaves = CompletableFuture.supplyAsync(() -> a.cluster.leave(TestNode.LIMIT));
        var refused = Waits.on(last);
        // What the slow node has not heard holds up the leave.
        assertThat(leaves).isNotDone();
        soon().until(() -> a.events.contains(
                new ClusterEvent.NotHandled(History.GROUP.name(), refused, Cause.NOT_SERVED)));
        deaf.isDeaf = false;
        assertThat(Waits.on(leaves)).isTrue();
    }

    /** The room of the first home is taken by asks of a handler that is stuck, and stays so. */
    @Promise("82.3")
    @Test
    void aSenderThatWaitsForRoomGoesOnWhenItsKeyMoves() throws Exception {
        var a = node(ClusterOptions.on("a", network.node()).sendBuffer(BUFFER).roomLimit(TestNode.LIMIT));
        var b = node(ClusterOptions.on("b", network.node()));
        var mayEnd = new CountDownLatch(1);
        b.share(History.GROUP, key -> {
            var writer = history.writer("b", key);
            return (self, note) -> {
                if (note.sender().equals("stuck")) {
                    mayEnd.await();
                }
                return writer.handle(self, note);
            };
        });
        var notes = a.cluster.reach(History.GROUP);
        for (int key = 0; key < KEYS; key++) {
            assertThat(Waits.on(notes.sendMessageReturn(note(key)))).isEqualTo("b");
        }
        var stuck = new ArrayList<CompletableFuture<String>>();
        for (int n = 1; n < BUFFER / 200; n++) {
            stuck.add(notes.sendMessageReturn(new Note("stuck", KEYS, n)));
        }
        var large = "x".repeat(BUFFER / 2);
        var sending = new HashMap<Integer, Thread>();
        for (int key = 0; key < KEYS; key++) {
            var mine = new Note(large, key, 1);
            sending.put(key,
                    Thread.ofPlatform().start(() -> assertThat(notes.sendMessage(mine)).isTrue()));
        }
        soon().until(() -> sending.values().stream()
                .filter(thread -> thread.getState() == Thread.State.WAITING).count() == KEYS);
        var handled = history.handled().size();
        var c = node(ClusterOptions.on("c", network.node()));
        c.share(History.GROUP, key -> history.writer("c", key));
        soon().until(() -> history.handled().size() > handled);
        assertThat(stuck).noneMatch(CompletableFuture::isDone);
        mayEnd.countDown();
        for (var thread : sending.values()) {
            Waits.on(thread);
        }
        for (var answer : stuck) {
            assertThat(Waits.on(answer)).isNotNull();
        }
    }
}
