package io.fibry.cluster.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster is built on: membership that knows a majority, small tables that are changed by compare-and-set, and bytes to a node.
 *
 * <p>Thread-safe. What a thread does before {@link #send} or {@link #change} happens-before another node's listener is told.
 */
public interface ClusterEngine extends AutoCloseable {
    /**
     * Joins. Returns when this node is in the view and its tables hold all entries. The listener is called from then on, one
     * call at a time of each kind; the view is told before this method returns. An engine that could not join is closed.
     *
     * @param self this node
     * @param listener what is told of changes
     * @return the view
     * @throws Exception if this node could not join
     */
    View start(NodeInfo self, EngineListener listener) throws Exception;

    /**
     * Returns the newest view that this node has seen.
     *
     * @return the newest view
     */
    View view();

    /**
     * Tells whether this node may begin something now. Called before each message of a shared actor. A view may be told late; this is not.
     *
     * @return false if this node sees no majority, or has no right to serve any more
     */
    default boolean serves() {
        return view().majority();
    }

    /**
     * Tells how long each node of the view may still be silent before it is lost, as far as this node knows. An
     * engine whose nodes have leases knows that.
     *
     * @return what is left of each lease; empty if there are none
     */
    default Map<UUID, Duration> leases() {
        return Map.of();
    }

    /**
     * Sends bytes to a node of the view. They arrive in the order in which they were sent. May wait for room.
     *
     * @param node incarnation of the node
     * @param bytes what is sent; its position does not change
     * @return false if the node is not in the view and nothing was sent; true if the bytes are on their way, which is no more than that
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean send(UUID node, ByteBuffer bytes) throws InterruptedException;

    /**
     * Changes entries, one after the other, each of them if it has the value that is expected. No two changes may propose equal values, so a
     * value needs something of its own. When the outcome is unknown, the change may still take effect until another one does.
     *
     * @param changes the changes
     * @return what became of each of them
     * @throws NotServedException if this node does not see the majority; nothing was changed
     */
    List<Outcome> change(List<Change> changes);

    /**
     * Where entries are rows of a database.
     *
     * @param database the id that its table {@code fibry_cluster_schema} has
     * @param cluster what the rows have as the name of their cluster
     */
    record Rows(String database, String cluster) {
    }

    /**
     * Tells where entries are rows of a database, in the table {@code fibry_cluster_entries}. A store in the same
     * database commits what a home has written in one transaction with the row of that home.
     *
     * @return where they are; empty if the entries are elsewhere
     */
    default Optional<Rows> rows() {
        return Optional.empty();
    }

    /**
     * Reads an entry of this node's copy. It may be a moment old: to be sure, change the entry.
     *
     * @param table name of the table
     * @param key key of the entry
     * @return the value, or null if there is none
     * @throws NotServedException if this node does not see the majority. An engine may also throw it for a moment
     *     after others have left, though the newest view has the majority
     */
    byte @Nullable [] get(String table, String key);

    /**
     * Reads all entries of a table, as {@link #get} does.
     *
     * @param table name of the table
     * @return the entries
     * @throws NotServedException if this node does not see the majority
     */
    Map<String, byte[]> all(String table);

    /**
     * Returns where this engine counts what it does not understand. The cluster counts messages there that the engine cannot check.
     *
     * @return the same object each time
     */
    NotUnderstood notUnderstood();

    /**
     * Says goodbye: others learn that this node has left and was not lost. Waits until the entries are elsewhere, or
     * until the deadline. The engine is closed when this returns true.
     *
     * @param deadline how long it may take
     * @return whether all others know
     */
    boolean leave(Duration deadline);

    /** Ends at once, without goodbye. Does nothing the second time. */
    @Override
    void close();

    /**
     * A change of an entry, if it has the expected value.
     *
     * @param table name of the table
     * @param key key of the entry
     * @param expected value that is there; null is an absent entry
     * @param next new value; null removes the entry
     */
    record Change(String table, String key, byte @Nullable [] expected, byte @Nullable [] next) {
        /** Checks the values. */
        public Change {
            if (expected == null && next == null) {
                throw new IllegalArgumentException(
                        "an absent entry cannot be removed: expected and next are both null");
            }
        }
    }

    /** What became of a change. */
    enum Outcome {
        /** It was made, and the majority has it. */
        DONE,
        /** It was not made, and will not be. */
        REFUSED,
        /** It may have been made, or be made later. */
        UNKNOWN
    }

    /**
     * A node.
     *
     * @param incarnation a number of its own for each start of a process
     * @param description what the cluster tells about the node
     */
    record NodeInfo(UUID incarnation, byte[] description) {}

    /**
     * The members of the cluster, as this node sees them.
     *
     * @param number of two views with a majority the later one has the higher number, on all nodes
     * @param members the oldest one first
     * @param majority false if this node does not see the majority, and so serves nothing
     */
    record View(long number, List<NodeInfo> members, boolean majority) {}
}
