package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.UdpOptions;
import io.fibry.testing.BugClass;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Receiving fails in one way or another, and goes on. */
class UdpFaultTest {
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    static List<Throwable> faults() {
        return List.of(new IOException("simulated"), new IllegalStateException("simulated"),
                new OutOfMemoryError("simulated"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    @BugClass(34)
    void aReceiverOutlivesWhateverReceivingThrows(Throwable fault) throws Exception {
        var left = new AtomicInteger(3);
        var heard = new CompletableFuture<Integer>();
        var socket = new DatagramSocket(FREE) {
            @Override
            public void receive(DatagramPacket packet) throws IOException {
                if (left.getAndDecrement() > 0) {
                    Faulty.sneak(fault);
                }
                super.receive(packet);
            }
        };
        try (var scope = ActorSystem.open("test");
                var server = Udp.start(ServerBuilder.of(scope.anonymous()), UdpOptions.address(FREE), socket,
                        (own, packet) -> heard.complete(packet.getLength()), null);
                var client = new DatagramSocket(FREE)) {
            client.send(new DatagramPacket(new byte[7], 7, server.address()));
            assertThat(Waits.on(heard)).isEqualTo(7);
        }
    }
}
