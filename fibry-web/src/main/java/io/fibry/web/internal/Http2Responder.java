package io.fibry.web.internal;

import io.fibry.internal.net.HeaderList;
import io.fibry.internal.net.HttpResponder;
import io.fibry.internal.net.ServedCall;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.http.http2.Http2Exception;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http.RoutingResponse;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Answers in HTTP/2. */
final class Http2Responder implements HttpResponder {
    private static final int BUFFER = 8_192;
    /** A frame: streams take turns in the room of the connection. */
    private static final int LONGEST = 16_384;

    private final RoutingResponse response;
    private final LiteralHeaders literals;
    private final int stream;
    private final Http2Streams.Request request;

    /** Makes the answer on a stream of a connection, which has the headers that Helidon does not send. */
    Http2Responder(RoutingResponse response, LiteralHeaders literals, int stream,
            Http2Streams.Request request) {
        this.response = response;
        this.literals = literals;
        this.stream = stream;
        this.request = request;
    }

    /** Writes to the connection. The exceptions of Helidon become an {@link IOException} for the writer. */
    static void write(ServedCall.Step write) throws IOException {
        try {
            write.take();
        } catch (Http2Exception | UncheckedIOException | ServerConnectionException
                | IllegalStateException e) {
            // The state is illegal if the writer was interrupted; then nothing was written.
            throw new IOException("the client has gone, or makes no room", e);
        }
    }

    @Override
    public OutputStream begin(int status, HeaderList headers, long length) throws IOException {
        request.checkOpen();
        literals.put(stream, headers,
                (name, value) -> response.header(HeaderValues.create(HeaderNames.create(name), value)));
        response.status(Status.create(status));
        if (length < 0) {
            request.answered = true;
            write(() -> response.send(new byte[0]));
            return OutputStream.nullOutputStream();
        }
        if (length > 0) {
            response.header(HeaderValues.create(HeaderNames.CONTENT_LENGTH, length));
        }
        var pieces = new Pieces(response.outputStream());
        if (length == 0) {
            pieces.head();
        }
        return new Body(pieces);
    }

    @Override
    public void finish() throws IOException {
        if (!response.isSent()) {
            throw new IOException("the answer is not whole");
        }
    }

    @Override
    public boolean closes() {
        return false;
    }

    /** The content of the answer. */
    private final class Body extends BufferedOutputStream {
        private final Pieces pieces;
        private boolean closed;

        Body(Pieces pieces) {
            super(pieces, BUFFER);
            this.pieces = pieces;
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                pieces.write(buf, 0, count, true);
                request.answered = true;
                pieces.send(response::commit);
            }
        }
    }

    /** The stream of Helidon. It gets only what has room at the client, so its threads do not wait for room. */
    private final class Pieces extends FilterOutputStream {
        /** The room for what Helidon has not sent for certain. */
        private int unsent;

        Pieces(OutputStream helidon) {
            super(helidon);
        }

        /** Helidon keeps the first write, even if it is empty, until there is another one, or the end. */
        void begin() throws IOException {
            request.hasBegun = true;
            send(() -> out.write(new byte[0]));
        }

        /** Sends the head before there is content, or room for it. Helidon sends it at its first flush after a write. */
        void head() throws IOException {
            begin();
            send(out::flush);
        }

        void send(ServedCall.Step step) throws IOException {
            try {
                Http2Responder.write(step);
            } catch (IOException e) {
                if (e.getCause() instanceof IllegalStateException) {
                    request.unused(unsent);
                }
                throw e;
            }
        }

        /** The only way to write here: the buffer writes no single bytes. */
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            write(bytes, offset, length, false);
        }

        void write(byte[] bytes, int offset, int length, boolean isLast) throws IOException {
            for (var at = 0; at < length;) {
                var from = offset + at;
                var count = request.room(Math.min(LONGEST, length - at), request.hasBegun);
                unsent = count;
                if (count == 0) {
                    head();
                    continue;
                }
                if (!request.hasBegun && !(isLast && count == length)) {
                    begin();
                }
                send(() -> out.write(bytes, from, count));
                unsent = request.hasBegun ? 0 : count;
                at += count;
            }
        }
    }
}
