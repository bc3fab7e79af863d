import org.jspecify.annotations.NullMarked;

/**
 * Keyed actors that many processes share.
 *
 * <p>{@link io.fibry.cluster.Cluster} shares them. {@link io.fibry.cluster.engine.ClusterEngine} is what it is built on: the
 * membership of nodes, small tables, and bytes from node to node. The page {@code docs/cluster.md} in the source repository has more.
 */
@NullMarked
module io.fibry.cluster {
    requires transitive io.fibry;
    requires transitive io.fibry.patterns;
    requires io.fibry.codec;
    requires transitive java.sql;
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.cluster;
    exports io.fibry.cluster.database;
    exports io.fibry.cluster.engine;

    // Its records are written and read.
    opens io.fibry.cluster.circle to io.fibry.codec;
}
