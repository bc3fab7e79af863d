package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Stereotypes;
import io.fibry.net.Client;
import io.fibry.net.TcpOptions;
import io.fibry.testing.Waits;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class ServedInputTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);

    /** In whatever pieces it is read, every byte comes once and in order. */
    @RepeatedTest(20)
    void allBytesComeInOrder(RepetitionInfo repetition) throws Exception {
        var random = new Random(repetition.getCurrentRepetition());
        var sent = new byte[20_000];
        random.nextBytes(sent);
        var received = new CompletableFuture<byte[]>();
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL,
                conn -> received.complete(readInPieces(conn, random)), null);
                var client = new Socket(server.address().getAddress(), server.port())) {
            client.getOutputStream().write(sent);
            client.shutdownOutput();
            assertThat(Waits.on(received)).isEqualTo(sent);
        }
    }

    private static byte[] readInPieces(Socket conn, Random random) throws Exception {
        var all = new ByteArrayOutputStream();
        while (true) {
            var in = conn.getInputStream();
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    var next = in.read();
                    if (next < 0) {
                        return all.toByteArray();
                    }
                    all.write(next);
                }
                case 2 -> {
                    var piece = new byte[1 + random.nextInt(1_000)];
                    var count = in.read(piece);
                    if (count < 0) {
                        return all.toByteArray();
                    }
                    all.write(piece, 0, count);
                }
                default -> all.writeBytes(in.readNBytes(Math.min(in.available(), random.nextInt(2_000))));
            }
        }
    }

    @Test
    void itIsOneStreamHoweverOftenItIsAskedFor() throws Exception {
        var streams = new CompletableFuture<InputStream[]>();
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL, conn -> streams.complete(
                new InputStream[]{conn.getInputStream(), conn.getInputStream()}), null);
                var client = new Client(server)) {
            assertThat(client.rest()).isEmpty();
            assertThat(Waits.on(streams)[0]).isSameAs(streams.join()[1]);
        }
    }

    @Test
    void closingItClosesTheSocket() throws Exception {
        var done = new CompletableFuture<Socket>();
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL, conn -> {
            conn.getInputStream().close();
            done.complete(conn);
        }, null); var client = new Client(server)) {
            var socket = Waits.on(done);
            assertThat(socket.isClosed()).isTrue();
            assertThatThrownBy(socket::getInputStream).isInstanceOf(SocketException.class);
            assertThat(client.rest()).isEmpty();
        }
    }
}
