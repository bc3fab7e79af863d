package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.RoutingRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that Helidon has read, as the JDK's server would show it. */
final class Exchange extends HttpExchange {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int UNREAD_BYTES = 1 << 20;

    private final WebConnection connection;
    private final RoutingRequest request;
    private final Responder responder;
    private final boolean isHttp2;
    private final URI uri;
    private final Headers requestHeaders = new Headers();
    private final Headers responseHeaders = new Headers();
    private final Map<String, Object> attributes = new HashMap<>();
    private final ExchangeInput content;
    private final OutputStream answer = new Answer();
    private InputStream in;
    private OutputStream out;
    private @Nullable OutputStream body;
    private @Nullable String flaw;
    private int status = -1;
    private volatile @Nullable Handshake accepted;

    /** Its target is there when the head of the answer has been sent. */
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

    Exchange(WebConnection connection, RoutingRequest request, Responder responder, boolean isHttp2) {
        this.connection = connection;
        this.request = request;
        this.responder = responder;
        this.isHttp2 = isHttp2;
        for (var header : request.headers()) {
            header.allValues().forEach(value -> requestHeaders.add(header.name(), value));
        }
        if (isHttp2) {
            pretendHttp1();
        }
        content = new ExchangeInput(request.content(), connection);
        in = content;
        out = answer;
        var target = request.prologue().uriPath().rawPath();
        var query = request.prologue().query().rawValue();
        URI found;
        try {
            found = new URI(query.isEmpty() ? target : target + "?" + query);
        } catch (URISyntaxException e) {
            found = URI.create("/");
            flaw = "the URI is not well formed";
        }
        uri = found;
        if (!isLengthClear()) {
            flaw = "the length of the content is not clear";
        }
    }

    /** What the checks of requests look at is said in another way in HTTP/2, or not at all. */
    private void pretendHttp1() {
        if (!requestHeaders.containsKey("Host")) {
            requestHeaders.set("Host", request.authority());
        }
        if (request.content().hasEntity() && !requestHeaders.containsKey("Content-Length")) {
            requestHeaders.set("Transfer-Encoding", "chunked");
        }
    }

    /** Whether there is no doubt where a request of HTTP/1.1 ends. */
    private boolean isLengthClear() {
        var lengths = requestHeaders.getOrDefault("Content-Length", List.of());
        var encodings = requestHeaders.getOrDefault("Transfer-Encoding", List.of());
        return lengths.size() <= 1 && lengths.stream().allMatch(length -> length.matches("[0-9]{1,18}"))
                && (encodings.isEmpty() || (lengths.isEmpty() && encodings.equals(List.of("chunked"))));
    }

    // ---- For this package. ----

    /** Answers itself if nobody else must see this request; says whether it has. */
    boolean isRefused() throws IOException {
        if (flaw == null) {
            return false;
        }
        var text = (flaw + "\n").getBytes(StandardCharsets.UTF_8);
        responseHeaders.set("Content-Type", "text/plain; charset=utf-8");
        responseHeaders.set("Connection", "close");
        sendResponseHeaders(400, text.length);
        out.write(text);
        out.close();
        return true;
    }

    WebConnection connection() {
        return connection;
    }

    boolean isHttp2() {
        return isHttp2;
    }

    /** The next answer opens a web socket. */
    void accept(Handshake handshake) {
        accepted = handshake;
    }

    /** The web socket that has been opened. */
    @Nullable Handshake accepted() {
        return status == SWITCHING_PROTOCOLS ? accepted : null;
    }

    boolean isLate(long now, long limit) {
        return content.isLate(now, limit);
    }

    /** The connection has ended. */
    void abandon() {
        content.abandon();
    }

    /** Ends the answer, and makes the connection ready for the next request or throws. */
    void finish() throws IOException {
        responder.finish();
        if (isHttp2 || accepted() != null) {
            return;
        }
        if (request.headers().contains(HeaderNames.EXPECT) && !content.isTouched()
                && request.content().hasEntity()) {
            throw new CloseConnectionException("the client keeps its content until it is told to go on");
        }
        if (flaw != null || !content.discard(UNREAD_BYTES) || responder.closes()) {
            throw new CloseConnectionException("this was the last answer");
        }
    }

    // ---- What handlers and fibry-core use. ----

    @Override
    public Headers getRequestHeaders() {
        return requestHeaders;
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
        return request.prologue().method().text();
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
        var opens = accepted != null && code < 300;
        status = opens ? SWITCHING_PROTOCOLS : code;
        if (connection.isStopping() && !opens) {
            responseHeaders.set("Connection", "close");
        }
        body = responder.begin(status, responseHeaders, length);
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
        return isHttp2 ? "HTTP/2" : "HTTP/1.1";
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
        throw new UnsupportedOperationException("the answer is what the handler returns");
    }
}
