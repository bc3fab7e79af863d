package io.fibry.cluster.database;

import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.internal.memory.Interleave;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections between nodes. Each node opens one to each other node, and alone sends on it, in order. Thread-safe.
 */
final class Mesh implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Mesh.class);
    private static final int HELLO_MILLIS = 2_000;
    private static final int ASK_MILLIS = 500;
    /** Connections that have not said who they are. If there are so many, those that take too long are closed for others. */
    private static final int MOST_STRANGERS = 64;
    private static final long STRANGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * HELLO_MILLIS);
    private static final int LARGEST = 64 << 20;
    /** Below the ports that systems give to outgoing connections. */
    private static final int FIRST_PORT = 10_000;
    private static final int LAST_PORT = 32_000;
    private static final int PORT_TRIES = 100;
    private static final int ASK_TRIES = 25;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final UUID self;
    private final Listener listener;
    private final NotUnderstood notUnderstood;
    /** Empty if nodes speak plain text. */
    private final Optional<NodeTls> tls;
    private final long patience;
    private final ServerSocket server;
    private final ThreadFactory threads;
    private final Thread acceptor;
    /** Threads that write frames of {@link NodeLink#offer}, and that ask who is there: as many as wait for a peer. */
    private final ExecutorService writers;
    /** Since when each stranger is there. The acceptor adds, so there are never more than it permits. */
    private final Map<Socket, Long> strangers = new ConcurrentHashMap<>();
    private final Map<UUID, NodeLink> links = new ConcurrentHashMap<>();
    private final Map<UUID, Incoming> incoming = new ConcurrentHashMap<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    /** The nodes that are being asked whether they are there, and for each whether somebody wants to know it once more. */
    private final Map<UUID, Boolean> asked = new ConcurrentHashMap<>();
    /** Guards the members, for readers that wait until their node is one. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition newMembers = lock.newCondition();
    private Map<UUID, NodeAddress> members = Map.of();
    /** Set once, by the thread that closes; one that misses it fails at a closed socket. */
    private volatile boolean isClosed;

    /** What a mesh tells. */
    interface Listener {
        /** A frame has come; its bytes are the listener's. Called by one thread at a time for each sender. */
        void received(UUID from, byte kind, ByteBuffer body);

        /** A node that is no member yet has opened a connection. */
        void strange(UUID node);

        /** A connection of a node or to a node has ended, or could not be made. */
        void suspect(UUID node);
    }

    /** The connection that a node has opened. */
    private record Incoming(Socket socket, CountDownLatch end) {
    }

    /** What is known about a process behind an address. */
    enum Presence {
        THERE, GONE, UNKNOWN
    }

    /**
     * Listens. Nothing is taken before {@link #begin}.
     *
     * @param patience how many nanoseconds a connection of a node waits until the node is a member
     */
    Mesh(UUID self, String host, int port, Optional<NodeTls> tls, long patience, Listener listener,
            NotUnderstood notUnderstood) throws IOException {
        this.self = self;
        this.tls = tls;
        this.listener = listener;
        this.notUnderstood = notUnderstood;
        this.patience = patience;
        server = listen(InetAddress.getByName(host), port);
        threads = Thread.ofPlatform().daemon().name("fibry-cluster-mesh-", 0).factory();
        acceptor = threads.newThread(this::accept);
        writers = Executors.newCachedThreadPool(threads);
    }

    private static ServerSocket listen(InetAddress host, int port) throws IOException {
        for (int i = 1; port == 0 && i <= PORT_TRIES; i++) {
            try {
                return new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT), 256,
                        host);
            } catch (BindException taken) {
                // Another one will do.
            }
        }
        try {
            return new ServerSocket(port, 256, host);
        } catch (BindException taken) {
            throw new IOException("the port " + port + " of " + host.getHostAddress() + " cannot be had ("
                    + taken.getMessage()
                    + "): give another one, or 0 for one that is free", taken);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    void begin() {
        acceptor.start();
    }

    static void close(Closeable what) {
        try {
            what.close();
        } catch (IOException failed) {
            LOGGER.debug("{} could not be closed", what, failed);
        }
    }

    // ---- What comes in. ----

    private void accept() {
        while (!isClosed) {
            Socket socket = null;
            try {
                socket = server.accept();
                sockets.add(socket);
                if (isClosed) {
                    end(socket);
                } else if (!hasRoomForStranger()) {
                    notUnderstood.add("A connection from " + socket.getRemoteSocketAddress() + " was closed: "
                            + MOST_STRANGERS
                            + " others have not said who they are");
                    end(socket);
                } else {
                    strangers.put(socket, System.nanoTime());
                    var stranger = socket;
                    threads.newThread(() -> read(stranger)).start();
                }
            } catch (IOException | RuntimeException | Error failed) {
                if (socket != null) {
                    strangers.remove(socket);
                    end(socket);
                }
                if (!isClosed) { // such as for want of descriptors or threads, of which the next one has none either
                    notUnderstood.add("A connection could not be taken: " + failed);
                    LockSupport.parkNanos(this, PAUSE_NANOS);
                }
            }
        }
    }

    private boolean hasRoomForStranger() {
        if (strangers.size() >= MOST_STRANGERS) {
            var now = System.nanoTime();
            strangers.forEach((socket, since) -> {
                if (now - since > STRANGER_NANOS) {
                    strangers.remove(socket);
                    end(socket);
                }
            });
        }
        return strangers.size() < MOST_STRANGERS;
    }

    private void end(Socket socket) {
        sockets.remove(socket);
        close(socket);
    }

    private void read(Socket socket) {
        var isStranger = true;
        try {
            socket.setSoTimeout(HELLO_MILLIS);
            socket.setTcpNoDelay(true);
            var first = new PushbackInputStream(socket.getInputStream());
            var begin = first.read();
            if (begin < 0) {
                return; // a probe, which only wants to know whether somebody listens
            }
            if (tls.isPresent() != (begin == NodeTls.FIRST_BYTE)) {
                notUnderstood.add("A process at " + socket.getRemoteSocketAddress()
                        + " was not admitted as a node: it speaks "
                        + (tls.isPresent() ? "plain text, and this node TLS"
                                : "TLS, and this node plain text"));
                return;
            }
            first.unread(begin);
            var talk = tls.isPresent() ? tls.orElseThrow().accept(socket) : socket;
            var in = new DataInputStream(
                    new BufferedInputStream(tls.isPresent() ? talk.getInputStream() : first, 64 << 10));
            var bytes = in.readNBytes(Greeting.BYTES);
            var hello = bytes.length == Greeting.BYTES ? Greeting.of(ByteBuffer.wrap(bytes)) : null;
            if (hello == null || (hello.purpose() != Greeting.TALK && hello.purpose() != Greeting.ASK)) {
                notUnderstood.add("A process at " + socket.getRemoteSocketAddress()
                        + " was not admitted as a node: it has not begun as a node of this version does");
            } else if (hello.purpose() == Greeting.ASK) {
                talk.getOutputStream().write(hello.to().equals(self) ? Greeting.IS_THERE : 0);
            } else if (hello.to().equals(self)) { // else the port was that of another incarnation
                var member = awaitMember(hello.from());
                if (member.isPresent()) {
                    if (talk instanceof SSLSocket secure) {
                        NodeTls.requireShown(secure, member.orElseThrow().certificate());
                    }
                    isStranger = false;
                    strangers.remove(socket);
                    socket.setSoTimeout(0);
                    read(hello.from(), socket, in);
                } else if (!isClosed) { // else nobody is a member for this node any more
                    notUnderstood.add("A process at " + socket.getRemoteSocketAddress()
                            + " was not admitted as a node: it is no member of the cluster");
                }
            }
        } catch (SocketTimeoutException silent) {
            notUnderstood.add("A process at " + socket.getRemoteSocketAddress()
                    + " was not admitted as a node: it has said nothing for "
                    + HELLO_MILLIS + " ms");
        } catch (SSLException | NodeTls.WrongCertificateException refused) {
            if (isStranger) {
                notUnderstood.add(
                        "A process at " + socket.getRemoteSocketAddress() + " was not admitted as a node: "
                                + refused.getMessage());
            }
        } catch (IOException ended) {
            LOGGER.debug("A connection from {} has ended", socket.getRemoteSocketAddress(), ended);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            LOGGER.error("A connection from {} was closed", socket.getRemoteSocketAddress(), failed);
        } finally {
            strangers.remove(socket);
            end(socket);
        }
    }

    private Optional<NodeAddress> awaitMember(UUID node) throws InterruptedException {
        var left = patience;
        var isTold = false;
        lock.lock();
        try {
            while (!members.containsKey(node) && !isClosed && left > 0) {
                if (!isTold) {
                    isTold = true;
                    listener.strange(node);
                }
                left = newMembers.awaitNanos(left);
            }
            return isClosed ? Optional.empty() : Optional.ofNullable(members.get(node));
        } finally {
            lock.unlock();
        }
    }

    private boolean isMember(UUID node) {
        lock.lock();
        try {
            return members.containsKey(node);
        } finally {
            lock.unlock();
        }
    }

    private void read(UUID from, Socket socket, DataInputStream in) throws IOException, InterruptedException {
        var mine = new Incoming(socket, new CountDownLatch(1));
        assert Interleave.here();
        var before = incoming.put(from, mine);
        try {
            if (before != null) { // what it has sent comes first
                close(before.socket);
                before.end.await();
            }
            if (!isMember(from)) { // keep() changes the members, then looks for connections: so it ends this one, or this thread does
                return;
            }
            while (!isClosed) {
                var length = in.readInt();
                if (length < 1 || length > LARGEST) {
                    notUnderstood.add("The connection of a node at " + socket.getRemoteSocketAddress()
                            + " was closed: it has announced a frame of "
                            + length + " bytes");
                    return;
                }
                var kind = in.readByte();
                var body = in.readNBytes(length - 1); // takes memory for what is there
                if (body.length < length - 1) {
                    throw new EOFException("in the middle of a frame");
                }
                listener.received(from, kind, ByteBuffer.wrap(body));
            }
        } finally {
            mine.end.countDown();
            incoming.remove(from, mine);
            if (!isClosed) {
                listener.suspect(from);
            }
        }
    }

    // ---- What goes out. ----

    /** Connects this node with its peers, and with no others. */
    void keep(Map<UUID, NodeAddress> peers) {
        lock.lock();
        try {
            members = Map.copyOf(peers);
            newMembers.signalAll();
        } finally {
            lock.unlock();
        }
        links.forEach((node, link) -> {
            if (!peers.containsKey(node)) {
                links.remove(node, link);
                link.close();
            }
        });
        incoming.forEach((node, connection) -> {
            if (!peers.containsKey(node)) {
                close(connection.socket);
            }
        });
        if (!isClosed) {
            peers.forEach((node, address) -> links.computeIfAbsent(node,
                    missing -> new NodeLink(self, node, address, tls,
                            failure -> failed(node, address, failure))));
        }
    }

    private void failed(UUID node, NodeAddress address, IOException failure) {
        if (failure instanceof NodeTls.WrongCertificateException || failure instanceof SSLException) {
            notUnderstood
                    .add("A connection to the node at " + address + " was closed: " + failure.getMessage());
        }
        listener.suspect(node);
    }

    /** Whether a node has opened its connection to this one. */
    boolean hears(UUID node) {
        return incoming.containsKey(node);
    }

    boolean send(UUID node, byte kind, ByteBuffer body) throws InterruptedException {
        var link = links.get(node);
        return link != null && link.send(kind, body);
    }

    /** Sends to all peers, without a wait. */
    void tellAll(byte kind, ByteBuffer body) {
        for (var link : links.values()) {
            try {
                link.offer(kind, body, writers);
            } catch (RejectedExecutionException closed) {
                return;
            }
        }
    }

    /**
     * Finds out on another thread whether a node is behind an address; calls back if it is certainly not. A call that
     * is at work does so once more: its answer may be older than the reason for this call.
     */
    void ask(UUID node, NodeAddress address, Runnable onGone) {
        if (asked.merge(node, false, (before, first) -> true)) {
            return;
        }
        try {
            writers.execute(() -> {
                var presence = Presence.UNKNOWN;
                try {
                    do {
                        asked.put(node, false);
                        presence = presence(node, address);
                    } while (!asked.remove(node, false));
                } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                } catch (RuntimeException | Error failed) {
                    asked.remove(node);
                    throw failed;
                }
                if (presence == Presence.GONE) {
                    onGone.run();
                }
            });
        } catch (RuntimeException | Error noThread) {
            asked.remove(node);
            if (!(noThread instanceof RejectedExecutionException)) { // which says that this is closed
                throw noThread;
            }
        }
    }

    /** Tells whether a node is behind an address, if an answer or a refusal says so. A process that ends may refuse late. */
    Presence presence(UUID node, NodeAddress address) throws InterruptedException {
        for (int i = 1; i <= ASK_TRIES && !isClosed; i++) {
            try (var socket = new Socket()) {
                socket.connect(address.socketAddress(), ASK_MILLIS);
                if (socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress())) {
                    return Presence.GONE;
                }
                socket.setSoTimeout(ASK_MILLIS);
                var talk = tls.isPresent() ? tls.orElseThrow().connect(socket, address) : socket;
                talk.getOutputStream().write(Greeting.of(Greeting.ASK, self, node).array());
                var answer = talk.getInputStream().read();
                if (answer >= 0) {
                    return answer == Greeting.IS_THERE ? Presence.THERE : Presence.GONE;
                }
            } catch (ConnectException refused) { // where there is no way to the address, the exception is another one
                return Presence.GONE;
            } catch (NodeTls.WrongCertificateException other) {
                return Presence.GONE;
            } catch (SocketTimeoutException silent) {
                return Presence.UNKNOWN;
            } catch (IOException reset) {
                LOGGER.debug("{} does not tell whether it is the node {}", address, node, reset);
            }
            TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
        }
        return Presence.UNKNOWN;
    }

    @Override
    public void close() {
        isClosed = true;
        close(server);
        // The system closes the port when no thread accepts. Nodes that miss a link look at it once, so it is closed first.
        Membership.awaitEnd(acceptor);
        keep(Map.of());
        sockets.forEach(this::end);
        writers.shutdownNow();
    }
}
