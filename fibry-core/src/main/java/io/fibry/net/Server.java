package io.fibry.net;

import io.fibry.ActorInterruptedException;
import io.fibry.StopReport;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A server that listens on a port until it is stopped. It lives in the scope of the builder with which it was made, and
 * is stopped with that scope. Servers are thread-safe.
 */
public interface Server extends AutoCloseable {
    /**
     * Returns the port on which the server listens. If the options have the port 0, this is the port that was chosen.
     *
     * @return the port, which stays the same after the stop
     */
    default int port() {
        return address().getPort();
    }

    /**
     * Returns the address on which the server listens.
     *
     * @return the address, which stays the same after the stop
     */
    InetSocketAddress address();

    /**
     * Returns how many connections are open now.
     *
     * @return the number
     */
    int connections();

    /**
     * Stops the server gracefully. It accepts no new connections. The open connections may finish until {@code
     * deadline}; those that are left are then closed, and their workers are interrupted. The method waits for all this.
     * If a connection of the server calls it from inside, the method does not wait for this connection.
     *
     * @param deadline how long open connections may take
     * @return a report on the stop, with the counters of the actors of the connections
     */
    StopReport stop(Duration deadline);

    /** Stops the server by force: closes everything now, and waits until it is closed. */
    @Override
    void close();

    /**
     * Waits until the server has stopped.
     *
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    void waitForExit();

    /**
     * Waits until the server has stopped, up to a time limit.
     *
     * @param timeout how long to wait
     * @return true if the server has stopped
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    boolean waitForExit(Duration timeout);
}
