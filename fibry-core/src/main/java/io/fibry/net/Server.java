package io.fibry.net;

import io.fibry.ActorInterruptedException;
import io.fibry.StopReport;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Something that listens on a port until it is stopped. It lives in the scope of the builder it was made with
 * and is stopped with that scope. Thread-safe.
 */
public interface Server extends AutoCloseable {
    /**
     * The port it listens on: the one that was free, if any would do.
     *
     * @return the port; it stays the same after the stop
     */
    default int port() {
        return address().getPort();
    }

    /**
     * The address it listens on.
     *
     * @return the address; it stays the same after the stop
     */
    InetSocketAddress address();

    /**
     * How many connections are open now.
     *
     * @return the number
     */
    int connections();

    /**
     * Stops gracefully: no new connections; those that are open may finish until {@code deadline}; what is
     * left is then closed, and its workers are interrupted. Waits for all that. Called from inside one of its own
     * connections, it does not wait for that one.
     *
     * @param deadline how long open connections may take
     * @return how it went; its counters are those of the connections' actors
     */
    StopReport stop(Duration deadline);

    /** Stops by force: closes everything now, and waits until it is closed. */
    @Override
    void close();

    /**
     * Waits until it has stopped.
     *
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    void waitForExit();

    /**
     * Waits until it has stopped.
     *
     * @param timeout how long to wait
     * @return true if it has stopped
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    boolean waitForExit(Duration timeout);
}
