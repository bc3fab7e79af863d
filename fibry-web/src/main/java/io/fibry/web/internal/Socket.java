package io.fibry.web.internal;

import io.fibry.Actor;
import io.fibry.ActorInterruptedException;
import io.fibry.MailboxPolicy;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpInput;
import io.fibry.internal.run.Strategies;
import io.fibry.net.HttpCall;
import io.fibry.web.WebMessage;
import io.fibry.web.WebSocket;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketHandler;
import io.fibry.web.WebSocketOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A web socket. The fiber of the connection reads. An actor on the strategy of the server runs the handler. An actor on
 * fibers, which is the one that users see, writes.
 *
 * <p>A thread that closes the socket puts the reason into {@code close}, where only the first reason stays, and ends
 * the writing actor, whose exit hook sends the close frame. Then the reader waits for the answer of the client. In any
 * case the reader comes to its end, and ends both actors.
 */
final class Socket implements WebSocket {
    private static final Logger LOG = Logs.of("io.fibry.web");

    private final String name;
    private final WebConnection connection;
    private final WebSocketHandler handler;
    private final WebSocketOptions options;
    private final Handshake handshake;
    private final FrameWriter writer;
    private final @Nullable MessageDeflater deflater;
    private final Actor<WebMessage, Void> actor;
    private final Actor<Event, Void> reader;
    /** Set by the thread that closes it first, by CAS. */
    private final AtomicReference<@Nullable WebSocketClose> close = new AtomicReference<>();
    /** The time when the close began; zero while the socket is open. Written once, by the thread that sets {@code close}. */
    private volatile long closingSince;
    /** The time when the client last sent something; zero while its handler is at work. Written by the reader. */
    private volatile long silentSince;
    /** Whether a ping has been sent that is not answered yet. Set by the sweep; cleared by the reader. */
    private volatile boolean pinged;
    /** Whether the handler has been told of the socket. Only the actor of the handler uses it. */
    private boolean wasOpened;
    /** The thread that runs the handler now. Written by that thread, which therefore finds itself here, or is not inside. */
    private volatile @Nullable Thread handling;

    /** A call of the handler. */
    @FunctionalInterface
    private interface Event {
        void tell(WebSocketHandler handler) throws Exception;
    }

    Socket(WebConnection connection, Handshake handshake) throws IOException {
        name = connection.name();
        var crew = connection.service().crew();
        this.connection = connection;
        this.handshake = handshake;
        handler = handshake.handler();
        options = handshake.route().options();
        writer = new FrameWriter(connection.output(), connection::now);
        silentSince = connection.now() | 1;
        deflater = handshake.deflate().isEmpty() ? null : new MessageDeflater(
                handshake.deflate().get().serverKeepsContext(), options.deflate().orElseThrow().leastBytes());
        reader = crew.named(name + " reader").mailbox(MailboxPolicy.unbounded()).onExit(this::closed)
                .newActor(this::handle);
        try {
            actor = crew.named(name + " socket").strategy(Strategies.WAITERS).mailbox(options.outbound())
                    .onExit(this::sayGoodbye).newActor(this::write);
        } catch (Throwable noActor) {
            reader.askExit();
            throw noActor;
        }
    }

    // ---- What users see. ----

    @Override
    public Actor<WebMessage, Void> actor() {
        return actor;
    }

    @Override
    public boolean send(WebMessage message) {
        var accepted = actor.sendMessage(message);
        if (!accepted) {
            disconnectIfFull();
        }
        return accepted;
    }

    @Override
    public void close(int code, String reason) {
        var wanted = new WebSocketClose(code, reason);
        if (!wanted.isSendable()) {
            throw new IllegalArgumentException(
                    "code " + code + " must not be sent; a program's own codes are "
                            + "those from 4000 to 4999");
        }
        closeAfterQueued(wanted);
    }

    @Override
    public boolean isOpen() {
        return close.get() == null;
    }

    @Override
    public HttpCall call() {
        return handshake.call();
    }

    @Override
    public InetSocketAddress peer() {
        return connection.peer();
    }

    @Override
    public Optional<String> protocol() {
        return handshake.protocol();
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- Closing. ----

    void closeAfterQueued(WebSocketClose reason) {
        begin(reason);
        actor.sendPoisonPill();
    }

    private void closeNow(WebSocketClose reason) {
        begin(reason);
        actor.askExit();
    }

    private void begin(WebSocketClose reason) {
        if (close.compareAndSet(null, reason)) {
            closingSince = connection.now() | 1;
            LOG.debug("{} is closed: {} {}", name, reason.code(), reason.reason());
        }
    }

    private WebSocketClose reason() {
        var reason = close.get();
        return reason != null ? reason : new WebSocketClose(WebSocketClose.NORMAL, "");
    }

    /** The exit hook of the writing actor. It runs whatever the reason for the stop is. */
    private void sayGoodbye() {
        begin(connection.isStopping() ? WebSite.GOING_AWAY : reason());
        try {
            if (deflater != null) {
                deflater.close();
            }
            writer.close(reason());
        } catch (IOException e) {
            LOG.debug("{}: closing: {}", name, e.toString());
        }
    }

    private void disconnectIfFull() {
        if (options.disconnectsWhenFull() && isOpen()) {
            closeNow(new WebSocketClose(WebSocketClose.POLICY, "too slow: too many messages wait"));
        }
    }

    // ---- Writing. ----

    private void write(WebMessage message) throws IOException {
        try {
            switch (message) {
                case WebMessage.Text text -> send(Frame.TEXT, text.text().getBytes(StandardCharsets.UTF_8));
                case WebMessage.Binary binary -> send(Frame.BINARY, binary.bytes());
            }
        } catch (IOException e) { // clients come and go
            LOG.debug("{}: writing: {}", name, e.toString());
            begin(vanished());
            actor.askExit();
            connection.cut("writing failed");
        }
    }

    private void send(int opcode, byte[] bytes) throws IOException {
        var payload = deflater == null ? bytes : deflater.deflate(bytes);
        writer.write(opcode, payload != bytes, payload);
    }

    private static WebSocketClose vanished() {
        return new WebSocketClose(WebSocketClose.VANISHED, "");
    }

    // ---- Reading. ----

    /** Reads until the socket is closed, then ends its actors. */
    void read(HttpInput in) {
        try {
            tell(to -> {
                wasOpened = true;
                to.opened(this);
            });
            if (handshake.deflate().isEmpty()) {
                converse(new FrameReader(in, false), null);
                return;
            }
            try (var inflater = new MessageInflater(handshake.deflate().get().clientKeepsContext())) {
                converse(new FrameReader(in, true), inflater);
            }
        } catch (Violation violation) {
            closeBecause(violation, in);
        } catch (IOException e) {
            LOG.debug("{}: reading: {}", name, e.toString());
        } catch (InterruptedException | ActorInterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end();
        }
    }

    private void closeBecause(Violation violation, HttpInput in) {
        closeAfterQueued(new WebSocketClose(violation.code(), violation.reason()));
        try {
            actor.waitForExit();
            linger(in);
        } catch (ActorInterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        closeNow(vanished());
        reader.sendPoisonPill();
        var interrupted = Thread.interrupted();
        try {
            actor.waitForExit();
            reader.waitForExit();
        } catch (ActorInterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads frames until the client closes the socket. */
    private void converse(FrameReader frames, @Nullable MessageInflater inflater)
            throws Violation, IOException, InterruptedException {
        var message = new Message(options.messageBytes(), inflater);
        while (true) {
            var frame = frames.read(message.room());
            heard();
            switch (frame.opcode()) {
                case Frame.PING -> writer.write(Frame.PONG, frame.payload());
                case Frame.PONG -> {
                }
                case Frame.CLOSE -> {
                    closeNow(Message.close(frame.payload()));
                    return;
                }
                default -> {
                    var whole = message.add(frame);
                    if (whole != null) { // its buffers are as long as it
                        message = new Message(options.messageBytes(), inflater);
                    }
                    if (whole != null && isOpen()) {
                        tell(to -> deliver(whole, to));
                    }
                }
            }
        }
    }

    private void deliver(WebMessage message, WebSocketHandler to) throws Exception {
        switch (message) {
            case WebMessage.Text text -> to.text(this, text.text());
            case WebMessage.Binary binary -> to.binary(this, binary.bytes());
        }
    }

    private void heard() {
        silentSince = connection.now() | 1;
        pinged = false;
    }

    /**
     * Reads and discards what the client still sends, so that the close frame is not lost: if unread bytes are
     * discarded by the system, it reports an error to the client.
     */
    private void linger(HttpInput in) {
        try {
            connection.socket().shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException end) {
            LOG.debug("{}: {}", name, end.toString());
        }
    }

    // ---- The handler. ----

    /** Lets the actor of the handler run an event, and waits for it. If the event fails, the socket is closed. */
    private void tell(Event event) throws Violation, InterruptedException {
        silentSince = 0;
        try {
            reader.sendMessageReturn(event).get();
        } catch (ExecutionException e) {
            // If the handler failed, the reason is set already. Otherwise its strategy refused to run it.
            throw new Violation(WebSocketClose.TRY_LATER, "too much to do; try again later");
        } finally {
            silentSince = connection.now() | 1;
        }
    }

    private void handle(Event event) throws Exception {
        handling = Thread.currentThread();
        try {
            event.tell(handler);
        } catch (Throwable failure) {
            begin(new WebSocketClose(WebSocketClose.FAILURE, "internal error"));
            throw failure;
        } finally {
            handling = null;
        }
    }

    private void closed() throws Exception {
        begin(vanished()); // if the actor was stopped by force
        if (wasOpened) {
            handle(to -> to.closed(this, reason()));
        }
    }

    boolean isHandling(Thread thread) {
        return handling == thread;
    }

    // ---- Limits. ----

    /** Checks whether the client is late with something. Returns the reason if the connection must be cut. */
    Optional<String> late(long now) {
        var closing = closingSince;
        if (closing != 0 && now - closing > Durations.boundedNanos(options.closeLimit())) {
            return Optional.of("closing took longer than " + options.closeLimit() + ", its closeLimit");
        }
        if (writer.isStuckSince(now - Durations.boundedNanos(options.writeLimit()))) {
            return Optional.of("the client did not read for " + options.writeLimit() + ", its writeLimit");
        }
        if (actor.counters().refused() > 0) {
            disconnectIfFull();
        }
        var silent = silentSince;
        if (silent == 0 || closing != 0) {
            return Optional.empty();
        }
        var idleNanos = Durations.boundedNanos(options.idleTimeout());
        if (now - silent > idleNanos) {
            return Optional.of("the client was silent for " + options.idleTimeout() + ", its idleTimeout");
        }
        if (!pinged && now - silent > idleNanos / 2) {
            pinged = true;
            connection.soon(this::ping, () -> {
            });
        }
        return Optional.empty();
    }

    private void ping() {
        try {
            writer.write(Frame.PING, new byte[0]);
        } catch (IOException e) {
            LOG.debug("{}: pinging: {}", name, e.toString());
        }
    }
}
