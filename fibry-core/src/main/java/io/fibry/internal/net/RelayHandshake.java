package io.fibry.internal.net;

import io.fibry.net.RelaySecret;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * The handshake of relay and agent at the beginning of each connection. Each side sends a random number and proves
 * that it knows the secret by a code over both numbers. A proof is valid for one connection, one purpose and one
 * side. All messages have a fixed length.
 *
 * <pre>
 * relay  greeting (6), its random number (32)
 * agent  purpose (1), its random number (32), token (32), proof (32)
 * relay  milliseconds between heartbeats (4), proof (32)
 * </pre>
 */
final class RelayHandshake {
    static final byte CONTROL = 1;
    static final byte DATA = 2;

    private static final byte[] GREETING = "FIBRY1".getBytes(StandardCharsets.US_ASCII);
    private static final int NUMBER = 32;
    private static final int PROOF = 32;
    private static final byte BY_AGENT = 'A';
    private static final byte BY_RELAY = 'R';

    private final RelaySecret secret;
    private final SecureRandom random;

    RelayHandshake(RelaySecret secret, SecureRandom random) {
        this.secret = secret;
        this.random = random;
    }

    /** The purpose for which an agent opens a connection. */
    record Wish(byte purpose, RelayToken token) {
    }

    /** The relay's side. */
    Wish receive(Socket agent, Duration heartbeat) throws IOException {
        var number = number();
        send(agent, ByteBuffer.allocate(GREETING.length + NUMBER).put(GREETING).put(number).array());
        var wish = read(agent, 1 + NUMBER + RelayToken.BYTES);
        var proof = read(agent, PROOF);
        if (!MessageDigest.isEqual(proof, proof(BY_AGENT, number, wish, 0))) {
            throw new ProtocolException(
                    "the agent at " + agent.getRemoteSocketAddress() + " does not know the secret");
        }
        if (wish[0] != CONTROL && wish[0] != DATA) {
            throw new ProtocolException("the agent at " + agent.getRemoteSocketAddress()
                    + " wants a connection of an unknown kind: " + wish[0]);
        }
        var millis = (int) heartbeat.toMillis();
        send(agent, ByteBuffer.allocate(Integer.BYTES + PROOF).putInt(millis)
                .put(proof(BY_RELAY, number, wish, millis)).array());
        return new Wish(wish[0], RelayToken.from(ByteBuffer.wrap(wish, 1 + NUMBER, RelayToken.BYTES)));
    }

    /** The agent's side; returns the time between two heartbeats of the relay. */
    Duration ask(Socket relay, byte purpose, RelayToken token) throws IOException {
        var greeting = read(relay, GREETING.length);
        if (!MessageDigest.isEqual(greeting, GREETING)) {
            throw new ProtocolException("there is no relay at " + relay.getRemoteSocketAddress()
                    + ", or one that speaks another version of its protocol");
        }
        var number = read(relay, NUMBER);
        var wish = ByteBuffer.allocate(1 + NUMBER + RelayToken.BYTES).put(purpose).put(number());
        token.to(wish);
        send(relay, ByteBuffer.allocate(wish.capacity() + PROOF).put(wish.array())
                .put(proof(BY_AGENT, number, wish.array(), 0)).array());
        byte[] answer;
        try {
            answer = read(relay, Integer.BYTES + PROOF);
        } catch (EOFException closed) {
            throw new EOFException("the relay at " + relay.getRemoteSocketAddress()
                    + " has closed the connection instead of proving itself; do both know the same secret?");
        }
        var said = ByteBuffer.wrap(answer);
        var millis = said.getInt();
        var proof = new byte[PROOF];
        said.get(proof);
        if (!MessageDigest.isEqual(proof, proof(BY_RELAY, number, wish.array(), millis))) {
            throw new ProtocolException(
                    "the relay at " + relay.getRemoteSocketAddress() + " does not know the secret");
        }
        return Duration.ofMillis(millis);
    }

    private byte[] number() {
        var number = new byte[NUMBER];
        random.nextBytes(number);
        return number;
    }

    private byte[] proof(byte by, byte[] number, byte[] wish, int millis) {
        return secret
                .proof(ByteBuffer.allocate(GREETING.length + 1 + number.length + wish.length + Integer.BYTES)
                        .put(GREETING).put(by).put(number).put(wish).putInt(millis).array());
    }

    private static void send(Socket to, byte[] message) throws IOException {
        to.getOutputStream().write(message);
    }

    private static byte[] read(Socket from, int length) throws IOException {
        var bytes = from.getInputStream().readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(
                    from.getRemoteSocketAddress() + " has closed the connection in the handshake");
        }
        return bytes;
    }
}
