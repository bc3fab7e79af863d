package io.fibry.cluster;

import io.fibry.durable.CommitOptions;
import io.fibry.durable.DurableStore;
import java.time.Duration;

/**
 * Keeps durable actors in the memory of the nodes of a cluster. The newest state of each key is on every node, and a turn is acknowledged when
 * all nodes of the view have it. It survives the loss of nodes, as long as a majority is left, and ends with the cluster: when all nodes have ended, all is gone.
 *
 * <p>For this class the module {@code fibry-durable} must be there.
 */
public final class ClusterStore {
    private ClusterStore() {
    }

    /**
     * Returns a store in the memory of a cluster, which is closed with the scope of the cluster. All nodes have one and the same, and a node may
     * ask for it twice. Alone it is a store in the memory of this process.
     *
     * <p>No past is kept: {@code Durable.keepHistory} has no effect. A turn has at most 1 MiB, with the snapshot that is written with it, and all nodes need memory for all keys. With {@code Durable.stateOnly} a state is both, so it
     * has at most half of that. Of each key the newest 1,000 messages that it has
     * handled are known when they come again. A key that was deleted leaves about a hundred bytes, when these are forgotten. A node that does not see the majority neither reads nor writes: asks fail with the reason.
     *
     * <p>A node that is frozen holds up all turns until the others have found it lost, after five seconds. Give {@code options} a longer limit than that, or let
     * asks whose turns fail meanwhile be sent again.
     *
     * @param cluster this node's part in the cluster
     * @param options how the store commits; without effect alone
     * @return the store
     */
    public static DurableStore of(Cluster cluster, CommitOptions options) {
        return switch (cluster) {
            case JoinedCluster joined -> joined.closing(DurableStore.of(
                    new TableJournal(joined.engine(), joined.inner(), inTime(options.limit())), options));
            case LoneCluster lone ->
                lone.closing(lone.one(DurableStore.class, DurableStore::inMemory).another());
            default -> throw new IllegalArgumentException(
                    "not a cluster that Cluster.open has returned: " + cluster);
        };
    }

    /** A change whose outcome is not known is to fail alone, before the time of the turns that are committed with it is over. */
    private static Duration inTime(Duration limit) {
        return limit.minus(limit.dividedBy(5));
    }
}
