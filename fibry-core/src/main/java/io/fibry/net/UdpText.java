package io.fibry.net;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The text of a datagram that a server has received, with its sender. A text is immutable, and any thread may reply as
 * long as the server is open.
 */
public final class UdpText {
    private final DatagramSocket socket;
    private final InetSocketAddress sender;
    private final String text;

    /**
     * Makes a text of a datagram.
     *
     * @param socket sends the replies
     * @param packet the datagram, as it was received
     */
    public UdpText(DatagramSocket socket, DatagramPacket packet) {
        this.socket = Objects.requireNonNull(socket, "socket");
        sender = (InetSocketAddress) packet.getSocketAddress();
        text = new String(packet.getData(), packet.getOffset(), packet.getLength(), StandardCharsets.UTF_8);
    }

    /**
     * Returns the content of the datagram. It is decoded as UTF-8; bytes that are not UTF-8 are replaced by U+FFFD.
     *
     * @return the text, which may be empty
     */
    public String text() {
        return text;
    }

    /**
     * Returns where the datagram came from. Nothing proves that the sender is really there.
     *
     * @return the address and port of the sender
     */
    public InetSocketAddress sender() {
        return sender;
    }

    /**
     * Sends a datagram to the sender, in UTF-8. As with each datagram, nothing tells whether it arrives.
     *
     * @param answer the text
     * @throws IOException if the socket is closed, or cannot send the text, for example because it is too long
     */
    public void reply(String answer) throws IOException {
        var bytes = Objects.requireNonNull(answer, "answer").getBytes(StandardCharsets.UTF_8);
        socket.send(new DatagramPacket(bytes, bytes.length, sender));
    }

    @Override
    public String toString() {
        return "UdpText[" + text.length() + " characters from " + sender + "]";
    }
}
