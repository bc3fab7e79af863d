package io.fibry;

import java.util.Map;

/**
 * A carrier whose context can be written as text. Such context also goes with messages to other processes, where actors
 * are shared by the nodes of a cluster; what other carriers carry stays in the process.
 *
 * <p>The sender's node calls {@link #write()} on the thread of the sender. The node that handles the message calls {@link
 * #read} with the same text, and restores the result as it restores what {@link #capture()} returns. The scopes of both
 * nodes have a carrier of the same name. Both methods are called by many threads at once; they should be quick and must
 * not block. If one of them throws, this is logged once for each carrier, and the message is handled without the context.
 */
public interface TravellingCarrier extends ContextCarrier {
    /**
     * Returns the name by which another node finds its carrier for what this one has written.
     *
     * @return the name, the same on all nodes, and unlike those of the other carriers of the scope
     */
    String name();

    /**
     * Writes the context of the calling thread.
     *
     * @return the context as text; empty if the thread has none
     */
    Map<String, String> write();

    /**
     * Reads what the carrier of another node has written.
     *
     * @param written the text, or a part of it if it was too long to travel; not empty
     * @return the context
     */
    Captured read(Map<String, String> written);
}
