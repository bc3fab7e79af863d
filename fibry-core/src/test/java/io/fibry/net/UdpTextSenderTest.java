package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Texts in datagrams, to one receiver and to groups. */
class UdpTextSenderTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final UdpOptions LOCAL = UdpOptions.address(new InetSocketAddress(HERE, 0));

    private final Recorder recorder = new Recorder();
    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private String hear() throws InterruptedException {
        var text = heard.poll(20, TimeUnit.SECONDS);
        assertThat(text).as("a text within 20 seconds").isNotNull();
        return text;
    }

    @Promise("49.1")
    @EveryStrategy
    void textsArriveAndOneThatCannotBeSentIsAFailure(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var server = Stereotypes.def().udpTextReceiver(LOCAL, text -> heard.add(text.text()), null)) {
            var sender = Stereotypes.with(scope.named("sender"))
                    .udpTextSender(UdpTarget.of(new InetSocketAddress(HERE, server.port())));
            for (var text : List.of("hello", "\u00e4\u20ac\uD83D\uDE00", "")) {
                sender.sendMessage(text);
                assertThat(hear()).isEqualTo(text);
            }
            sender.sendMessage("x".repeat(70_000));
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).isEqualTo("sender");
            assertThat(failed.cause()).isInstanceOf(IOException.class);
            sender.sendMessage("next");
            assertThat(hear()).isEqualTo("next");
        }
    }

    @Promise("49.1")
    @EveryStrategy
    void theSocketIsClosedWithTheActor(Strategy strategy) throws Exception {
        var sockets = OpenSockets.count();
        try (var scope = Scopes.on(strategy, recorder)) {
            var sender = Stereotypes.with(scope.anonymous())
                    .udpTextSender(UdpTarget.of(new InetSocketAddress(HERE, 9)));
            sender.close();
            Waits.stopped(sender);
        }
        OpenSockets.areBack(sockets);
    }

    @Promise("49.2")
    @EveryStrategy
    void aTextReachesAllMembersOfAGroup(Strategy strategy) throws Exception {
        var group = InetAddress.getByName("239.255.77.79");
        var through = NetworkInterface.getByInetAddress(HERE);
        assumeTrue(hasMulticast(group, through), "no multicast on the loopback interface of this machine");
        var options = UdpOptions.port(0).group(group).networkInterface(through);
        try (var scope = Scopes.on(strategy, recorder);
                var one = Stereotypes.with(scope.named("one")).udpTextReceiver(options,
                        text -> heard.add("one: " + text.text()), null);
                var two = Stereotypes.with(scope.named("two")).udpTextReceiver(
                        UdpOptions.port(one.port()).group(group).networkInterface(through),
                        text -> heard.add("two: " + text.text()), null)) {
            var sender = Stereotypes.with(scope.named("sender")).udpTextSender(
                    UdpTarget.of(new InetSocketAddress(group, two.port())).networkInterface(through).hops(0));
            sender.sendMessage("to all");
            assertThat(List.of(hear(), hear())).containsExactlyInAnyOrder("one: to all", "two: to all");
        }
    }

    private static boolean hasMulticast(InetAddress group, NetworkInterface through) {
        try (var socket = new DatagramSocket(0)) {
            socket.joinGroup(new InetSocketAddress(group, 0), through);
            return true;
        } catch (IOException notThere) {
            return false;
        }
    }

    @Test
    void wrongTargetsAreRefused() {
        var nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThatThrownBy(() -> UdpTarget.of(nowhere)).hasMessageContaining("is unknown: nowhere.invalid");
        assertThatThrownBy(() -> UdpTarget.of(new InetSocketAddress(HERE, 0)))
                .hasMessageContaining("has no port");
        var target = UdpTarget.of(new InetSocketAddress(HERE, 1));
        assertThatThrownBy(() -> target.hops(256)).hasMessage("hops must be from 0 to 255: 256");
        assertThat(target.hops(2).toString().getBytes(StandardCharsets.UTF_8)).isNotEmpty();
    }
}
