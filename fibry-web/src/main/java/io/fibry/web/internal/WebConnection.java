package io.fibry.web.internal;

import io.fibry.ReceivingContext;
import io.fibry.function.Body;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpConnection;
import io.fibry.internal.net.HttpHead;
import io.fibry.internal.net.HttpService;
import io.fibry.internal.net.ServedCall;
import io.fibry.internal.net.TcpConnection;
import io.fibry.internal.run.Strategies;
import io.fibry.web.WebAccess;
import io.fibry.web.WebAccessListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A connection of a web server, which may become a web socket, or one of HTTP/2. */
final class WebConnection extends HttpConnection {
    private static final Logger LOG = Logs.of("io.fibry.web");
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final WebSite site;
    /** Set by the fiber, before the first frame is read. */
    private volatile @Nullable Http2Connection http2;
    /** Set by the fiber, which then reads whether the server stops; a stopper does it the other way round. */
    private volatile @Nullable Socket webSocket;

    WebConnection(WebSite site, HttpService service, TcpConnection tcp, java.net.Socket accepted) {
        super(service, tcp, accepted);
        this.site = site;
    }

    WebSite site() {
        return site;
    }

    @Override
    protected void converse() throws IOException {
        var client = peer().getAddress();
        if (!site.places().take(client)) {
            site.logFull(this, client);
            return;
        }
        try {
            secure();
            serveProtocol();
        } finally {
            site.places().giveBack(client);
        }
    }

    private void serveProtocol() throws IOException {
        if (site.options().http2() && speaksHttp2()) {
            openHttp2().serve();
        } else {
            talk();
        }
    }

    @Override
    protected void choosesProtocol(SSLSocket tls) {
        tls.setHandshakeApplicationProtocolSelector((socket, offered) -> chosen(offered));
    }

    /** Returns an empty text if no protocol is agreed on. */
    private String chosen(List<String> offered) {
        return offered.contains("h2") && site.options().http2() ? "h2"
                : offered.contains("http/1.1") ? "http/1.1" : "";
    }

    /** Tells whether the client uses HTTP/2, by its choice in the handshake, or by its first bytes. */
    private boolean speaksHttp2() throws IOException {
        return socket() instanceof SSLSocket tls ? tls.getApplicationProtocol().equals("h2")
                : input().beginsWith(PREFACE);
    }

    private Http2Connection openHttp2() throws IOException {
        var opened = new Http2Connection(this);
        http2 = opened;
        return opened;
    }

    /** Changes to HTTP/2, if the client asks for it and its request can be served there. */
    @Override
    protected ServedCall.@Nullable Step upgrade(HttpHead head) {
        var options = site.options();
        var headers = head.headers();
        if (!options.http2() || !options.http2Upgrade() || socket() instanceof SSLSocket
                || !head.protocol().equals(HttpHead.HTTP_1_1) || head.contentLength() != 0
                || !headers.lists("Upgrade", "h2c") || !headers.lists("Connection", "upgrade")
                || !headers.lists("Connection", "http2-settings") || headers.all("HTTP2-Settings").size() != 1
                || headers.all("Host").size() != 1 || !head.target().startsWith("/")
                || !head.method().matches("[A-Z]+")) {
            return null;
        }
        try {
            return openHttp2().upgraded(head);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the connection a web socket. Returns when the socket is closed. */
    void open(Handshake handshake) throws IOException {
        busy();
        var opened = new Socket(this, handshake);
        webSocket = opened;
        if (isStopping()) {
            opened.closeAfterQueued(WebSite.GOING_AWAY);
        }
        opened.read(input());
    }

    @Override
    public void answered(ServedCall served, boolean isWhole) {
        site.options().accessLog().ifPresent(listener -> tell(listener, served, isWhole));
    }

    private static void tell(WebAccessListener listener, ServedCall call, boolean isWhole) {
        var time = call.connection().service().time();
        var took = Duration.ofNanos(time.nanoTime() - call.began());
        var head = call.head();
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        head.headers()
                .forEach((name, value) -> headers.computeIfAbsent(name, n -> new ArrayList<>(1)).add(value));
        try {
            listener.answered(new WebAccess(time.clock().instant().minus(took), took,
                    call.remoteAddress(), head.method(), head.target(), head.protocol(),
                    Collections.unmodifiableMap(headers), Math.max(0, call.status()),
                    call.sentBytes(), isWhole));
        } catch (Exception | StackOverflowError | AssertionError failure) {
            LOG.error("the listener of requests failed on {} {}", head.method(), call.remoteAddress(),
                    failure);
        }
    }

    @Override
    protected boolean isHandling(Thread thread) {
        var opened = webSocket;
        var streams = http2;
        return super.isHandling(thread) || (opened != null && opened.isHandling(thread))
                || (streams != null && streams.isHandling(thread));
    }

    /** Some clients of HTTP/2 discard answers that they have not read yet when they find the connection closed. */
    @Override
    protected void windDown() {
        var opened = webSocket;
        if (opened != null) {
            opened.closeAfterQueued(WebSite.GOING_AWAY);
        } else if (http2 != null && wasBusy()) {
            leaves();
        } else {
            super.windDown();
        }
    }

    @Override
    protected @Nullable String late(int now) {
        var opened = webSocket;
        if (opened != null) {
            return opened.late(now()).orElse(null);
        }
        var why = super.late(now);
        var streams = http2;
        return why != null || streams == null ? why : streams.late(now);
    }

    /** Runs a task on a fiber, and then code that runs even without memory for a fiber. Returns whether both will run. */
    boolean soon(Runnable task, Body end) {
        try {
            service().crew().anonymous().strategy(Strategies.WAITERS).onExit(end)
                    .newReceivingActor((ReceivingContext<Object> context) -> task.run());
            return true;
        } catch (IllegalStateException | OutOfMemoryError closing) {
            LOG.debug("{}: not done, since the server is being closed", name());
            return false;
        }
    }
}
