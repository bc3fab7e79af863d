package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class TcpHelloTest {
    @Test
    void aConnectionIsKeptForTheNextRequest() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            for (int i = 0; i < 100; i++) {
                client.send(Raw.REQUEST);
                assertThat(client.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);
            }
        }
    }

    @Test
    void requestsSentInOnePieceAreAllAnswered() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            client.send(Raw.REQUEST.repeat(50));
            assertThat(client.receive(Raw.KEEP.length() * 50)).isEqualTo(Raw.KEEP.repeat(50));
        }
    }

    @Test
    void aRequestMayComeByteByByte() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            for (var c : Raw.REQUEST.toCharArray()) {
                client.send(String.valueOf(c));
            }
            assertThat(client.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);
        }
    }

    @Test
    void aClientThatClosesItsSideStillGetsItsAnswers() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            client.send(Raw.REQUEST.repeat(2));
            client.socket.shutdownOutput();
            assertThat(client.receiveAll()).isEqualTo(Raw.KEEP.repeat(2));
        }
    }

    @Test
    void withoutKeepAliveTheServerCloses() throws IOException {
        try (var hello = TcpHello.start(0);
                var old = new Raw(hello.port());
                var fresh = new Raw(hello.port())) {
            old.send("GET / HTTP/1.0\r\nHost: x\r\n\r\n");
            assertThat(old.receiveAll()).isEqualTo(Raw.CLOSE);
            fresh.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n");
            assertThat(fresh.receiveAll()).isEqualTo(Raw.KEEP + Raw.CLOSE);
        }
    }

    @Test
    void emptyLinesBeforeARequestMeanNothing() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            client.send("\r\n\n" + Raw.REQUEST);
            client.socket.shutdownOutput();
            assertThat(client.receiveAll()).isEqualTo(Raw.KEEP);
        }
    }

    @Test
    void halfARequestGetsNoAnswer() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n");
            client.socket.shutdownOutput();
            assertThat(client.receiveAll()).isEmpty();
        }
    }

    @Test
    void aRequestWithoutEndIsCutOff() throws IOException {
        try (var hello = TcpHello.start(0); var client = new Raw(hello.port())) {
            client.send("x".repeat(8_192));
            assertThat(client.receiveAll()).startsWith("HTTP/1.1 431 ");
        }
    }

    @Test
    void aClientThatResetsDisturbsNobody() throws IOException {
        try (var hello = TcpHello.start(0); var other = new Raw(hello.port())) {
            for (int i = 0; i < 20; i++) {
                try (var client = new Raw(hello.port())) {
                    client.send(Raw.REQUEST.substring(0, 10 + i));
                    client.socket.setSoLinger(true, 0); // close sends a reset
                }
            }
            other.send(Raw.REQUEST);
            assertThat(other.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);
        }
    }

    @Test
    void closingEndsIdleAndWaitingClients() throws IOException {
        var clients = new ArrayList<Raw>();
        var hello = TcpHello.start(0);
        for (int i = 0; i < 100; i++) {
            var client = new Raw(hello.port());
            clients.add(client);
            client.send(i % 2 == 0 ? Raw.REQUEST : "GET");
        }
        assertThat(clients.get(98).receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);

        hello.close();

        assertThatThrownBy(() -> new Raw(hello.port())).isInstanceOf(IOException.class);
        for (var client : clients) {
            assertThat(isOver(client)).isTrue();
            client.close();
        }
    }

    /** An end of the stream or a reset, after what was sent before; not a time-out. */
    private static boolean isOver(Raw client) {
        try {
            return client.receiveAll().length() <= Raw.KEEP.length();
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }
}
