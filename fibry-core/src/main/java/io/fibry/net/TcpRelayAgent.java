package io.fibry.net;

import io.fibry.ActorInterruptedException;
import io.fibry.StopReport;
import java.time.Duration;

/**
 * What offers a service to the users of a {@link TcpRelay}, from a network into which they cannot connect. It lives in the
 * scope of the builder it was made with and is stopped with that scope. Thread-safe.
 */
public interface TcpRelayAgent extends AutoCloseable {
    /**
     * Whether it is connected to its relay now.
     *
     * @return true if it is
     */
    boolean isConnected();

    /**
     * How many users it serves now.
     *
     * @return the number
     */
    int connections();

    /**
     * Stops gracefully: it leaves the relay, so that no new users come; those it serves may finish until
     * {@code deadline}; what is left is then closed. Waits for all that.
     *
     * @param deadline how long users may take
     * @return how it went
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
