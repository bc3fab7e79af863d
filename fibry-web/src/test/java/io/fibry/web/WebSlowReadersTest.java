package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.HttpSlowReaderCases;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@Promise("17.8")
class WebSlowReadersTest extends HttpSlowReaderCases {
    private static final int MOST = Integer.MAX_VALUE;
    private static final short INITIAL_WINDOW = 4;

    @Override
    protected Server start(ActorScope scope, HttpRoutes routes) {
        // Helidon waits for room by the clock of the system.
        return WebServer.start(scope.anonymous(),
                WebOptions.localPort(0).http(http -> http.writeLimit(Duration.ofHours(1))), routes);
    }

    @Override
    protected void asksForLittle(int port) throws IOException {
        super.asksForLittle(port);
        try (var client = new RawHttp2(port)) {
            client.send(request(1, "/"));
            assertThat(client.outcome(1)).isEqualTo("200 Hello");
        }
    }

    /** The answers wait until their clients make room. */
    @Test
    void clientsOfHttp2ThatMakeNoRoomHinderNobody() throws Exception {
        nobodyIsHindered(1, port -> new Http2Reader(port, 1, false));
    }

    @Test
    void streamsOfClientsThatMakeNoRoomHinderNobody() throws Exception {
        nobodyIsHindered(100, port -> new Http2Reader(port, 100, false));
    }

    /** The answers wait until the system takes more. There are few connections, since each takes 4 MB of its memory. */
    @Test
    void clientsOfHttp2ThatHardlyReadHinderNobody() throws Exception {
        nobodyIsHindered(10, port -> new Http2Reader(port, 10, true));
    }

    private static byte[] request(int stream, String path) throws IOException {
        return RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, stream,
                RawHttp2.get(path, "x"));
    }

    private static final class Http2Reader implements Reader {
        private final RawHttp2 client;

        /** Asks for much on each of some streams. Makes room for all of it, or for the 65,535 bytes that all clients begin with. */
        Http2Reader(int port, int streams, boolean makesRoom) throws IOException {
            client = new RawHttp2(connected(port));
            if (makesRoom) {
                client.send(RawHttp2.frame(RawHttp2.SETTINGS, 0, 0,
                        ByteBuffer.allocate(6).putShort(INITIAL_WINDOW).putInt(MOST).array()));
                client.send(RawHttp2.frame(RawHttp2.WINDOW_UPDATE, 0, 0,
                        ByteBuffer.allocate(4).putInt(MOST - 65_535).array()));
            }
            for (var i = 0; i < streams; i++) {
                client.send(request(2 * i + 1, "/much"));
            }
        }

        @Override
        public void read(int bytes) throws IOException {
            client.skip(bytes);
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
