package io.fibry.cluster.engine;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Hears of changes. One thread at a time calls {@link #viewChanged}, and one for each sender {@link #received}. */
public interface EngineListener {
    /**
     * An engine may ask this before it joins, for each other node. If this throws a {@link io.fibry.cluster.ClusterException},
     * the engine removes that node if it is lost, and asks again. Else this one does not join.
     *
     * @param other the other node
     */
    default void requireLike(ClusterEngine.NodeInfo other) {
    }

    /**
     * The members have changed, or whether they are the majority. A node that was missing from a view with the
     * majority first sees itself alone.
     *
     * @param view the new view
     * @param left the nodes that have said goodbye; all other nodes that are missing were lost
     */
    void viewChanged(ClusterEngine.View view, Set<UUID> left);

    /**
     * Asked when a view without the majority was told. An engine tells no view with the majority before that is
     * complete: so what was served in a period of service has ended before the next one begins.
     *
     * @return completes when all that was served has ended; complete if nothing needs to end
     */
    default CompletionStage<?> ended() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Bytes have come. Runs on a thread of the engine: it must neither wait nor decode what the bytes carry.
     *
     * @param from incarnation of the sender
     * @param bytes what was sent; the engine neither uses nor changes them any more
     */
    void received(UUID from, ByteBuffer bytes);

    /**
     * An entry has changed, also if this node has changed it. May be late, and may be told once for several changes.
     *
     * @param table name of the table
     * @param key key of the entry
     * @param value new value, or null if the entry was removed
     */
    void entryChanged(String table, String key, byte @Nullable [] value);
}
