package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.time.ManualTime;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A crowd of clients that do not read what they have asked for, or hardly, for each server of the library. */
public abstract class HttpSlowReaderCases {
    /**
     * How many answers are on their way at a time: more than the threads that virtual threads may have to run on. Each of them takes
     * some megabytes of what the system has for TCP. The larger crowd takes all of it, and tests beside it get less.
     */
    private static final int CROWD = Boolean.getBoolean("fibry.thorough") ? 1_400 : 300;
    private static final int ROUND = 100;
    /** So many of the connections read something, the first ones: where the memory is short, clients get their bytes late. */
    private static final int READERS = CROWD / 7;
    /** A client that reads now and then reads so many bytes in each round, and gets nowhere near the end. */
    private static final int LITTLE = 300;
    /** More than the systems on both sides keep for a connection, whatever it has grown to. */
    private static final byte[] MUCH = new byte[20_000_000];
    /** What a client lets its system keep. */
    private static final int RECEIVED = 16 * 1024;

    protected final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.configure("crowd").time(time).open();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    /** Starts a server with these routes. */
    protected abstract Server start(ActorScope in, HttpRoutes routes);

    /** A connection on which at least one client has asked for much. */
    protected interface Reader extends Closeable {
        /** Reads so many bytes of what the server sends. */
        void read(int bytes) throws IOException;
    }

    /** Connects and asks. */
    protected interface Opening {
        Reader open(int port) throws IOException;
    }

    /** The content of an answer that is too long to be sent. */
    private final class Much implements HttpBody {
        @Override
        public void writeTo(OutputStream out) throws IOException {
            begun.incrementAndGet();
            try {
                out.write(MUCH);
            } finally {
                ended.incrementAndGet();
            }
        }

        @Override
        public long length() {
            return MUCH.length;
        }
    }

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @Test
    void clientsOfHttp1ThatHardlyReadHinderNobody() throws Exception {
        nobodyIsHindered(1, port -> {
            var socket = connected(port);
            socket.getOutputStream()
                    .write("GET /much HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new Reader() {
                @Override
                public void read(int bytes) throws IOException {
                    assertThat(socket.getInputStream().readNBytes(bytes)).hasSize(bytes);
                }

                @Override
                public void close() throws IOException {
                    socket.close();
                }
            };
        });
    }

    /** A connection whose client lets the system keep little. */
    protected static Socket connected(int port) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(RECEIVED);
        socket.setSoTimeout(Patience.MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    /** Asks for little, and reads it. */
    protected void asksForLittle(int port) throws IOException {
        assertThat(HttpFraming.answersTo(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nHello");
    }

    /**
     * Some connections read a little now and then, as many read a little and then stop, and the others read nothing. In between
     * others are answered. In the end the server stops.
     */
    protected final void nobodyIsHindered(int requests, Opening opening) throws Exception {
        var before = OpenSockets.count();
        var server = start(scope, HttpRoutes.none().get("/", call -> HttpAnswer.text("Hello"))
                .get("/much", call -> HttpAnswer.stream("image/png", new Much())));
        asksForLittle(server.port());
        var readers = new ArrayList<Reader>();
        try {
            for (var i = 0; i < CROWD / requests; i++) {
                var reader = opening.open(server.port());
                readers.add(reader);
                if (i < READERS) {
                    reader.read(1 + i % LITTLE);
                }
                if (i % (ROUND / requests) == 0) {
                    readALittle(readers);
                    asksForLittle(server.port());
                }
            }
            Waits.until("all answers have begun", () -> begun.get() == CROWD);
            readALittle(readers);
            asksForLittle(server.port());
            Waits.until("only the crowd is left", () -> server.connections() == CROWD / requests);
            assertThat(ended).as("answers that are whole, or were given up").hasValue(0);
            stopInTime(server);
            Waits.until("each answer was given up", () -> ended.get() == CROWD);
            assertThat(server.connections()).isZero();
        } finally {
            for (var reader : readers) {
                reader.close();
            }
        }
        scope.close();
        Waits.left(scope);
        OpenSockets.areBack(before);
    }

    private static void readALittle(List<Reader> readers) throws IOException {
        for (var i = 0; i < Math.min(READERS, readers.size()); i += 2) {
            readers.get(i).read(LITTLE);
        }
    }

    private void stopInTime(Server server) throws Exception {
        var report = Forced.stop(time, server::stop);
        assertThat(report.forced()).as("stopped at its deadline: %s", report).isTrue();
        assertThat(report.stopped()).as("stopped: %s", report).isTrue();
        assertThat(report.stuck()).isEmpty();
    }
}
