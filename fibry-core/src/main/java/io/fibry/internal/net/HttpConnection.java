package io.fibry.internal.net;

import io.fibry.internal.log.Logs;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A connection of an HTTP server, from its accept to its close. The fiber of its actor reads one request after another,
 * lets it be answered, and writes the answer.
 *
 * <p>The fiber first marks the connection as busy, and then reads whether the server stops. A stopper first sets that and
 * then reads the mark. So either the request is refused, or the connection is not closed before its answer has been sent.
 */
public class HttpConnection {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int UNREAD_BYTES = 1 << 20;

    private final HttpService service;
    private final TcpConnection tcp;
    private final Socket accepted;
    private Socket secured;
    private @Nullable HttpInput input;
    private @Nullable OutputStream output;
    /** The request of HTTP/1 that is handled. Written by the fiber, when a request begins and ends; a sweep reads it. */
    private volatile @Nullable ServedCall call;
    /** The tick since which no request is handled; zero while one is. Written by the fiber; a sweep looks again later. */
    private volatile int idleSince;
    /** The tick at which the first byte of a head came; zero if none has come. Written by the fiber, as above. */
    private volatile int headSince;
    /** The tick of the last answer, or of the beginning close; zero before. Written by the leaving thread, read by sweeps. */
    private volatile int leavingSince;
    /** Set by the thread that cuts the connection, before the socket is closed. */
    private volatile boolean cut;

    /** Makes a connection. */
    public HttpConnection(HttpService service, TcpConnection tcp, Socket accepted) {
        this.service = service;
        this.tcp = tcp;
        this.accepted = accepted;
        secured = accepted;
        idleSince = service.tick();
    }

    // ---- What it is. ----

    /** Returns what answers the requests. */
    public final HttpService service() {
        return service;
    }

    /** Returns the name of the connection. */
    public final String name() {
        return tcp.name();
    }

    /** Returns the client. */
    public final InetSocketAddress peer() {
        return tcp.peer();
    }

    final List<X509Certificate> certificates() {
        if (!(secured instanceof SSLSocket tls)) {
            return List.of();
        }
        try {
            return Arrays.stream(tls.getSession().getPeerCertificates())
                    .filter(X509Certificate.class::isInstance).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }

    /** Returns the socket. */
    public final Socket socket() {
        return secured;
    }

    /** Returns what the client sends. */
    public final HttpInput input() throws IOException {
        if (input == null) {
            input = new HttpInput(secured.getInputStream());
        }
        return input;
    }

    /** Returns the way to the client. */
    public final OutputStream output() throws IOException {
        if (output == null) {
            output = secured.getOutputStream();
        }
        return output;
    }

    /** Returns the time. */
    public final long now() {
        return service.time().nanoTime();
    }

    /** Returns whether the server is being stopped. */
    public final boolean isStopping() {
        return service.isStopping();
    }

    /** Returns whether the connection was closed by the server. */
    public final boolean isCut() {
        return cut;
    }

    // ---- Its requests. ----

    /** Serves the client until the client or the server ends the connection. */
    final void serve() throws IOException {
        try {
            accepted.setTcpNoDelay(true); // otherwise some answers wait for an acknowledgement
            converse();
        } finally {
            leaves(); // the close of TLS writes, and waits for the client
            secured.close();
        }
    }

    /** Serves the client. */
    protected void converse() throws IOException {
        secure();
        talk();
    }

    /** Begins TLS, if the server uses it. */
    protected final void secure() throws IOException {
        var tls = service.options().tls();
        if (tls.isPresent()) {
            secured = TlsHandshake.accept(tls.get(), accepted, this::choosesProtocol);
        }
    }

    /** Prepares a socket before its handshake. */
    protected void choosesProtocol(SSLSocket tls) {
        // HTTP/1.1 needs no choice
    }

    /** Answers requests of HTTP/1.1 and HTTP/1.0. */
    protected final void talk() throws IOException {
        var in = input();
        idle();
        while (!service.isStopping()) {
            if (!in.hasNext()) {
                return;
            }
            headSince = service.tick();
            ServedCall.@Nullable Step next;
            try {
                var head = HttpHead.read(in, service.options());
                busy();
                next = upgrade(head);
                if (next == null) {
                    if (!answers(head)) {
                        break;
                    }
                    idle();
                    continue;
                }
            } catch (HttpHead.NotHttpException other) {
                LOG.debug("{}: {}", name(), other.getMessage());
                return;
            } catch (HttpProblem refusal) {
                refuse(refusal);
                break;
            }
            next.take();
            return;
        }
        linger();
    }

    /** Refuses what is not even a request. Since its end is not known, nothing after it is read. */
    protected final void refuse(HttpProblem refusal) throws IOException {
        LOG.debug("{}: {}", name(), refusal.text());
        busy();
        var nothing = new HttpHead("", "", "", new HeaderList(), 0);
        var refused = new ServedCall(this, nothing, null,
                new Http1Responder(output(), false, true, false, service.date(), () -> {
                }));
        call = refused;
        var isWhole = false;
        try {
            service.refuse(refused, refusal);
            isWhole = true;
        } finally {
            call = null;
            answered(refused, isWhole);
        }
    }

    /** Answers a request. Returns whether there may be another one. */
    private boolean answers(HttpHead head) throws IOException {
        // A part of content that ends with the connection must not look whole, whatever closes the connection.
        var responder =
                new Http1Responder(output(), head.isOld(), head.closes(), head.method().equals("HEAD"),
                        service.date(), () -> accepted.setSoLinger(true, 0));
        var content = head.contentLength() == 0 ? null
                : new HttpContent(new Http1Content(input(), head.contentLength(), service.options(), () -> {
                    if (head.waitsForGo() && !responder.hasBegun()) {
                        output().write(GO_ON);
                    }
                }), service);
        var served = new ServedCall(this, head, content, responder);
        call = served;
        var isWhole = false;
        boolean goesOn;
        try {
            service.piece(served);
            served.finish();
            isWhole = true;
            if (responder.isOpenEnded()) {
                accepted.setSoLinger(false, 0);
            }
            goesOn = served.next() == null && !served.closes()
                    && (content == null || isPassed(served));
        } finally {
            call = null;
            if (!isWhole && responder.isOpenEnded()) {
                cut("its answer broke off"); // the close of TLS would tell the client that it has all
            }
            answered(served, isWhole);
        }
        var next = served.next();
        if (next != null) {
            next.take();
        }
        return goesOn;
    }

    /** Reads over what is left of the content. Returns whether its end was found. */
    private static boolean isPassed(ServedCall served) throws IOException {
        var content = served.comingContent();
        try {
            return content != null && content.discard(UNREAD_BYTES);
        } catch (HttpProblem bad) {
            return false;
        }
    }

    /** Returns what serves the connection from a request on; null if this is answered in HTTP/1. */
    protected ServedCall.@Nullable Step upgrade(HttpHead head) {
        return null;
    }

    /** Called when a request has been answered, up to the end of its answer or not. */
    public void answered(ServedCall served, boolean isWhole) {
        // fibry-web keeps a log
    }

    /** Marks the connection as busy: a stop does not close it. */
    public final void busy() {
        idleSince = 0;
        headSince = 0;
    }

    /** Marks the connection as idle: it waits for a request. */
    public final void idle() {
        idleSince = service.tick();
    }

    /** Returns whether a thread runs a handler of this connection, apart from its fiber. */
    protected boolean isHandling(Thread thread) {
        var served = call;
        return served != null && served.isOn(thread);
    }

    // ---- Its end. ----

    /** Lets no further request come: closes the connection now if no request is handled, and otherwise after it. */
    protected void windDown() {
        if (idleSince != 0 && leavingSince == 0) {
            cut("the server is being stopped");
        } // otherwise its fiber checks this when it has answered, or the sweep cuts it in a moment
    }

    /** Returns whether a request was handled a moment ago, so that its answer may be on its way. */
    protected final boolean wasBusy() {
        return idleSince != 0 && service.tick() - idleSince <= 1;
    }

    /**
     * Ends the output, and waits a moment for the client to end its output. If a connection is closed at once and bytes
     * of the client were not read, it is reset, and the client may lose the last answer.
     */
    public final void linger() throws IOException {
        leaves();
        secured.shutdownOutput();
        var bytes = new byte[8_192];
        for (int left = UNREAD_BYTES, count = 0; left > 0 && count >= 0; left -= count) {
            count = input().read(bytes);
        }
    }

    /** Gives the client a moment to read the last answer, after which the connection is cut. */
    public final void leaves() {
        leavingSince = service.tick();
    }

    /** Closes the connection now, which ends all reads and writes. */
    public final void cut(String why) {
        cut = true;
        tcp.closeWanted(why);
    }

    /** Closes the connection soon, for a thread that must not wait. */
    final void cutSoon(String why) {
        cut = true;
        tcp.cutSoon(why);
    }

    /** Returns what the client does not do, so that the connection must be closed; null if it does all it should. */
    protected @Nullable String late(int now) {
        if (HttpService.isLate(leavingSince, now, 1)) {
            return "it has had its last answer";
        }
        if (service.isLateClient(idleSince, now)) {
            return "there was no request for its idleTimeout";
        }
        if (service.isLateReader(headSince, now)) {
            return "the head of its request took longer than its readLimit";
        }
        var served = call;
        return served == null ? null : served.late(now);
    }

    @Override
    public final String toString() {
        return name();
    }
}
