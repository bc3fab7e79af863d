package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.cluster.History.Note;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes of one process, on a network in memory. */
class JoinedTest {
    private static final int KEYS = 60;

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final History history = new History();
    private final AtomicInteger rounds = new AtomicInteger();

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private KeyedActors<Integer, Note, String> notes(TestNode node) {
        var name = node.cluster.self().name();
        return node.share(History.GROUP, key -> history.writer(name, key));
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    /** Asks each key once, and returns the nodes that have answered. */
    private static Map<Integer, String> ask(Recipient<Note, String> notes, String sender, int number)
            throws Exception {
        var asked = new HashMap<Integer, CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            asked.put(key, notes.sendMessageReturn(new Note(sender, key, number)));
        }
        var answers = new HashMap<Integer, String>();
        for (var each : asked.entrySet()) {
            answers.put(each.getKey(), Waits.on(each.getValue()));
        }
        return answers;
    }

    /** Sends and asks until it is ended. */
    private final class Load {
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final ConcurrentLinkedQueue<Note> accepted = new ConcurrentLinkedQueue<>();
        private final Map<Note, CompletableFuture<String>> asked = new ConcurrentHashMap<>();

        void add(String sender, Recipient<Note, String> notes) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int number = 1; !isOver.get(); number++) {
                    CompletableFuture<String> last = null;
                    for (int key = 0; key < KEYS; key++) {
                        var note = new Note(sender, key, number);
                        if ((number + key) % 3 == 0) {
                            last = notes.sendMessageReturn(note);
                            asked.put(note, last);
                        } else if (notes.sendMessage(note)) {
                            accepted.add(note);
                        }
                    }
                    try {
                        last.get(); // so that not all waits in mailboxes
                    } catch (Exception told) {
                        // assertComplete examines its future
                    }
                }
            }));
        }

        void end() throws InterruptedException {
            isOver.set(true);
            for (var thread : threads) {
                Waits.on(thread);
            }
        }

        /** All that was sent was handled, once. */
        void assertComplete() throws Exception {
            for (var each : asked.values()) {
                assertThat(Waits.on(each)).isNotNull();
            }
            soon().until(() -> new HashSet<>(history.handled()).containsAll(accepted)); // AssertJ compares each with each
            assertThat(history.handled()).hasSize(accepted.size() + asked.size());
            history.check();
        }
    }

    @Promise("80.1")
    @Test
    void eachKeyHasOneActorInTheClusterAndEachNodeReachesIt() throws Exception {
        var first = notes(node("a"));
        var second = notes(node("b"));
        var third = notes(node("c"));
        var onlySends = node("d").cluster.reach(History.GROUP);
        var homes = new HashMap<Integer, String>();
        soon().until(() -> {
            homes.putAll(ask(first, "a", rounds.incrementAndGet()));
            return new HashSet<>(homes.values()).equals(Set.of("a", "b", "c"))
                    && ask(second, "b", rounds.get()).equals(homes)
                    && ask(third, "c", rounds.get()).equals(homes)
                    && ask(onlySends, "d", rounds.get()).equals(homes);
        });
        for (int key = 0; key < KEYS; key++) {
            assertThat(onlySends.sendMessage(new Note("e", key, 2))).isTrue();
            assertThat(Waits.on(onlySends.sendTracked(new Note("e", key, 3))).isHandled()).isTrue();
        }
        assertThat(history.handled()).contains(new Note("e", KEYS - 1, 2));
        // A key whose slice moves after its last message has no actor until its next one.
        soon().untilAsserted(() -> {
            ask(first, "a", rounds.incrementAndGet());
            assertThat(first.live() + second.live() + third.live()).isEqualTo(KEYS);
        });
        history.check();
    }

    @Promise("80.2")
    @Test
    void keysMoveWhenNodesComeAndGoAndNothingIsLostRefusedOrTwice() throws Exception {
        var a = node("a");
        var load = new Load();
        load.add("a", notes(a));
        var b = node("b");
        load.add("b", notes(b));
        soon().until(() -> history.handled().size() > 1000);
        var c = node("c");
        var third = notes(c);
        load.add("c", c.cluster.reach(History.GROUP));
        soon().until(() -> third.live() > 0);
        // Keys of the first node may move before the second one has heard of the third.
        soon().untilAsserted(() -> assertThat(b.cluster.members()).extracting(ClusterNode::name)
                .containsExactlyInAnyOrder("a", "b", "c"));
        var reaching = a.cluster.reach(History.GROUP);
        load.end();
        assertThat(new HashSet<>(ask(reaching, "end", 1).values())).contains("c");
        for (var each : history.handled()) {
            if (each.sender().equals("end")) {
                load.asked.put(each, CompletableFuture.completedFuture("c"));
            }
        }
        load.assertComplete();
    }

    @Promise({"80.2", "80.8"})
    @Test
    void whoLeavesHandsOverAllThatItHasWhileOthersSend() throws Exception {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        var load = new Load();
        var first = notes(a);
        var second = notes(b);
        notes(c);
        load.add("a", first);
        load.add("b", second);
        soon().until(() -> history.handled().size() > 1000);
        assertThat(c.cluster.leave(TestNode.LIMIT)).isTrue();
        assertThat(c.cluster.serves()).isFalse();
        assertThatThrownBy(() -> notes(c)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("'c' has left");
        soon().until(() -> !a.events(ClusterEvent.Left.class).isEmpty());
        assertThat(a.events(ClusterEvent.Left.class)).extracting(left -> left.node().name())
                .containsExactly("c");
        second.close();
        var handled = history.handled().size();
        // Messages to keys that are about to move wait, while a thousand others may be handled.
        soon().until(() -> first.live() == KEYS && history.handled().size() > handled + 1000);
        load.end();
        load.assertComplete();
        for (var each : List.of(a, b, c)) {
            assertThat(each.events(ClusterEvent.NotHandled.class)).isEmpty();
            assertThat(each.events(ClusterEvent.Uncertain.class)).isEmpty();
        }
    }

    /** There is always something underway from it, until it takes nothing more. */
    @Promise({"79.3", "80.8"})
    @Test
    void whoLeavesWhileItSendsHandsOverAsWell() throws Exception {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        notes(a);
        notes(b);
        var third = notes(c);
        var accepted = new AtomicInteger();
        var sender = Thread.ofPlatform().start(() -> {
            var number = 1;
            while (third.sendMessage(new Note("c", number % KEYS, number))) {
                accepted.set(number++);
                LockSupport.parkNanos(100_000);
            }
        });
        soon().until(() -> history.handled().size() > 1000);
        assertThat(c.cluster.leave(TestNode.LIMIT)).isTrue();
        Waits.on(sender);
        soon().untilAsserted(() -> assertThat(history.handled()).hasSizeBetween(
                accepted.get() - c.events(ClusterEvent.NotHandled.class).size(), accepted.get()));
        history.check();
        soon().until(() -> !a.events(ClusterEvent.Left.class).isEmpty());
        assertThat(a.events(ClusterEvent.Lost.class)).isEmpty();
        assertThat(c.cluster.uncertain()).isZero();
    }

    @Promise("80.2")
    @Test
    void nodesComeAndGoAgainAndAgain() throws Exception {
        var random = new Random(7);
        var load = new Load();
        var a = node("a");
        load.add("a", notes(a));
        var others = new ArrayList<TestNode>();
        for (int step = 0; step < 12; step++) {
            if (others.size() < 3 && (others.isEmpty() || random.nextBoolean())) {
                var other = node("n" + step);
                notes(other);
                others.add(other);
            } else {
                assertThat(others.remove(random.nextInt(others.size())).cluster.leave(TestNode.LIMIT))
                        .isTrue();
            }
            var handled = history.handled().size();
            soon().until(() -> history.handled().size() > handled + random.nextInt(500));
        }
        load.end();
        load.assertComplete();
        assertThat(a.events(ClusterEvent.NotHandled.class)).isEmpty();
        assertThat(a.events(ClusterEvent.Uncertain.class)).isEmpty();
    }

    @Promise({"80.2", "82.6"})
    @Test
    void whatALostNodeHadIsToldAndItsKeysAreServedElsewhere() throws Exception {
        var group = ClusterGroup.of("waiters", Integer.class, Integer.class, Integer.class, key -> key);
        var held = new ConcurrentLinkedQueue<Integer>();
        var mayEnd = new CountDownLatch(1);
        var a = node("a");
        var b = node("b");
        var c = node("c");
        var first = a.share(group, key -> (self, message) -> message);
        b.share(group, key -> (self, message) -> message);
        c.share(group, key -> (self, message) -> {
            held.add(message);
            mayEnd.await();
            return message;
        });
        var asks = new HashMap<Integer, CompletableFuture<Integer>>();
        soon().until(() -> {
            // Until the third one has its share.
            for (int key = 0; key < KEYS; key++) {
                asks.computeIfAbsent(key, first::sendMessageReturn);
            }
            asks.values().removeIf(CompletableFuture::isDone);
            return held.size() > 3;
        });
        var waiting = List.copyOf(held);
        network.kill(c.engine);
        c.isDead = true;
        for (int key : waiting) {
            var failure = Waits.failure(asks.get(key));
            assertThat(failure).isInstanceOf(UncertainException.class).hasMessageContaining("'c' was lost")
                    .hasMessageContaining("ask again");
            assertThat(((UncertainException) failure).node()).isEqualTo(c.cluster.self());
            assertThat(Waits.on(first.sendMessageReturn(key))).isEqualTo(key);
        }
        soon().until(() -> asks.values().stream().allMatch(CompletableFuture::isDone));
        assertThat(a.cluster.uncertain()).isGreaterThanOrEqualTo(waiting.size()).isEqualTo(
                asks.values().stream().filter(CompletableFuture::isCompletedExceptionally).count());
        soon().until(() -> !a.events(ClusterEvent.Lost.class).isEmpty());
        assertThat(a.events(ClusterEvent.Lost.class)).extracting(ClusterEvent.Lost::node)
                .containsExactly(c.cluster.self());
        mayEnd.countDown();
    }

    @Promise({"80.2", "82.6"})
    @Test
    void aTellThatWasOnItsWayToALostNodeIsToldAsUncertain() throws Exception {
        var a = new TestNode(ActorSystem.open("a"), ClusterOptions.on("a", network.node()).slices(4));
        nodes.add(a);
        var deaf = new DeafEngine(network.node());
        var b = new TestNode(ActorSystem.open("b"), ClusterOptions.on("b", deaf).slices(4));
        nodes.add(b);
        var c = new TestNode(ActorSystem.open("c"), ClusterOptions.on("c", network.node()).slices(4));
        nodes.add(c);
        notes(b);
        var sender = a.cluster.reach(History.GROUP);
        assertThat(Waits.on(sender.sendMessageReturn(new Note("a", 1, 1)))).isEqualTo("b");
        deaf.isDeaf = true;
        assertThat(sender.sendMessage(new Note("a", 1, 2))).isTrue();
        var tracked = sender.sendTracked(new Note("a", 1, 3));
        soon().until(() -> deaf.unheard() == 2); // else they would certainly not have been taken
        network.kill(deaf.engine);
        b.isDead = true;
        soon().until(() -> !a.events(ClusterEvent.Uncertain.class).isEmpty());
        assertThat(a.events(ClusterEvent.Uncertain.class))
                .containsExactly(new ClusterEvent.Uncertain("notes", new Note("a", 1, 2), b.cluster.self()));
        assertThat(Waits.failure(tracked)).isInstanceOf(UncertainException.class);
        assertThat(a.cluster.uncertain()).isEqualTo(2);
        assertThat(c.cluster.uncertain()).isZero();
    }

    @Promise({"80.7", "80.15"})
    @Test
    void aListenerThatTakesLongHoldsUpNoOtherMessages() throws Exception {
        var group = ClusterGroup.of("full", Integer.class, Note.class, Integer.class, Note::key);
        var reported = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var a = node("a");
        var b = node("b");
        a.scope.listen(event -> {
            if (event instanceof Undelivered) {
                reported.countDown();
                try {
                    mayEnd.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        notes(b);
        var notes = a.cluster.reach(History.GROUP);
        var full = List.of(a, b).stream().map(node -> node.cluster.share(group,
                node.scope.named("full").mailbox(
                        MailboxPolicy.bounded(1, OverflowPolicy.reject())).keyed(group.keyOf())
                        .idle(TestNode.LIMIT)
                        .newActorsWithReturnFrom(key -> (self, note) -> {
                            mayEnd.await();
                            return note.number();
                        })))
                .toList().getFirst();
        var atB = Optional.of(b.cluster.self());
        // Until then a slice may move, if b was quicker to claim it.
        soon().until(() -> a.cluster.homes().stream().anyMatch(homes -> homes.group().equals("full")
                && homes.countOf(a.cluster.self()) == 8 && homes.countOf(b.cluster.self()) == 8));
        var key = IntStream.range(0, KEYS).filter(each -> a.cluster.homeOf(group, each).equals(atB))
                .findFirst().orElseThrow();
        try {
            for (int number = 1; number <= 3; number++) { // one is at work, and one waits
                assertThat(full.sendMessage(new Note("a", key, number))).isTrue();
            }
            Waits.on(reported);
            assertThat(Waits.on(notes.sendMessageReturn(new Note("a", 1, 1)))).isEqualTo("b");
        } finally {
            mayEnd.countDown();
        }
        soon().until(() -> full.counters().refused() > 0);
    }

    @Promise("80.4")
    @Test
    void aNodeThatIsCutOffServesNothingAndComesBack() throws Exception {
        var a = node("a");
        var b = node("b");
        var events = new Recorder();
        var c = new TestNode(Scopes.on(Strategy.FIBERS, events),
                ClusterOptions.on("c", network.node()).slices(16));
        nodes.add(c);
        var first = notes(a);
        notes(b);
        var third = notes(c);
        soon().until(() -> third.live() + ask(first, "warm", rounds.incrementAndGet()).size() > KEYS);
        network.cut(c.engine);
        soon().until(() -> !c.cluster.serves());
        var note = new Note("c", 1, 1);
        assertThat(third.sendMessage(note)).isFalse();
        assertThat(Waits.failure(third.sendMessageReturn(note))).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("node 'c'").hasMessageContaining("is cut off from the cluster");
        assertThat(Waits.on(third.sendTracked(note))).isInstanceOfSatisfying(MessageFate.Refused.class,
                refused -> assertThat(refused.cause()).isEqualTo(Cause.NOT_SERVED));
        soon().until(() -> third.live() == 0 && !c.events(ClusterEvent.CutOff.class).isEmpty());
        assertThat(events.of(Undelivered.class)).extracting(Undelivered::cause)
                .containsExactly(Cause.NOT_SERVED, Cause.NOT_SERVED, Cause.NOT_SERVED);
        assertThat(third.counters().refused()).isEqualTo(3);
        assertThat(new HashSet<>(ask(first, "a", 1).values())).isEqualTo(Set.of("a", "b"));
        network.heal();
        soon().until(
                () -> c.cluster.serves() && ask(third, "c", rounds.incrementAndGet()).containsValue("c"));
        assertThat(history.handled()).doesNotContain(note);
    }

    @Promise({"78.6", "80.4"})
    @Test
    void aNodeThatIsCutOffBeginsWithNothingMore() throws Exception {
        var group = ClusterGroup.of("slow", Integer.class, Note.class, Integer.class, Note::key);
        var handled = new ConcurrentLinkedQueue<Integer>();
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        node("a");
        node("b");
        var c = node("c");
        var slow = c.cluster.share(group, c.scope.named("slow")
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())).keyed(group.keyOf())
                .idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, note) -> {
                    if (note.key() == 1) {
                        handled.add(note.number());
                        begun.countDown();
                        mayEnd.await();
                    }
                    return note.number();
                }));
        for (int number = 1; number <= 5; number++) {
            assertThat(slow.sendMessage(new Note("c", 1, number))).isTrue();
        }
        begun.await();
        // Now the others are on their way to the mailbox as well, which has room for one.
        assertThat(Waits.on(slow.sendMessageReturn(new Note("c", 2, 1)))).isEqualTo(1);
        soon().until(() -> slow.find(1).orElseThrow().mailboxSize() == 1);
        network.cut(c.engine);
        soon().until(() -> !c.events(ClusterEvent.CutOff.class).isEmpty());
        mayEnd.countDown();
        network.heal();
        soon().until(() -> c.cluster.serves());
        assertThat(Waits.on(slow.sendMessageReturn(new Note("c", 1, 6)))).isEqualTo(6);
        assertThat(handled).containsExactly(1, 6);
        soon().until(() -> c.events(ClusterEvent.NotHandled.class).size() == 4); // those that waited for room are lost one by one
        assertThat(c.events(ClusterEvent.NotHandled.class)).extracting(ClusterEvent.NotHandled::cause)
                .containsExactlyInAnyOrder(Cause.STOPPED_BEFORE_TURN, Cause.STOPPED, Cause.STOPPED,
                        Cause.STOPPED);
        soon().untilAsserted(() -> assertThat(slow.counters()).isEqualTo(new Counters(3, 0, 0, 0, 3, 1)));
    }

    @Promise("80.5")
    @Test
    void theTimeThatRemainsTravels() throws Exception {
        var group = ClusterGroup.of("times", Integer.class, Integer.class, Long.class, key -> key);
        var outer = ClusterGroup.of("outer", Integer.class, Integer.class, Long.class, key -> key);
        var never = new CountDownLatch(1);
        var a = node("a");
        var b = node("b");
        b.share(group, key -> (self, message) -> {
            if (message < 0) {
                never.await();
            }
            return self.timeLeft().orElseThrow().toNanos();
        });
        var times = a.cluster.reach(group);
        var inner = b.cluster.reach(group);
        b.share(outer, key -> (self, message) -> inner.sendMessageReturn(message).get());
        var limit = Duration.ofSeconds(20);
        assertThat(Waits.on(times.ask(1, limit))).isPositive().isLessThan(limit.toNanos());
        assertThat(Waits.on(times.sendMessageReturn(1))).isPositive().isLessThan(TestNode.LIMIT.toNanos());
        assertThat(Waits.on(a.cluster.reach(outer).ask(1, limit))).isPositive()
                .isLessThan(limit.toNanos());
        assertThat(Waits.failure(times.ask(-1, Duration.ofSeconds(10))))
                .isInstanceOf(AskTimeoutException.class)
                .message()
                .matches("the group 'times' gave no answer to a message of java.lang.Integer within .* s:"
                        + " node 'b' has taken it, and has not answered");
        assertThatThrownBy(() -> times.sendMessageReturn(-2).get(50, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class)
                .hasMessageStartingWith("the group 'times' gave no answer within 50 ms of waiting: ");
        var nobody = a.cluster
                .reach(ClusterGroup.of("nobody", Integer.class, Integer.class, Long.class, key -> key));
        assertThat(Waits.failure(nobody.ask(1, Duration.ofMillis(500))))
                .isInstanceOf(AskTimeoutException.class)
                .message()
                .matches("the group 'nobody' gave no answer to a message of java.lang.Integer within .* ms:"
                        + " it waits on this node, which knows no node that can take it now");
        assertThat(Waits.on(nobody.sendTracked(1, Duration.ofMillis(50))))
                .isInstanceOf(MessageFate.Expired.class);
        assertThat(nobody.sendMessage(2, Duration.ofMillis(50))).isTrue();
        soon().until(() -> !a.events(ClusterEvent.Expired.class).isEmpty());
        assertThat(a.events(ClusterEvent.Expired.class))
                .containsExactly(new ClusterEvent.Expired("nobody", 2, Duration.ofMillis(50)));
        never.countDown();
    }

    private sealed interface Text {
        String text();

        record Length(String text) implements Text, Request<Integer> {
        }

        record Upper(String text) implements Text, Request<String> {
        }
    }

    @Promise({"80.1", "80.6"})
    @Test
    void requestsFailuresAndValuesOfEachTypeCross() throws Exception {
        var texts = ClusterGroup.ofRequests("texts", String.class, Text.class, Text::text, Integer.class)
                .with(String.class);
        var a = node("a");
        var b = node("b");
        b.cluster.share(texts, b.scope.named("texts").keyed(texts.keyOf()).idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, request) -> switch (request) {
                    case Text.Length length -> length.reply(length.text().length());
                    case Text.Upper upper -> upper.reply(upper.text().toUpperCase());
                }));
        var reached = a.cluster.reach(texts);
        assertThat(reached.requestWait(new Text.Length("four"), TestNode.LIMIT)).isEqualTo(4);
        assertThat(reached.requestWait(new Text.Upper("loud"))).isEqualTo("LOUD");

        b.cluster.share(Accounts.GROUP, Accounts.of(b.scope));
        var accounts = a.cluster.reach(Accounts.GROUP);
        assertThat(Waits.on(accounts.sendMessageReturn(new Accounts.Deposit(1, 5)))).isEqualTo(5);
        var failure = Waits.failure(accounts.sendMessageReturn(new Accounts.Fail(1, "no cents")));
        assertThat(failure).isInstanceOf(RemoteException.class)
                .hasMessage("java.lang.IllegalStateException: no cents");
        assertThat(((RemoteException) failure).className()).isEqualTo("java.lang.IllegalStateException");
        assertThat(((RemoteException) failure).trace()).contains("Accounts$Account.handle");
        assertThat(Waits.on(accounts.sendTracked(new Accounts.Fail(1, "none"))))
                .isInstanceOfSatisfying(MessageFate.Failed.class,
                        failed -> assertThat(failed.cause()).hasMessageContaining("none"));
        assertThat(Waits.failure(accounts.sendMessageReturn(new Accounts.Fail(1, "long".repeat(50_000)))))
                .isInstanceOf(RemoteException.class).hasMessageContaining("longlong");
        assertThat(Waits.on(accounts.sendMessageReturn(new Accounts.Look(1)))).isEqualTo(5);

        var silent = ClusterGroup.of("silent", String.class, String.class, Void.class, text -> text);
        b.cluster.share(silent,
                b.scope.named("silent").keyed(silent.keyOf()).newActorsFrom(key -> (self, m) -> {
                }));
        assertThat(Waits.on(a.cluster.reach(silent).sendMessageReturn("x"))).isNull();
    }

    @Promise("80.6")
    @Test
    void aHandlerThatFailsAsIfItsAskWasOverIsToldAsWell() throws Exception {
        var group = ClusterGroup.of("failing", Integer.class, Integer.class, Integer.class, key -> key);
        var a = node("a");
        var b = node("b");
        b.share(group, key -> (self, message) -> {
            throw message == 1 ? new AskTimeoutException("an inner ask") : new CancellationException("inner");
        });
        var failing = a.cluster.reach(group);
        assertThat(Waits.failure(failing.ask(1, Duration.ofHours(1))))
                .isInstanceOf(RemoteException.class)
                .hasMessageContaining("AskTimeoutException: an inner ask");
        assertThat(Waits.failure(failing.ask(2, Duration.ofHours(1))))
                .isInstanceOf(RemoteException.class).hasMessageContaining("CancellationException: inner");
    }

    private record Known(int key, String text) {
    }

    private record Other(int key, int number) {
    }

    @Promise("80.7")
    @Test
    void whatIsNotTakenIsToldWithTheReason() throws Exception {
        var a = new TestNode(ActorSystem.open("a"),
                ClusterOptions.on("a", network.node()).slices(4).sendBuffer(4000).roomLimit(Duration.ZERO));
        nodes.add(a);
        var b = new TestNode(ActorSystem.open("b"), ClusterOptions.on("b", network.node()).slices(4));
        nodes.add(b);
        var known = ClusterGroup.of("known", Integer.class, Known.class, String.class, Known::key);
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        b.cluster.share(known, b.scope.named("known")
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())).keyed(known.keyOf())
                .idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, message) -> {
                    begun.countDown();
                    mayEnd.await();
                    return message.text();
                }));
        var other = a.cluster
                .reach(ClusterGroup.of("known", Integer.class, Other.class, String.class, Other::key));
        assertThat(Waits.failure(other.sendMessageReturn(new Other(1, 2))))
                .isInstanceOf(NotHandledException.class)
                .hasMessageContaining("node 'b'").hasMessageContaining("the same types");
        assertThat(other.sendMessage(new Other(1, 2))).isTrue();
        soon().until(() -> !a.events(ClusterEvent.NotHandled.class).isEmpty());
        assertThat(a.events(ClusterEvent.NotHandled.class)).containsExactly(
                new ClusterEvent.NotHandled("known", new Other(1, 2), Cause.NOT_UNDERSTOOD));

        var sender = a.cluster.reach(known);
        assertThatThrownBy(() -> sender.sendMessage(new Known(1, "x".repeat(2 << 20))))
                .isInstanceOf(ClusterException.class).hasMessageContaining("'known' cannot cross");
        sender.sendMessage(new Known(1, "first"));
        begun.await();
        sender.sendMessage(new Known(1, "second"));
        assertThat(sender.sendMessage(new Known(1, "third"))).isTrue();
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).size() == 2);
        assertThat(a.events(ClusterEvent.NotHandled.class).get(1)).isEqualTo(
                new ClusterEvent.NotHandled("known", new Known(1, "third"), Cause.FULL));

        var big = new Known(2, "x".repeat(3000));
        var asked = sender.sendMessageReturn(big);
        assertThat(Waits.failure(sender.sendMessageReturn(big))).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("bytes are underway").hasMessageContaining("sendBuffer");
        assertThat(sender.sendMessage(big)).isFalse();
        assertThat(asked).isNotDone();
        mayEnd.countDown();
        assertThat(Waits.on(asked)).isEqualTo(big.text());
        soon().until(() -> sender.sendMessage(big));
    }

    /** What is left to a later input does not wait for time to pass. */
    @Test
    void askersAreAnsweredWhileTheClockStands() throws Exception {
        var time = new ManualTime();
        var a = nodeOn(time, "a");
        var b = nodeOn(time, "b");
        try {
            notes(a);
            var there = b.cluster.reach(History.GROUP);
            var first = CompletableFuture.supplyAsync(() -> answers(there, "b", 1));
            passUntil(time, first::isDone);
            for (int number = 2; number <= 100; number++) {
                assertThat(answers(there, "b", number)).containsOnly("a");
            }
        } finally {
            for (var node : List.of(b, a)) {
                var leaves = Thread.ofVirtual().start(() -> node.cluster.leave(TestNode.LIMIT));
                passUntil(time, () -> !leaves.isAlive());
            }
        }
    }

    private TestNode nodeOn(ManualTime time, String name) {
        var node = new TestNode(ActorSystem.configure(name).time(time).open(),
                ClusterOptions.on(name, network.node()).slices(16));
        nodes.add(node);
        return node;
    }

    private static Collection<String> answers(Recipient<Note, String> notes, String sender, int number) {
        try {
            return ask(notes, sender, number).values();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** As a node of a later release might send it. */
    @Promise("80.6")
    @Test
    void anAnswerThatIsNotUnderstoodIsToldWithTheNodeThatHasSentIt() throws Exception {
        var group = ClusterGroup.of("words", Integer.class, Integer.class, String.class, key -> key);
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var a = node("a");
        var b = node("b");
        b.share(group, key -> (self, message) -> {
            begun.countDown();
            mayEnd.await();
            return "too late";
        });
        var answer = a.cluster.reach(group).sendMessageReturn(1);
        Waits.on(begun);
        var first = new HomeDelivery(a.cluster.self().incarnation(), 1, 1, "words", 0, 1, 1, 0, new byte[0]);
        ((JoinedCluster) b.cluster).put(new Input.Answered(first, new byte[]{99}));
        assertThat(Waits.failure(answer)).isInstanceOf(ClusterException.class)
                .hasMessageContainingAll("the group 'words'", "node 'b'", "unknown kind 99");
        mayEnd.countDown();
    }

    private static void passUntil(ManualTime time, BooleanSupplier isThere) {
        soon().until(() -> {
            time.advance(Duration.ofMillis(20));
            return isThere.getAsBoolean();
        });
    }

    @Promise("80.7")
    @Test
    void aFloodWaitsForRoomAndLosesNothing() throws Exception {
        var a = new TestNode(ActorSystem.open("a"),
                ClusterOptions.on("a", network.node()).slices(4).sendBuffer(10_000)
                        .roomLimit(TestNode.LIMIT));
        nodes.add(a);
        var b = new TestNode(ActorSystem.open("b"), ClusterOptions.on("b", network.node()).slices(4));
        nodes.add(b);
        var local = notes(b);
        var sender = a.cluster.reach(History.GROUP);
        var threads = new ArrayList<Thread>();
        for (var name : List.of("x", "y", "z")) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int number = 1; number <= 2000; number++) {
                    assertThat(sender.sendMessage(new Note(name, number % 10, number))).isTrue();
                }
            }));
        }
        for (var thread : threads) {
            Waits.on(thread);
        }
        soon().until(() -> history.handled().size() == 6000);
        history.check();
        // Counters lag behind the last handlers until those have returned.
        soon().untilAsserted(() -> assertThat(local.counters().handled()).isEqualTo(6000));
        assertThat(a.events(ClusterEvent.NotHandled.class)).isEmpty();
    }

    @Promise("80.1")
    @EveryStrategy
    void aHandlerWaitsForAnotherNodeOnEachStrategy(Strategy strategy) throws Exception {
        var a = new TestNode(Scopes.on(strategy), ClusterOptions.on("a", network.node()).slices(8));
        nodes.add(a);
        var b = new TestNode(Scopes.on(strategy), ClusterOptions.on("b", network.node()).slices(8));
        nodes.add(b);
        var inner = ClusterGroup.of("inner", Integer.class, Integer.class, Integer.class, key -> key);
        var outer = ClusterGroup.of("outer", Integer.class, Integer.class, Integer.class, key -> key);
        a.share(inner, key -> (self, message) -> message + 1);
        b.share(inner, key -> (self, message) -> message + 1);
        for (var each : List.of(a, b)) {
            var reached = each.cluster.reach(inner);
            each.share(outer, key -> (self, message) -> 2 * reached.sendMessageReturnWait(message));
        }
        var asked = new ArrayList<CompletableFuture<Integer>>();
        var from = a.cluster.reach(outer);
        for (int key = 0; key < KEYS; key++) {
            asked.add(from.sendMessageReturn(key));
        }
        for (int key = 0; key < KEYS; key++) {
            assertThat(Waits.on(asked.get(key))).isEqualTo(2 * (key + 1));
        }
    }

    @Promise("80.4")
    @Test
    void anAskThatNobodyWaitsForIsNotBegunElsewhere() throws Exception {
        var group = ClusterGroup.of("slow", Integer.class, Note.class, Integer.class, Note::key);
        var handled = new ConcurrentLinkedQueue<Note>();
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var a = node("a");
        var b = node("b");
        b.share(group, key -> (self, note) -> {
            handled.add(note);
            if (note.number() == 1) {
                begun.countDown();
                mayEnd.await();
            }
            return note.number();
        });
        var slow = a.cluster.reach(group);
        var first = slow.sendMessageReturn(new Note("a", 1, 1));
        begun.await();
        var second = slow.sendMessageReturn(new Note("a", 1, 2));
        var third = slow.sendMessageReturn(new Note("a", 1, 3));
        // The stream keeps the order: b has the two asks, and then knows that one of them is in vain.
        assertThat(Waits.on(slow.sendMessageReturn(new Note("a", 2, 4)))).isEqualTo(4);
        assertThat(second.cancel(false)).isTrue();
        assertThat(Waits.on(slow.sendMessageReturn(new Note("a", 2, 5)))).isEqualTo(5);
        mayEnd.countDown();
        assertThat(Waits.on(first)).isEqualTo(1);
        assertThat(Waits.on(third)).isEqualTo(3);
        assertThat(handled).extracting(Note::number).containsExactly(1, 4, 5, 3);
    }

    @Promise("80.11")
    @Test
    void aWatcherIsToldInOrderWhatHappens() throws Exception {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        var told = new ConcurrentLinkedQueue<ClusterEvent>();
        var watching = a.cluster.watch(told::add);
        soon().until(() -> told.size() == 3);
        assertThat(new HashSet<>(told)).isEqualTo(Set.of(new ClusterEvent.Joined(a.cluster.self()),
                new ClusterEvent.Joined(b.cluster.self()), new ClusterEvent.Joined(c.cluster.self())));
        told.clear();
        assertThat(c.cluster.leave(TestNode.LIMIT)).isTrue();
        var d = node("d");
        network.cut(a.engine);
        network.heal();
        var all = Set.of(a.cluster.self(), b.cluster.self(), d.cluster.self());
        soon().until(() -> told.contains(new ClusterEvent.Restored(all)));
        var alone = List.of(new ClusterEvent.Lost(b.cluster.self()), new ClusterEvent.Lost(d.cluster.self()));
        var events = List.copyOf(told);
        assertThat(events.subList(0, 2)).containsExactly(new ClusterEvent.Left(c.cluster.self()),
                new ClusterEvent.Joined(d.cluster.self()));
        assertThat(events.subList(2, 4)).hasSameElementsAs(alone);
        assertThat(events.get(4)).isEqualTo(new ClusterEvent.CutOff());
        assertThat(events.subList(5, 7)).hasSameElementsAs(
                List.of(new ClusterEvent.Joined(b.cluster.self()),
                        new ClusterEvent.Joined(d.cluster.self())));
        assertThat(events.subList(7, events.size())).containsExactly(new ClusterEvent.Restored(all));
        assertThat(watching.cancel()).isTrue();
        network.kill(d.engine);
        d.isDead = true;
        soon().until(() -> a.cluster.members().size() == 2);
        assertThat(told).hasSize(events.size());
    }

    /** Adds up the moves that a node was told of, by their slices; the last one counts. */
    private static Map<Integer, ClusterEvent.Moved> moves(TestNode node) {
        var moves = new HashMap<Integer, ClusterEvent.Moved>();
        node.events(ClusterEvent.Moved.class).forEach(moved -> {
            assertThat(moved.group()).isEqualTo("notes");
            moved.slices().forEach(slice -> moves.put(slice, moved));
        });
        return moves;
    }

    @Promise("82.6")
    @Test
    void aWatcherIsToldWhichSlicesHaveMoved() throws Exception {
        var a = node("a");
        var first = notes(a);
        soon().until(() -> a.cluster.homes().stream().mapToInt(group -> group.countOf(a.cluster.self()))
                .sum() == 16);
        var b = node("b");
        notes(b);
        soon().until(() -> moves(a).size() == 8); // half of 16
        assertThat(moves(a).values()).allMatch(moved -> moved.from().equals(a.cluster.self())
                && moved.to().equals(b.cluster.self()) && !moved.took().isNegative()
                && moved.took().compareTo(TestNode.LIMIT) < 0);
        soon().until(() -> moves(b).keySet().equals(moves(a).keySet()));
        var slices = Set.copyOf(moves(a).keySet());
        ask(first, "a", 1);
        network.kill(b.engine);
        b.isDead = true;
        soon().until(() -> moves(a).values().stream().allMatch(moved -> moved.from().equals(b.cluster.self())
                && moved.to().equals(a.cluster.self())));
        assertThat(moves(a)).containsOnlyKeys(slices);
        assertThat(new HashSet<>(ask(first, "a", 2).values())).containsExactly("a");
    }

    @Promise("80.13")
    @Test
    void aNameIsThatOfOneThingOnAllNodes() {
        var a = node("a");
        var b = node("b");
        var accounts = a.cluster.share(Accounts.GROUP, Accounts.of(a.scope));
        soon().until(() -> !b.cluster.homes().isEmpty());
        var single = ClusterGroup.single("accounts", Accounts.Look.class, Integer.class);
        assertThatThrownBy(() -> b.cluster.singleton(single, b.scope.anonymous(), () -> (self, look) -> 1))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(
                        "'accounts' is that of a singleton here, and the node 'a' shares keyed actors"
                                + " of this name; give one of them another name");
        assertThatThrownBy(() -> b.cluster.reach(single)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("the node 'a' shares keyed actors of this name");
        var workers = ClusterGroup.workers("accounts", Accounts.Look.class, Integer.class);
        assertThatThrownBy(() -> a.cluster.reach(workers)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("'accounts' is that of workers");
        // Once they are gone from all nodes, a node that has not used the name may.
        accounts.stop(TestNode.LIMIT);
        soon().until(() -> {
            try {
                return b.cluster.reach(workers) != null;
            } catch (ClusterException stillShared) {
                return false;
            }
        });
        assertThatThrownBy(() -> a.cluster.reach(workers)).isInstanceOf(ClusterException.class)
                .hasMessageContaining(
                        "'accounts' is that of workers, and the node 'a' has used the name for keyed actors before");
    }

    @Promise("79.2")
    @Test
    void whatCannotBeSharedIsRefusedWithOthersAsWell() {
        var a = node("a");
        var local = Accounts.of(a.scope);
        var accounts = a.cluster.share(Accounts.GROUP, local);
        assertThatThrownBy(() -> a.cluster.share(Accounts.GROUP, local)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("'a' shares a group 'accounts' already");
        assertThatThrownBy(() -> a.cluster.share(Accounts.others("others"), local))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("are shared as the group 'accounts' already")
                .hasMessageContaining("the group 'others'");
        assertThatThrownBy(() -> accounts.stop(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deadline must not be negative: PT-1S");
        assertThatThrownBy(() -> a.cluster.share(Accounts.GROUP, Accounts.of(a.scope)))
                .as("it goes on").isInstanceOf(ClusterException.class)
                .hasMessageContaining("'a' shares a group 'accounts' already");
        var unused = local.stop(Duration.ZERO);
        assertThatThrownBy(() -> a.cluster.share(Accounts.others("others"), local))
                .isInstanceOf(ClusterException.class).hasMessageContaining("were stopped; share new ones");
        assertThatThrownBy(() -> accounts.sendUrgent(new Accounts.Look(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("'accounts'");
        assertThat(accounts.name()).isEqualTo("accounts");
        var used = a.engine;
        try (var scope = ActorSystem.open("again")) {
            assertThatThrownBy(() -> Cluster.open(scope, ClusterOptions.on("again", used)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'again' could not join");
        }
    }

    @Promise("80.13")
    @Test
    void aNodeWithAnotherNumberOfSlicesDoesNotJoin() throws Exception {
        var a = node("a");
        var b = node("b");
        try (var scope = ActorSystem.open("c")) {
            assertThatThrownBy(
                    () -> Cluster.open(scope, ClusterOptions.on("c", network.node()).slices(17)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'c' could not join")
                    .hasMessageContaining("17 slices").hasMessageContaining("'a' into 16")
                    .hasMessageContaining("ClusterOptions.slices");
        }
        soon().until(() -> List.of(a, b).stream()
                .noneMatch(node -> node.events(ClusterEvent.Left.class).isEmpty()));
        assertThat(a.cluster.members()).isEqualTo(Set.of(a.cluster.self(), b.cluster.self()));
        assertThat(b.cluster.serves()).isTrue();
        assertThat(Waits.on(notes(a).sendMessageReturn(new Note("a", 1, 1)))).isEqualTo("a");
    }

    @Promise("83.5")
    @Test
    void aNodeOfAnotherVersionOfTheProtocolDoesNotJoin() {
        var a = node("a");
        try (var scope = ActorSystem.open("c")) {
            assertThatThrownBy(() -> JoinedCluster.open(scope, ClusterOptions.alone(), network.node(),
                    new NodeDescription(7, 6, "c", 16, true), Duration.ZERO))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("it speaks versions 6 to 7")
                    .hasMessageContaining("the node 'a' versions 2 to 3").hasMessageContaining("release");
        }
        soon().until(() -> !a.events(ClusterEvent.Left.class).isEmpty());
        assertThat(a.cluster.members()).isEqualTo(Set.of(a.cluster.self()));
    }

    @Promise("83.5")
    @Test
    void aNodeWithTheNameOfAnotherOneWaitsUntilThatIsLost() throws Exception {
        var a = node("a");
        var b = node("b");
        var options = ClusterOptions.on("b", network.node()).slices(16);
        var own = new NodeDescription("b", 16, true);
        try (var scope = ActorSystem.open("second")) {
            assertThatThrownBy(() -> JoinedCluster.open(scope, options, options.engine().orElseThrow(), own,
                    Duration.ofMillis(50)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'b' could not join")
                    .hasMessageContaining("another node is called 'b'").hasMessageContaining("FIBRY_NODE");
        }
        soon().until(() -> a.cluster.members().size() == 2);

        var third = network.node();
        var joining = CompletableFuture.supplyAsync(
                () -> new TestNode(ActorSystem.open("third"), ClusterOptions.on("b", third).slices(16)));
        soon().until(() -> a.cluster.members().size() == 3);
        assertThat(joining).isNotDone();
        network.kill(b.engine);
        b.isDead = true;
        try (var again = Waits.on(joining)) {
            assertThat(again.cluster.members()).isEqualTo(Set.of(a.cluster.self(), again.cluster.self()));
            assertThat(again.cluster.serves()).isTrue();
        }
    }

    @Promise("79.3")
    @Test
    void theLastOneLeavesAsWell() throws Exception {
        var a = node("a");
        var handled = new AtomicInteger();
        var group = ClusterGroup.of("names", String.class, String.class, Void.class, name -> name);
        var names = a.cluster.share(group, a.scope.named("names").keyed(group.keyOf())
                .newActorsFrom(key -> (self, name) -> handled.incrementAndGet()));
        for (int i = 0; i < 1000; i++) {
            assertThat(names.sendMessage("n" + i % 10)).isTrue();
        }
        for (int i = 0; i < 10; i++) {
            assertThat(Waits.on(names.sendTracked("n" + i)).isHandled()).isTrue();
        }
        assertThat(a.cluster.leave(TestNode.LIMIT)).isTrue();
        assertThat(handled).hasValue(1010);
        assertThat(names.sendMessage("late")).isFalse();
        assertThat(a.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    /** A platform that asks must not send requests to a node that refuses them. */
    @Promise("79.3")
    @Test
    void aNodeWhoseScopeIsClosedDoesNotServe() {
        try (var scope = ActorSystem.open("a");
                var cluster = Cluster.open(scope, ClusterOptions.on("a", network.node()))) {
            assertThat(cluster.serves()).isTrue();
            scope.stop(TestNode.LIMIT);
            assertThat(cluster.serves()).isFalse();
        }
    }

    @Test
    void aTimeOutNamesTheMessageThatWasSent() throws Exception {
        var reached = node("a").cluster.reach(History.GROUP);
        assertThat(Waits.failure(reached.ask(new Note("a", 1, 1), Duration.ofMillis(20))))
                .isInstanceOf(AskTimeoutException.class).hasMessageContaining(Note.class.getName());
    }
}
