package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.net.UdpTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** An actor that sends each of its messages as a datagram, and owns the socket. */
public final class UdpSender {
    private UdpSender() {
    }

    /**
     * Makes the actor.
     *
     * @param builder determines the scope, the strategy and the mailbox of the actor
     * @param target where it sends to
     * @return the actor
     */
    public static Actor<String, Void> start(ActorBuilder builder, UdpTarget target) {
        var socket = open(Objects.requireNonNull(target, "target"));
        try {
            Actor<String, Void> actor = builder.newActor((String text) -> {
                var bytes = text.getBytes(StandardCharsets.UTF_8);
                socket.send(new DatagramPacket(bytes, bytes.length, target.address()));
            });
            return actor.closeOnExit(socket);
        } catch (Throwable notMade) {
            socket.close();
            throw notMade;
        }
    }

    private static DatagramSocket open(UdpTarget target) {
        try {
            var socket = new DatagramSocket();
            try {
                if (target.address().getAddress().isMulticastAddress()) {
                    socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, target.hops());
                    if (target.networkInterface().isPresent()) {
                        socket.setOption(StandardSocketOptions.IP_MULTICAST_IF,
                                target.networkInterface().get());
                    }
                }
                return socket;
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send datagrams to " + target.address() + ": "
                    + e.getMessage(), e);
        }
    }
}
