package io.fibry.cluster.database;

import io.fibry.cluster.database.ClusterSession.Entry;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.engine.NotUnderstood;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An engine whose nodes have a database in common. Any node that reaches the database serves: there is no majority to
 * be kept, no minimum, and no list of nodes. All may die and come back.
 *
 * <p>While a node does not reach the database for most of its lease, it serves nothing. The package has the rules.
 */
public final class DatabaseEngine implements ClusterEngine {
    // Kinds of frames. A node that does not know one counts it, so a later version may add some.
    /** Bytes of {@link #send}. */
    static final byte MESSAGE = 1;
    /** An entry has changed: what the database would tell at the next beat. */
    static final byte ENTRY = 2;
    /** There is another view in the database. */
    static final byte LOOK = 3;
    /** Comes with each beat. */
    static final byte ALIVE = 4;

    private static final Logger LOGGER = LoggerFactory.getLogger(DatabaseEngine.class);

    private final DatabaseSettings settings;
    private final Lease.Clocks clocks;
    private final MachineId machine;
    private final NotUnderstood notUnderstood = new NotUnderstood();
    final EntryCopies copies = new EntryCopies();
    /** Guards the two fields below, which are set once. */
    private final ReentrantLock startLock = new ReentrantLock();
    private boolean isOver;
    private boolean isStarted;
    /** Set once, when this engine starts. */
    private volatile @Nullable Started started;
    /** Held by the thread that changes entries. */
    private final ReentrantLock changeLock = new ReentrantLock();
    /** Written under the change lock. */
    private volatile @Nullable ClusterSession changes;

    private record Started(UUID self, Mesh mesh, Membership membership, EngineListener listener) {
    }

    /**
     * Makes an engine that has not started.
     *
     * @param settings the database, and where this node listens
     */
    public DatabaseEngine(DatabaseSettings settings) {
        this(settings, Lease.Clocks.SYSTEM, MachineId.here());
    }

    DatabaseEngine(DatabaseSettings settings, Lease.Clocks clocks, MachineId machine) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.clocks = clocks;
        this.machine = machine;
    }

    @Override
    public View start(NodeInfo self, EngineListener listener) throws Exception {
        startLock.lock();
        try {
            if (isStarted || isOver) {
                throw new IllegalStateException("this engine was started or closed before: make a new one");
            }
            isStarted = true;
            var tls = settings.tls();
            var mesh = new Mesh(self.incarnation(), settings.host, settings.port, tls,
                    settings.lease.toNanos(), new Frames(), notUnderstood);
            var address =
                    new NodeAddress(settings.host, mesh.port(), tls.map(NodeTls::digest).orElse(""));
            started = new Started(self.incarnation(), mesh, new Membership(settings, self, address,
                    machine, listener, copies, mesh, clocks), listener);
        } finally {
            startLock.unlock();
        }
        var now = started();
        try {
            now.mesh.begin();
            return now.membership.start();
        } catch (SQLException failed) {
            close();
            throw new SQLException(settings + " cannot be used: " + failed.getMessage() + driver(failed),
                    failed);
        } catch (InterruptedException | RuntimeException | Error failed) {
            close();
            throw failed;
        }
    }

    private String driver(SQLException failed) {
        return String.valueOf(failed.getMessage()).startsWith("No suitable driver")
                ? "; add " + (settings.database.isFile() ? "org.xerial:sqlite-jdbc"
                        : "org.postgresql:postgresql") + " to the class path"
                : "";
    }

    private Started started() {
        var now = started;
        if (now == null) {
            throw new NotServedException("this node has not started");
        }
        return now;
    }

    /** Returns the port that this node listens on. */
    int port() {
        return started().mesh.port();
    }

    /** What others send. */
    private final class Frames implements Mesh.Listener {
        @Override
        public void received(UUID from, byte kind, ByteBuffer body) {
            var now = started();
            now.membership.hear(from);
            switch (kind) {
                case MESSAGE -> {
                    if (now.membership.serves()) {
                        now.listener.received(from, body);
                    }
                }
                case ENTRY -> {
                    if (now.membership.serves()) {
                        seeEntry(from, body);
                    }
                }
                case LOOK -> now.membership.look();
                case ALIVE -> {
                    // That it was heard is all it says.
                }
                default -> notUnderstood
                        .add("A frame of the node " + from + " was left out: it is of the kind " + kind
                                + ", which this version does not know");
            }
        }

        private void seeEntry(UUID from, ByteBuffer body) {
            Entry entry;
            String server;
            try {
                server = text(body);
                entry = entry(body);
            } catch (RuntimeException cut) {
                notUnderstood.add("A frame of the node " + from + " was left out: it is no entry");
                return;
            }
            started().membership.see(entry, server);
        }

        @Override
        public void strange(UUID node) {
            started().membership.look();
        }

        @Override
        public void suspect(UUID node) {
            started().membership.suspect(node);
        }
    }

    /** The server is told too, since it may lose the entry before others hear of it. */
    static ByteBuffer bytes(Entry entry, String server) {
        var place = server.getBytes(StandardCharsets.UTF_8);
        var table = entry.table().getBytes(StandardCharsets.UTF_8);
        var key = entry.key().getBytes(StandardCharsets.UTF_8);
        var value = entry.value();
        var length = 3 * Integer.BYTES + place.length + table.length + key.length + Long.BYTES + 1
                + (value == null ? 0 : value.length);
        var bytes = ByteBuffer.allocate(length).putInt(place.length).put(place).putInt(table.length)
                .put(table).putInt(key.length).put(key).putLong(entry.version())
                .put((byte) (value == null ? 0 : 1));
        return (value == null ? bytes : bytes.put(value)).flip();
    }

    private static Entry entry(ByteBuffer bytes) {
        var table = text(bytes);
        var key = text(bytes);
        var version = bytes.getLong();
        byte[] value = null;
        if (bytes.get() == 1) {
            value = new byte[bytes.remaining()];
            bytes.get(value);
        }
        return new Entry(table, key, value, version);
    }

    private static String text(ByteBuffer bytes) {
        var text = new byte[Math.min(bytes.getInt(), bytes.remaining())];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    @Override
    public View view() {
        var now = started;
        return now == null ? new View(0, List.of(), false) : now.membership.view();
    }

    @Override
    public boolean serves() {
        var now = started;
        return now != null && now.membership.serves();
    }

    @Override
    public Map<UUID, Duration> leases() {
        var now = started;
        return now == null ? Map.of() : now.membership.leases();
    }

    @Override
    public boolean send(UUID node, ByteBuffer bytes) throws InterruptedException {
        var now = started();
        return now.membership.serves() && now.mesh.send(node, MESSAGE, bytes);
    }

    private Membership requireServing() {
        var membership = started().membership;
        if (!membership.serves()) {
            membership.requireLease();
            throw new NotServedException(
                    "this node has no lease: it does not reach its database, or has left");
        }
        return membership;
    }

    @Override
    public Optional<Rows> rows() {
        return Optional.of(new Rows(started().membership.database(), settings.cluster));
    }

    @Override
    public byte @Nullable [] get(String table, String key) {
        requireServing();
        return copies.get(table, key);
    }

    @Override
    public Map<String, byte[]> all(String table) {
        requireServing();
        return copies.all(table);
    }

    @Override
    public NotUnderstood notUnderstood() {
        return notUnderstood;
    }

    // ---- Changes. ----

    @Override
    public List<Outcome> change(List<Change> wanted) {
        var membership = requireServing();
        List<Outcome> outcomes;
        changeLock.lock();
        try {
            outcomes = changeNow(started(), wanted);
        } finally {
            changeLock.unlock();
        }
        membership.requireLease(); // the end of a period is told before an outcome that came after it
        return outcomes;
    }

    /** Makes changes, in one transaction. */
    private List<Outcome> changeNow(Started now, List<Change> wanted) {
        try {
            if (!now.membership.serves()) { // this node was closed while it waited for the lock
                throw noMember();
            }
            var session = changes;
            if (session == null) {
                session = settings.database.connect(settings.cluster, settings.lease);
                changes = session;
            }
            // The server first: what this node has found out about it is known then.
            var server = copies.server();
            if (!now.membership.mayChange()) { // asked last: this node may have found meanwhile that the database has lost changes
                return Collections.nCopies(wanted.size(), Outcome.REFUSED);
            }
            var outcomes = new ArrayList<Outcome>();
            for (var result : session.change(now.self, server, wanted)
                    .orElseThrow(DatabaseEngine::noMember)) {
                outcomes.add(result.isDone() ? Outcome.DONE : Outcome.REFUSED);
                now.membership.see(result.now(), server);
                if (result.isDone()) {
                    now.mesh.tellAll(ENTRY, bytes(result.now(), server));
                }
            }
            return outcomes;
        } catch (NotServedException over) {
            now.membership.look();
            throw over;
        } catch (SQLException | RuntimeException failed) {
            LOGGER.debug("The outcome of {} changes is unknown", wanted.size(), failed);
            closeChanges();
            now.membership.look();
            return Collections.nCopies(wanted.size(), Outcome.UNKNOWN);
        }
    }

    private static NotServedException noMember() {
        return new NotServedException(
                "this node is no member any more: others have found it lost, or it is closed");
    }

    private void closeChanges() {
        var session = changes;
        changes = null;
        if (session != null) {
            session.close();
        }
    }

    // ---- The end. ----

    @Override
    public boolean leave(Duration deadline) {
        var now = started;
        startLock.lock();
        try {
            if (isOver || now == null) {
                return false;
            }
        } finally {
            startLock.unlock();
        }
        var isHeard = now.membership.leave(deadline);
        if (isHeard) {
            close();
        }
        return isHeard;
    }

    @Override
    public void close() {
        startLock.lock();
        try {
            isOver = true;
        } finally {
            startLock.unlock();
        }
        var now = started;
        if (now == null) {
            return;
        }
        now.membership.close();
        now.mesh.close();
        var session = changes;
        if (session != null) {
            session.abort();
        }
        changeLock.lock();
        try {
            closeChanges();
        } finally {
            changeLock.unlock();
        }
    }

    @Override
    public String toString() {
        return "DatabaseEngine[" + settings + "]";
    }
}
