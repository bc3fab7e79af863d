package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.ClusterException;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.trial.Leftovers;
import io.fibry.testing.Promise;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines in one process. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class InfinispanEngineTest {
    private final List<EngineMember> members = new ArrayList<>();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<EngineMember> start(int size) throws Exception {
        members.addAll(EngineMember.start(size, settings -> settings));
        return members;
    }

    @AfterEach
    void close() {
        members.forEach(each -> each.engine.close());
    }

    @Test
    void aChangeIsEverywhereWhenItIsAcknowledged() throws Exception {
        var two = start(2);
        var first = two.get(0).engine;
        var second = two.get(1).engine;
        assertThat(first.get("t", "k")).isNull();
        assertThat(first.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(second.get("t", "k")).isEqualTo(bytes("1"));
        assertThat(second.compareAndSet("t", "k", null, bytes("2"))).isEqualTo(Outcome.REFUSED);
        assertThat(second.compareAndSet("t", "k", bytes("0"), bytes("2"))).isEqualTo(Outcome.REFUSED);
        assertThat(second.compareAndSet("t", "k", bytes("1"), bytes("2"))).isEqualTo(Outcome.DONE);
        assertThat(first.get("t", "k")).isEqualTo(bytes("2"));
        assertThat(first.compareAndSet("u", "k", null, bytes("3"))).isEqualTo(Outcome.DONE);
        assertThat(second.all("t")).hasSize(1).containsEntry("k", bytes("2"));
        assertThat(second.compareAndSet("t", "k", bytes("2"), null)).isEqualTo(Outcome.DONE);
        assertThat(first.all("t")).isEmpty();
        for (var each : two) {
            String told;
            do {
                told = each.entries.poll(10, TimeUnit.SECONDS);
                assertThat(told).isNotNull();
            } while (!told.equals("t/k=null"));
        }
    }

    @Test
    void messagesArriveInOrder() throws Exception {
        var two = start(2);
        for (var i = 0; i < 1000; i++) {
            assertThat(two.get(0).engine.send(two.get(1).info.incarnation(), ByteBuffer.wrap(bytes("m" + i))))
                    .isTrue();
        }
        for (var i = 0; i < 1000; i++) {
            assertThat(two.get(1).messages.poll(10, TimeUnit.SECONDS)).isEqualTo("m" + i);
        }
        assertThat(two.get(0).engine.send(UUID.randomUUID(), ByteBuffer.allocate(1))).isFalse();
    }

    @Test
    void whoLeavesIsNotLost() throws Exception {
        var two = start(2);
        assertThat(two.get(0).engine.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(20))).isTrue();
        assertThat(two.get(1).awaitView(1)).containsExactly(two.get(0).info.incarnation());
        // A change waits while Infinispan denies the entries.
        assertThat(two.get(1).engine.compareAndSet("t", "k", bytes("1"), bytes("2"))).isEqualTo(Outcome.DONE);
        assertThatThrownBy(() -> two.get(0).engine.get("t", "k")).isInstanceOf(NotServedException.class);
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(1))).isFalse();
    }

    private static String row(EngineMember member) {
        return Upkeep.rowName(member.engine.joined().join().manager().getAddress());
    }

    /** The row of a node that was lost is removed, and the node may leave before it has written another one. */
    @Test
    void whoLeavesWithoutARowIsNotLost() throws Exception {
        var two = start(2);
        var leaving = two.get(0);
        leaving.engine.joined().join().upkeep().rest();
        var row = row(leaving);
        assertThat(two.get(1).engine.change(row, two.get(1).engine.read(row).orElseThrow(), null))
                .isEqualTo(Outcome.DONE);
        assertThat(leaving.engine.await(Duration.ofSeconds(20), () -> leaving.engine.read(row).isEmpty()))
                .isTrue();
        assertThat(leaving.engine.leave(Duration.ofSeconds(20))).isTrue();
        assertThat(two.get(1).awaitView(1)).containsExactly(leaving.info.incarnation());
    }

    @Test
    void aGoodbyeIsRepeatedWhileItsRowChanges() throws Exception {
        var two = start(2);
        var leaving = two.get(0);
        var other = two.get(1);
        var row = row(leaving);
        var names = new AtomicInteger();
        var begun = new CountDownLatch(20);
        var changers = new ArrayList<CompletableFuture<Void>>();
        for (var i = 0; i < 8; i++) {
            changers.add(CompletableFuture.runAsync(() -> {
                try {
                    while (names.get() < 100_000) {
                        var there = other.engine.read(row)
                                .filter(value -> !NodeRow.of(value).isLeaving());
                        if (there.isEmpty()) {
                            return;
                        }
                        var now = there.orElseThrow();
                        var next = ByteBuffer.wrap(now.clone()).putInt(now.length - 4,
                                names.incrementAndGet());
                        other.engine.change(row, now, next.array());
                        begun.countDown();
                    }
                } catch (NotServedException gone) {
                    // The node has left, and the view changes.
                }
            }, task -> Thread.ofVirtual().start(task)));
        }
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(leaving.engine.leave(Duration.ofSeconds(20))).isTrue();
        CompletableFuture.allOf(changers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        assertThat(names).as("names before the goodbye").hasValueLessThan(100_000);
        assertThat(other.awaitView(1)).containsExactly(leaving.info.incarnation());
    }

    /** Infinispan takes those that are left for a minority at times, until it is told better. */
    @Test
    void thoseThatAreLeftServeWhileTheirEntriesAreDenied() throws Exception {
        var two = start(2);
        var left = two.get(1);
        assertThat(two.get(0).engine.leave(Duration.ofSeconds(20))).isTrue();
        left.awaitView(1);
        assertThat(left.engine.compareAndSet("t", "k", null, bytes("1"))).isEqualTo(Outcome.DONE);
        left.views.clear();
        left.engine.entries().setAvailable(false);
        assertThat(left.engine.compareAndSet("t", "k", bytes("1"), bytes("2"))).isEqualTo(Outcome.DONE);
        assertThat(left.engine.entries().isAvailable()).isTrue();
        assertThat(left.views).isEmpty();
    }

    /** So a machine that does not answer holds up no messages to others. */
    @Test
    void eachDestinationHasAThreadOfItsOwn() throws Exception {
        var bundler = start(2).getFirst().engine.channel().getProtocolStack().getTransport().getBundler();
        assertThat(bundler).isInstanceOf(PerDestinationBundler.class);
        assertThat(((PerDestinationBundler) bundler).useSingleSenderThread()).isFalse();
    }

    @Promise("83.14")
    @Test
    void anEngineThatIsClosedWhileItStartsLeavesNothing() throws Exception {
        // What stays for the life of the process is there after this.
        start(1).getFirst().engine.close();
        for (var when : List.of(0, 20, 100, 300)) {
            var left = new Leftovers();
            var port = Ports.free(1).getFirst();
            var member = new EngineMember("n",
                    InfinispanSettings.of("test", "127.0.0.1", port, List.of("127.0.0.1:" + port)));
            var start = CompletableFuture.supplyAsync(() -> {
                try {
                    return member.engine.start(member.info, member).toString();
                } catch (Exception closed) {
                    return "closed";
                }
            }, task -> Thread.ofPlatform().start(task));
            TimeUnit.MILLISECONDS.sleep(when);
            member.engine.close();
            start.get(60, TimeUnit.SECONDS);
            left.assertNone();
        }
    }

    /** The port where others notice that a process has died, and those after it. */
    @Promise("83.8")
    @Test
    void aNodeWhoseSecondPortIsTakenNamesItAndGivesTheFirstOneBack() throws Exception {
        var port = Ports.free(1).getFirst();
        var settings = InfinispanSettings.of("test", "127.0.0.1", port, List.of("127.0.0.1:" + port));
        var taken = new ArrayList<ServerSocket>();
        try {
            for (var i = 0; i < 4; i++) {
                var second = (port + 50_000) % 65_536;
                second += second < 1024 ? 1024 : 0;
                taken.add(new ServerSocket(second + i, 1, InetAddress.getByName("127.0.0.1")));
            }
            var failing = new EngineMember("failing", settings);
            assertThatThrownBy(() -> failing.engine.start(failing.info, failing))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining(
                            taken.getFirst().getLocalPort() + " to " + taken.getLast().getLocalPort()
                                    + " of 127.0.0.1");
        } finally {
            for (var each : taken) {
                each.close();
            }
        }
        var again = new EngineMember("again", settings);
        members.add(again);
        assertThat(again.engine.start(again.info, again).majority()).isTrue();
    }

    /** Others still have connections to the one that was there before. */
    @Promise("83.14")
    @Test
    void aNodeThatComesBackAtOnceJoins() throws Exception {
        var settings = new ArrayList<InfinispanSettings>();
        members.addAll(EngineMember.start(3, each -> {
            settings.add(each);
            return each;
        }));
        for (var i = 0; i < 12; i++) {
            assertThat(members.get(2).engine.leave(Duration.ofSeconds(20))).isTrue();
            var again = new EngineMember("again", settings.getLast());
            members.set(2, again);
            assertThat(again.engine.start(again.info, again).members()).hasSize(3);
        }
    }

    @Tag("timing")
    @Promise("83.14")
    @Test
    void aLeaveTakesNoLongerThanItsDeadline() throws Exception {
        var three = start(3);
        var silent = new DISCARD();
        three.get(2).engine.channel().getProtocolStack().insertProtocol(silent, ProtocolStack.Position.ABOVE,
                TP.class);
        silent.discardAll(true);
        var begin = System.nanoTime();
        three.getFirst().engine.leave(Duration.ofMillis(500));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("found lost after 5 s")
                .isLessThan(Duration.ofSeconds(4));
    }

    /** The others are not heard, and are not found lost for some seconds. */
    @Promise("83.20")
    @Test
    void aProcessThatWasAwayServesAgainWhenOthersHaveAnswered() throws Exception {
        var three = start(3);
        var one = three.getFirst();
        var quorum = one.engine.wires().join().quorum();
        // They may answer before a view without the majority is told.
        one.engine.wasAway(Duration.ofSeconds(9));
        assertThat(one.engine.await(Duration.ofSeconds(20),
                () -> !quorum.isInDoubt() && one.engine.view().majority())).isTrue();
        var silent = new DISCARD();
        one.engine.channel().getProtocolStack().insertProtocol(silent, ProtocolStack.Position.ABOVE,
                TP.class);
        silent.discardAll(true);
        one.views.clear();
        one.engine.wasAway(Duration.ofSeconds(9));
        assertThat(one.views.poll(4, TimeUnit.SECONDS).getKey().majority()).isFalse();
        silent.discardAll(false);
        one.awaitView(3);
    }

    @Test
    void wrongUseIsRefused() {
        var settings = InfinispanSettings.of("test", "127.0.0.1", 7800, List.of("127.0.0.1:7800"));
        var engine = new InfinispanEngine(settings);
        assertThatThrownBy(() -> engine.get("t", "k")).isInstanceOf(NotServedException.class)
                .hasMessageContaining("not started");
        assertThat(engine.view().majority()).isFalse();
        assertThat(engine.synced()).isFalse();
        engine.close();
        engine.close();
        assertThatThrownBy(
                () -> engine.start(new NodeInfo(UUID.randomUUID(), new byte[0]),
                        new EngineMember("x", settings)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> engine.compareAndSet("t", "k", null, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InfinispanSettings.of("test", "127.0.0.1", 1, List.of("here")))
                .hasMessageContaining("\"here\"");
        assertThatThrownBy(() -> InfinispanSettings.of("test", "127.0.0.1", 1, List.of()))
                .hasMessageContaining("hosts");
        assertThat(ClusterEngine.class).isAssignableFrom(InfinispanEngine.class);
    }

    @Test
    void timesThatCannotBeRightAreRefusedWithTheirName() {
        var node = InfinispanSettings.of("test", "127.0.0.1", 7800, List.of("127.0.0.1:7800")).node();
        var second = Duration.ofSeconds(1);
        var forEver = Duration.ofSeconds(Long.MAX_VALUE);
        assertThatThrownBy(() -> new InfinispanSettings(node, Duration.ofNanos(1), second, second))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("detection is PT0.000000001S: give PT0.1S or more, and PT24H or less");
        assertThatThrownBy(() -> new InfinispanSettings(node, second, forEver, second))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("limit is " + forEver);
        assertThatThrownBy(() -> new InfinispanSettings(node, second, second, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("joinLimit is PT0S");
    }
}
