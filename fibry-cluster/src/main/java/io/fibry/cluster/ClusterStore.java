package io.fibry.cluster;

import io.fibry.durable.CommitOptions;
import io.fibry.durable.DurableStore;

/**
 * Keeps durable actors in the memory of the nodes of a cluster. The newest state of each key is on every node, and a turn is acknowledged when
 * the majority has it. It survives the loss of nodes, as long as a majority is left, and ends with the cluster: when all nodes have ended, all is gone.
 *
 * <p>For this class the module {@code fibry-durable} must be there.
 */
public final class ClusterStore {
    private ClusterStore() {
    }

    /**
     * Returns a store in the memory of a cluster, which is closed with the scope of the cluster. All nodes have one and the same. Alone it is
     * a store in the memory of this process.
     *
     * <p>No past is kept: {@code Durable.keepHistory} has no effect. A turn has at most 1 MiB, and all nodes need memory for all keys. A key that was
     * deleted leaves about a hundred bytes. A node that does not see the majority neither reads nor writes: asks fail with the reason.
     *
     * @param cluster this node's part in the cluster
     * @param options how the store commits
     * @return the store
     */
    public static DurableStore of(Cluster cluster, CommitOptions options) {
        return switch (cluster) {
            case JoinedCluster joined -> joined.closing(DurableStore.of(
                    new TableJournal(joined.engine(), joined.inner(), options.limit()), options));
            case LoneCluster lone -> lone.closing(DurableStore.inMemory());
            default -> throw new IllegalArgumentException(
                    "not a cluster that Cluster.open has returned: " + cluster);
        };
    }
}
