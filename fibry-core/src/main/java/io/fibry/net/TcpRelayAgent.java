package io.fibry.net;

import io.fibry.ActorInterruptedException;
import io.fibry.StopReport;
import java.time.Duration;

/**
 * An agent that offers a service to the users of a {@link TcpRelay}, from a network into which they cannot connect. It
 * lives in the scope of the builder with which it was made, and is stopped with that scope. Agents are thread-safe.
 */
public interface TcpRelayAgent extends AutoCloseable {
    /**
     * Tells whether the agent is connected to its relay now.
     *
     * @return true if it is
     */
    boolean isConnected();

    /**
     * Returns how many users the agent serves now.
     *
     * @return the number
     */
    int connections();

    /**
     * Stops the agent gracefully. It leaves the relay, so that no new users come. The users that it serves may finish
     * until {@code deadline}; the connections that are left are then closed. The method waits for all this.
     *
     * @param deadline how long the users may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Stops the agent by force: closes everything now, and waits until it is closed. */
    @Override
    void close();

    /**
     * Waits until the agent has stopped.
     *
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    void waitForExit();

    /**
     * Waits until the agent has stopped, up to a time limit.
     *
     * @param timeout how long to wait
     * @return true if the agent has stopped
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     */
    boolean waitForExit(Duration timeout);
}
