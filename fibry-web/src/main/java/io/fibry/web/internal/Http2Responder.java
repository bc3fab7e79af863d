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

    private final RoutingResponse response;
    private final LiteralHeaders literals;
    private final int stream;

    /** Makes the answer on a stream of a connection, which has the headers that Helidon does not send. */
    Http2Responder(RoutingResponse response, LiteralHeaders literals, int stream) {
        this.response = response;
        this.literals = literals;
        this.stream = stream;
    }

    /** Writes to the connection. The exceptions of Helidon become an {@link IOException} for the writer. */
    private static void write(ServedCall.Step write) throws IOException {
        try {
            write.take();
        } catch (Http2Exception | UncheckedIOException | ServerConnectionException
                | IllegalStateException e) {
            // The state is illegal if Helidon has reset the stream, for example since more content came than was announced.
            throw new IOException("the client has gone, or makes no room", e);
        }
    }

    @Override
    public OutputStream begin(int status, HeaderList headers, long length) throws IOException {
        literals.put(stream, headers,
                (name, value) -> response.header(HeaderValues.create(HeaderNames.create(name), value)));
        response.status(Status.create(status));
        if (length < 0) {
            write(() -> response.send(new byte[0]));
            return OutputStream.nullOutputStream();
        }
        if (length > 0) {
            response.header(HeaderValues.create(HeaderNames.CONTENT_LENGTH, length));
        }
        var out = new Body(response.outputStream());
        if (length == 0) {
            out.head();
        }
        return out;
    }

    @Override
    public void finish() throws IOException {
        literals.forget(stream);
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
        private boolean closed;

        Body(OutputStream out) {
            super(new Guarded(out), BUFFER);
        }

        /**
         * Sends the head before there is content. The first flush of Helidon sends it, but only after a write, which
         * may be empty.
         */
        void head() throws IOException {
            out.write(new byte[0]);
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                flush();
                Http2Responder.write(response::commit);
            }
        }
    }

    /** The stream of Helidon, with exceptions that tell whether the client caused them. */
    private static final class Guarded extends FilterOutputStream {
        Guarded(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            Http2Responder.write(() -> out.write(b));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Http2Responder.write(() -> out.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            Http2Responder.write(out::flush);
        }
    }
}
