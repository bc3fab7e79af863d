package io.fibry.internal.net;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request and its answer, in any version of HTTP. */
public final class ServedCall implements HttpCall {
    private static final VarHandle WRITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "writingSince", int.class);
    private static final int PIECE = 64 * 1024;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NOT_MODIFIED = 304;

    private final HttpConnection connection;
    private final HttpHead head;
    private final HttpResponder responder;
    private final @Nullable HttpContent content;
    private final HeaderList answerHeaders = new HeaderList();
    private final Output out = new Output();
    private final long began;
    private @Nullable URI uri;
    private Map<String, String> parameters = Map.of();
    private @Nullable Map<Class<?>, Object> attributes;
    private @Nullable OutputStream body;
    private long sentBytes;
    /** The tick at which the current write began, or zero. Written by the thread that writes, opaque; a sweep reads it. */
    private int writingSince;
    /** Set by the thread that writes the answer; read by the one that reports a failed request. */
    private volatile boolean outputBroken;
    /** Written by the thread that sends the head. */
    private volatile int status = -1;
    /** Written by the thread of the handler, if this is not the fiber: it finds itself here, or is not inside. */
    private volatile @Nullable Thread elsewhere;
    /** Set by the handler; the fiber of the connection reads it after that has ended. */
    private volatile @Nullable Step next;

    /** A step that may have to wait for the client. */
    @FunctionalInterface
    public interface Step {
        /** Takes the step. */
        void take() throws IOException;
    }

    /** The content of the answer. It is written in pieces, so that a client that reads slowly but steadily gets all of it. */
    private final class Output extends OutputStream {
        private OutputStream target() throws IOException {
            if (body == null) {
                throw new IOException("the headers of the answer must be sent before its content");
            }
            return body;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[]{(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            for (var at = 0; at < length; at += PIECE) {
                var from = offset + at;
                var piece = Math.min(PIECE, length - at);
                waiting(() -> target().write(bytes, from, piece));
                sentBytes += piece;
            }
        }

        @Override
        public void flush() throws IOException {
            waiting(() -> target().flush());
        }

        @Override
        public void close() throws IOException {
            waiting(() -> target().close());
        }
    }

    /** Makes a call. */
    public ServedCall(HttpConnection connection, HttpHead head, @Nullable HttpContent content,
            HttpResponder responder) {
        this.connection = connection;
        this.head = head;
        this.content = content;
        this.responder = responder;
        began = connection.now();
    }

    // ---- For servers. ----

    /** Returns the call behind one that a filter has passed on; null if there is none. The call is an attribute of itself. */
    public static @Nullable ServedCall of(HttpCall call) {
        return call instanceof ServedCall served ? served : call.attribute(ServedCall.class).orElse(null);
    }

    /** Returns what is wrong with the content; null if all is well so far. */
    @Nullable HttpProblem flaw() {
        return content == null ? null : content.flaw();
    }

    /** Returns the connection. */
    public HttpConnection connection() {
        return connection;
    }

    /** Returns the head of the request. */
    public HttpHead head() {
        return head;
    }

    /** Returns the content if it can be read; null if the client waits until it is asked to send it. */
    @Nullable HttpContent comingContent() {
        return content == null || !content.isReadable()
                || (!content.isTouched() && head.headers().first("Expect") != null) ? null : content;
    }

    /** Returns when the request began. */
    public long began() {
        return began;
    }

    /** Returns how many bytes of the answer's content were sent. */
    public long sentBytes() {
        return sentBytes;
    }

    /** Makes an answer with the status 204 end HTTP on this connection: its status becomes 101. */
    public void switchTo(Step protocol) {
        next = protocol;
    }

    /** Returns what serves the connection after the answer; null if the next request does. */
    @Nullable Step next() {
        return status == SWITCHING_PROTOCOLS ? next : null;
    }

    void target(URI parsed) {
        uri = parsed;
    }

    void parameters(Map<String, String> values) {
        parameters = values;
    }

    /** Returns whether answers with a status never have content, so that clients read on behind their heads. */
    static boolean hasNoContent(int status) {
        return status < 200 || status == 204 || status == NOT_MODIFIED;
    }

    boolean isHead() {
        return head.method().equals("HEAD");
    }

    boolean hasBegun() {
        return status != -1;
    }

    /** Returns whether a write has failed, so that the client has caused a failure. */
    boolean isOutputBroken() {
        return outputBroken;
    }

    /** Sets the thread on which the handler runs, if this is not the fiber of the connection. */
    public void setThread(@Nullable Thread thread) {
        elsewhere = thread;
    }

    /** Returns whether a thread runs the handler, apart from the fiber of the request. */
    public boolean isOn(Thread thread) {
        return elsewhere == thread;
    }

    /** Returns what the client does not do, so that the connection must be closed; null if it does all it should. */
    public @Nullable String late(int now) {
        if (connection.service().isLateWriter((int) WRITING_SINCE.getOpaque(this), now)) {
            return "the client did not read for its writeLimit";
        }
        return content != null && content.isLate(now) ? "no content came for its readLimit" : null;
    }

    private void waiting(Step write) throws IOException {
        WRITING_SINCE.setOpaque(this, connection.service().tick());
        try {
            write.take();
        } catch (IOException | RuntimeException e) {
            outputBroken = true;
            throw e;
        } finally {
            WRITING_SINCE.setOpaque(this, 0);
        }
    }

    private void begin(int code, long length) throws IOException {
        if (hasBegun()) {
            throw new IOException("the headers of the answer have been sent already");
        }
        var switches = next != null && code == 204; // a filter may have put another answer in its place
        status = switches ? SWITCHING_PROTOCOLS : code;
        if (!switches && (connection.service().closesConnections() || flaw() != null
                || (content != null && content.isReadElsewhere()))) {
            answerHeaders.set("Connection", "close");
        }
        var describes = isHead() || code == NOT_MODIFIED;
        answerHeaders.keepOnly((name, value) -> !name.equalsIgnoreCase("Transfer-Encoding")
                && (describes || !name.equalsIgnoreCase("Content-Length"))); // the length determines these
        body = responder.begin(status, answerHeaders, length);
    }

    /** Ends the answer. */
    public void finish() throws IOException {
        responder.finish();
    }

    /** Returns whether the connection must end with the answer. */
    boolean closes() {
        return responder.closes();
    }

    /** Returns the headers of the answer, as far as they are known. */
    public HeaderList answerHeaders() {
        return answerHeaders;
    }

    /** Sends the head of the answer. The length of the content is 0 if it is not known, and -1 if there is none. */
    void sendHead(int code, long length) throws IOException {
        waiting(() -> begin(code, length));
    }

    /** Returns the content of the answer, which can be written to when the head has been sent. */
    OutputStream out() {
        return out;
    }

    /** Returns the status of the answer; -1 before its head is sent. */
    public int status() {
        return status;
    }

    // ---- What handlers use. ----

    @Override
    public String method() {
        return head.method();
    }

    @Override
    public URI uri() {
        if (uri == null) {
            uri = URI.create(head.target());
        }
        return uri;
    }

    @Override
    public String path() {
        if (uri != null) {
            return uri.getRawPath();
        }
        var target = head.target();
        var query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public String protocol() {
        return head.protocol();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.peer();
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(head.headers().first(name));
    }

    @Override
    public List<String> headers(String name) {
        return head.headers().all(name);
    }

    @Override
    public InputStream body() {
        return content == null ? InputStream.nullInputStream() : content;
    }

    @Override
    public String parameter(String name) {
        var value = parameters.get(Objects.requireNonNull(name, "name"));
        if (value == null) {
            throw new IllegalArgumentException(
                    "the route has no part {" + name + "}; it has " + parameters.keySet());
        }
        return value;
    }

    @Override
    public <T> Optional<T> attribute(Class<T> type) {
        if (Objects.requireNonNull(type, "type") == ServedCall.class) {
            return Optional.of(type.cast(this));
        }
        return attributes == null ? Optional.empty() : Optional.ofNullable(type.cast(attributes.get(type)));
    }

    @Override
    public <T> void put(Class<T> type, T value) {
        Objects.requireNonNull(type, "type");
        if (attributes == null) {
            attributes = new HashMap<>(4);
        }
        attributes.put(type, Objects.requireNonNull(value, "value"));
    }

    @Override
    public List<X509Certificate> certificates() {
        return connection.certificates();
    }

    @Override
    public String toString() {
        return method() + " " + path();
    }
}
