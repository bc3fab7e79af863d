package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.time.TimeSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The control connection of an agent to its relay, from the handshake to the end, with the users of this session. If
 * the relay is silent for too long the connections of these users are closed with it.
 */
final class RelaySession implements Closeable {
    private static final int SILENT_BEATS = 3;

    private final String name;
    private final RelayLine line;
    private final Set<Closeable> links = ConcurrentHashMap.newKeySet();
    private final Actor<RelayFrame, Void> writer;
    /** Written by the reader; a timer that reads too old a time looks again. */
    private volatile long heardAt;
    /** Set by the thread that ends the session. */
    private volatile boolean closed;

    RelaySession(String name, RelayLine line, ActorBuilder builder) {
        this.name = name;
        this.line = line;
        writer = builder.newActor(this::write);
    }

    private void write(RelayFrame frame) {
        try {
            line.socket().getOutputStream().write(frame.bytes());
        } catch (IOException gone) {
            TcpConnection.close(line, name); // the reader fails, and reports it
        }
    }

    /** What a session needs of its agent. */
    interface Host {
        /** A user waits. */
        void open(RelayToken token, RelaySession session);

        /** Closes something soon. */
        void closeSoon(Closeable what);
    }

    /** Reads frames; returns when the relay has ended the stream between two frames. */
    void read(TimeSource time, Host host) throws IOException {
        heardAt = time.nanoTime();
        var limit = line.heartbeat().multipliedBy(SILENT_BEATS);
        var silence = Deadline.start(time, Optional.empty(), Optional.of(limit), () -> heardAt,
                Deadline.Names.OF_CONNECTIONS, why -> {
                    links.forEach(host::closeSoon);
                    host.closeSoon(line);
                });
        try {
            var in = line.socket().getInputStream();
            for (var frame = RelayFrame.read(in); frame.isPresent(); frame = RelayFrame.read(in)) {
                heardAt = time.nanoTime();
                switch (frame.get().kind()) {
                    case OPEN -> host.open(frame.get().token(), this);
                    case PING -> writer.sendMessage(RelayFrame.PONG);
                    case PONG, REFUSE -> {
                        // a relay sends no such frames
                    }
                }
            }
        } finally {
            silence.cancel();
        }
    }

    void refuse(RelayToken token) {
        if (closed) {
            return; // the relay has ended its users by itself
        }
        writer.sendMessage(new RelayFrame(RelayFrame.Kind.REFUSE, token));
    }

    void joins(Closeable link) {
        links.add(link);
    }

    void removeLink(Closeable link) {
        links.remove(link);
    }

    @Override
    public void close() {
        closed = true;
        TcpConnection.close(line, name);
        writer.askExit();
    }
}
