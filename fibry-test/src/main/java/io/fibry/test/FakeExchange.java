package io.fibry.test;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request on its way through a server without a port, and the answer, which is kept in memory. */
final class FakeExchange extends HttpExchange {
    private static final int NOT_SENT = -1;

    private final String method;
    private final URI uri;
    private final Headers requestHeaders = new Headers();
    private final Headers responseHeaders = new Headers();
    private final Map<String, Object> attributes = new HashMap<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private InputStream in;
    private OutputStream out = content;
    private int status = NOT_SENT;

    FakeExchange(String method, URI uri, Headers headers, byte[] sent) {
        this.method = method;
        this.uri = uri;
        requestHeaders.putAll(headers);
        if (!requestHeaders.containsKey("Host")) {
            requestHeaders.set("Host", "localhost");
        }
        if (sent.length > 0) {
            requestHeaders.set("Content-Length", Integer.toString(sent.length));
        }
        in = new ByteArrayInputStream(sent);
    }

    /** Returns what the client gets when the exchange has ended. */
    FakeHttpCall.Answer answer() throws IOException {
        if (status == NOT_SENT) {
            throw new IOException(method + " " + uri + ": the connection was closed without an answer");
        }
        var first = new HashMap<String, String>();
        responseHeaders.forEach((name, values) -> first.put(name, values.getFirst()));
        return new FakeHttpCall.Answer(status, first, content.toString(StandardCharsets.UTF_8));
    }

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
        return method;
    }

    /** There is no context, since there is no server of the JDK. */
    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException(
                "a request of a FakeHttpClient has no context: test what needs one with a server");
    }

    @Override
    public void close() {
        // nothing is open
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
        if (status != NOT_SENT) {
            throw new IOException("the headers of the answer have been sent already");
        }
        status = code;
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), SocketPair.CLIENT_PORT);
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), SocketPair.SERVER_PORT);
    }

    @Override
    public String getProtocol() {
        return "HTTP/1.1";
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        if (value == null) {
            attributes.remove(name);
        } else {
            attributes.put(name, value);
        }
    }

    @Override
    public void setStreams(@Nullable InputStream newIn, @Nullable OutputStream newOut) {
        in = newIn == null ? in : newIn;
        out = newOut == null ? out : newOut;
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }
}
