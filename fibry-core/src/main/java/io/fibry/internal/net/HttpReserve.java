package io.fibry.internal.net;

import io.fibry.internal.log.Logs;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;

/**
 * Sockets that are kept for the time when the process may open no more files. The JDK's engine then tries again and
 * again to accept the clients that wait. This takes a whole processor, and nothing from outside can make the engine
 * pause. So the sweep checks whether a socket can be opened. If not, the server gives up the reserve: the engine
 * accepts the clients that wait and stops trying. Their connections are closed after their answers, until there are
 * sockets for the reserve again.
 *
 * <p>The lock keeps the sweep and the end of the server apart.
 */
final class HttpReserve {
    static final int SOCKETS = 16;
    private static final Logger LOG = Logs.of("io.fibry.net.http");

    private final String server;
    /** Guards the sockets in reserve and {@link #closed}. */
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Channel> held = new ArrayList<>();
    private boolean closed;
    /** Written under the lock; an answer that misses it keeps its connection once more. */
    private volatile boolean spent;

    HttpReserve(String server) {
        this.server = server;
        spent = !fill();
    }

    /** Returns whether the process is so short of files that connections must not be kept. */
    boolean isSpent() {
        return spent;
    }

    /** Gives the reserve up if it is needed, or fills it again if that is possible. */
    void look() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (spent) {
                spent = !fill();
            } else if (!canOpen()) {
                spent = true;
                release();
                LOG.warn(
                        "{}: this process may open no more files; the server gives up its reserve of {} and closes"
                                + " connections after their answers. Allow for more files (ulimit -n), or look who keeps them open",
                        server, SOCKETS);
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            release();
        } finally {
            lock.unlock();
        }
    }

    private static boolean canOpen() {
        try {
            SocketChannel.open().close();
            return true;
        } catch (IOException none) {
            return false;
        }
    }

    /**
     * Opens all sockets of the reserve. Returns false, and keeps none, if this fails or if not one more socket could
     * be opened.
     */
    private boolean fill() {
        try {
            while (held.size() < SOCKETS) {
                held.add(SocketChannel.open());
            }
            if (canOpen()) {
                return true;
            }
        } catch (IOException none) {
            LOG.debug("{}: no reserve of files: {}", server, none.toString());
        }
        release();
        return false;
    }

    private void release() {
        for (var one : held) {
            try {
                one.close();
            } catch (IOException e) {
                LOG.debug("{}: closing a socket of the reserve: {}", server, e.toString());
            }
        }
        held.clear();
    }
}
