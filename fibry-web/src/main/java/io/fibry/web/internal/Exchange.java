package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import io.fibry.internal.net.SecuredExchange;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A request in the form of the server of the JDK. */
final class Exchange extends HttpExchange implements SecuredExchange {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int UNREAD_BYTES = 1 << 20;

    private final WebConnection connection;
    private final Incoming request;
    private final Responder responder;
    private final URI uri;
    private final Headers responseHeaders = new ResponseHeaders();
    private final Map<String, Object> attributes = new HashMap<>();
    private final ExchangeInput content;
    private final OutputStream answer = new Answer();
    private InputStream in;
    private OutputStream out;
    private final @Nullable AccessRecord access;
    private @Nullable OutputStream body;
    private @Nullable String flaw;
    private int status = -1;
    /** Set by the handler; its worker reads it after that has ended. */
    private volatile @Nullable Handshake accepted;

    /** The content of the answer. It can be written after the head has been sent. */
    private final class Answer extends OutputStream {
        private OutputStream target() throws IOException {
            if (body == null) {
                throw new IOException("the headers of the answer must be sent before its content");
            }
            return body;
        }

        @Override
        public void write(int b) throws IOException {
            target().write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            target().flush();
        }

        @Override
        public void close() throws IOException {
            target().close();
        }
    }

    /**
     * Headers that refuse a value that cannot be sent at the moment when it is set, when another answer is still
     * possible.
     */
    private static final class ResponseHeaders extends Headers {
        @Override
        public void add(String name, String value) {
            super.add(name, checked(name, value));
        }

        @Override
        public void set(String name, @Nullable String value) {
            super.set(name, value == null ? null : checked(name, value));
        }

        @Override
        public List<String> put(String name, List<String> values) {
            return super.put(name,
                    new ArrayList<>(values.stream().map(value -> checked(name, value)).toList()));
        }

        private static String checked(String name, String value) {
            return new HttpAnswer.Header(name, value).value();
        }
    }

    Exchange(WebConnection connection, Incoming request, Responder responder) {
        this.connection = connection;
        this.request = request;
        this.responder = responder;
        access = connection.server().accessRecord(connection);
        content = new ExchangeInput(request.content(), connection);
        in = content;
        out = answer;
        var found = uri(request);
        uri = found.orElse(URI.create("/"));
        flaw = request.flaw();
        if (flaw == null && found.isEmpty()) {
            flaw = "the target of the request is not well formed";
        }
    }

    private static Optional<URI> uri(Incoming request) {
        var target = request.target();
        if (request.isHttp2() && !target.startsWith("/") && !target.equals("*")) {
            return Optional.empty(); // other headers have the scheme and the authority
        }
        try {
            return Optional.of(new URI(target));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    // ---- For this package. ----

    /** Answers the request itself if no handler may see it, and tells whether it has done so. */
    boolean isRefused() throws IOException {
        if (flaw == null) {
            return false;
        }
        var text = (flaw + "\n").getBytes(StandardCharsets.UTF_8);
        responseHeaders.set("Content-Type", "text/plain; charset=utf-8");
        responseHeaders.set("Connection", "close");
        if (request.method().equals("HEAD")) {
            sendResponseHeaders(400, -1);
        } else {
            sendResponseHeaders(400, text.length);
            out.write(text);
            out.close();
        }
        return true;
    }

    /** Tells the listener of requests that this one has ended. */
    void record(boolean isWhole) {
        if (access != null) {
            access.end(request.method(), request.target(), request.protocol(), request.headers(), status,
                    isWhole,
                    connection.now());
        }
    }

    WebConnection connection() {
        return connection;
    }

    /** Makes the next answer open a web socket. */
    void accept(Handshake handshake) {
        accepted = handshake;
    }

    /** Returns the handshake of the web socket that has been opened. */
    @Nullable Handshake accepted() {
        return status == SWITCHING_PROTOCOLS ? accepted : null;
    }

    boolean isLate(long now, long silence, long total) {
        return content.isLate(now, silence, total);
    }

    /**
     * Waits for the end of the content of a request of HTTP/2 that has been answered. Helidon would do so without a limit
     * of time.
     */
    void skipContent() {
        try {
            content.discard(Integer.MAX_VALUE);
        } catch (IOException | HttpProblem brokenOff) {
            // nothing depends on it
        }
    }

    /** Tells the exchange that the connection, or the stream, has ended. */
    void abandon() {
        content.abandon();
    }

    /** Ends the answer and makes the connection ready for the next request. Returns false if there can be none. */
    boolean finish() throws IOException {
        responder.finish();
        if (request.isHttp2() || accepted() != null) {
            return true;
        }
        if (request.content() != null && !content.isTouched() && request.headers().containsKey("Expect")) {
            return false; // the client sends its content only if it is asked to
        }
        return flaw == null && content.discard(UNREAD_BYTES) && !responder.closes();
    }

    // ---- What handlers and fibry-core use. ----

    @Override
    public Headers getRequestHeaders() {
        return request.headers();
    }

    @Override
    public Headers getResponseHeaders() {
        return responseHeaders;
    }

    @Override
    public URI getRequestURI() {
        return uri;
    }

    @Override
    public String getRequestMethod() {
        return request.method();
    }

    @Override
    public InputStream getRequestBody() {
        return in;
    }

    @Override
    public OutputStream getResponseBody() {
        return out;
    }

    @Override
    public void sendResponseHeaders(int code, long length) throws IOException {
        if (status != -1) {
            throw new IOException("the headers of the answer have been sent already");
        }
        var opens = accepted != null && code == 204; // a filter may have put another answer in its place
        status = opens ? SWITCHING_PROTOCOLS : code;
        if ((connection.isStopping() || content.isBroken()) && !opens) {
            responseHeaders.set("Connection", "close");
        }
        var sent = responder.begin(status, responseHeaders, length);
        body = access == null ? sent : access.counting(sent);
    }

    @Override
    public void setStreams(@Nullable InputStream newIn, @Nullable OutputStream newOut) {
        if (newIn != null) {
            in = newIn;
        }
        if (newOut != null) {
            out = newOut;
        }
    }

    @Override
    public Optional<SSLSession> session() {
        return connection.session();
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return connection.peer();
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return connection.local();
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public String getProtocol() {
        return request.protocol();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, Object value) {
        attributes.put(name, value);
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("this server has no contexts");
    }

    @Override
    public void close() {
        if (status == -1) {
            throw new UnsupportedOperationException("the answer is what the handler returns");
        } // otherwise fibry-core gives up an answer that broke off, and finish() notices this
    }
}
