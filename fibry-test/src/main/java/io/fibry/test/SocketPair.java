package io.fibry.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two sockets that are connected in memory: what one of them writes, the other one reads. No port is needed, and no network. Code that
 * uses a socket gets one end, while the test holds the other. {@link FakeTcpClient} does this for the workers and the
 * connections of a server.
 *
 * <pre>{@code
 * try (var pair = SocketPair.open(); var scope = ActorScope.open("test")) {
 *     scope.anonymous().newActor((Socket socket) -> serve(socket)).sendMessage(pair.server());
 *     pair.client().getOutputStream().write('?');
 *     assertEquals('!', pair.client().getInputStream().read());
 * }
 * }</pre>
 *
 * <p>Writes never wait: what is written is kept until it is read. Reads wait without a limit, until something comes, the other end
 * is closed, their own end is closed by another thread, or the thread is interrupted. Options of sockets are accepted and have no effect. Objects of this
 * class are thread-safe.
 *
 * @param client the end of the test
 * @param server the end for the code that is tested
 */
public record SocketPair(Socket client, Socket server) implements AutoCloseable {
    static final int CLIENT_PORT = 50_000;
    static final int SERVER_PORT = 80;

    /**
     * Makes two sockets that are connected.
     *
     * @return the sockets
     */
    public static SocketPair open() {
        return open(CLIENT_PORT);
    }

    static SocketPair open(int clientPort) {
        var there = new Pipe();
        var back = new Pipe();
        return new SocketPair(new End(back, there, clientPort, SERVER_PORT),
                new End(there, back, SERVER_PORT, clientPort));
    }

    /** Closes both sockets. */
    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }

    /** The bytes on their way to one end. */
    private static final class Pipe {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final Deque<byte[]> parts = new ArrayDeque<>();
        private int read;
        private boolean hasEnded;
        private boolean isBroken;

        void write(byte[] bytes, int from, int count) throws IOException {
            lock.lock();
            try {
                if (hasEnded) {
                    throw new SocketException("Socket closed");
                }
                if (isBroken) {
                    throw new SocketException("Broken pipe");
                }
                if (count > 0) {
                    var part = new byte[count];
                    System.arraycopy(bytes, from, part, 0, count);
                    parts.add(part);
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        int read(byte[] into, int from, int most) throws IOException {
            lock.lock();
            try {
                while (parts.isEmpty() && !hasEnded && !isBroken && most > 0) {
                    changed.await();
                }
                if (isBroken) {
                    throw new SocketException("Socket closed");
                }
                if (most == 0) {
                    return 0;
                }
                var part = parts.peek();
                if (part == null) {
                    return -1;
                }
                var count = Math.min(most, part.length - read);
                System.arraycopy(part, read, into, from, count);
                read += count;
                if (read == part.length) {
                    parts.remove();
                    read = 0;
                }
                return count;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SocketException("Closed by interrupt");
            } finally {
                lock.unlock();
            }
        }

        int available() {
            lock.lock();
            try {
                return parts.stream().mapToInt(part -> part.length).sum() - read;
            } finally {
                lock.unlock();
            }
        }

        /** No more is written. */
        void end() {
            lock.lock();
            try {
                hasEnded = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** No more is read. */
        void breakOff() {
            lock.lock();
            try {
                isBroken = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static final class End extends Socket {
        private final Pipe in;
        private final Pipe out;
        private final InetSocketAddress here;
        private final InetSocketAddress there;
        private volatile boolean isClosed;
        private volatile boolean isOutputShut;
        private volatile boolean isInputShut;

        End(Pipe in, Pipe out, int port, int otherPort) {
            this.in = in;
            this.out = out;
            here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            there = new InetSocketAddress(InetAddress.getLoopbackAddress(), otherPort);
        }

        private void requireOpen() throws SocketException {
            if (isClosed) {
                throw new SocketException("Socket is closed");
            }
        }

        @Override
        public InputStream getInputStream() throws IOException {
            requireOpen();
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    var one = new byte[1];
                    return in.read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                }

                @Override
                public int read(byte[] bytes, int from, int most) throws IOException {
                    return in.read(bytes, from, most);
                }

                @Override
                public int available() {
                    return in.available();
                }

                @Override
                public void close() throws IOException {
                    End.this.close();
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            requireOpen();
            return new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    write(new byte[]{(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    out.write(bytes, from, count);
                }

                @Override
                public void close() throws IOException {
                    End.this.close();
                }
            };
        }

        @Override
        public void close() throws IOException {
            isClosed = true;
            out.end();
            in.breakOff();
        }

        @Override
        public void shutdownOutput() throws IOException {
            requireOpen();
            isOutputShut = true;
            out.end();
        }

        @Override
        public void shutdownInput() throws IOException {
            requireOpen();
            isInputShut = true;
            in.end();
        }

        @Override
        public boolean isClosed() {
            return isClosed;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean isBound() {
            return true;
        }

        @Override
        public boolean isOutputShutdown() {
            return isOutputShut;
        }

        @Override
        public boolean isInputShutdown() {
            return isInputShut;
        }

        @Override
        public InetAddress getInetAddress() {
            return there.getAddress();
        }

        @Override
        public InetAddress getLocalAddress() {
            return here.getAddress();
        }

        @Override
        public int getPort() {
            return there.getPort();
        }

        @Override
        public int getLocalPort() {
            return here.getPort();
        }

        @Override
        public SocketAddress getRemoteSocketAddress() {
            return there;
        }

        @Override
        public SocketAddress getLocalSocketAddress() {
            return here;
        }

        @Override
        public void setSoTimeout(int millis) {
            // reads wait without a limit
        }

        @Override
        public void setTcpNoDelay(boolean on) {
            // nothing is delayed
        }

        @Override
        public void setKeepAlive(boolean on) {
            // there is no network
        }

        @Override
        public void setSoLinger(boolean on, int seconds) {
            // there is no network
        }

        @Override
        public String toString() {
            return "Socket[in memory, " + here.getPort() + " to " + there.getPort() + "]";
        }
    }
}
