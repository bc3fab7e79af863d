import org.jspecify.annotations.NullMarked;

/**
 * What a cluster of actors is built on.
 *
 * <p>{@link io.fibry.cluster.engine.ClusterEngine} knows who is there, keeps small tables, and carries bytes to another node.
 */
@NullMarked
module io.fibry.cluster {
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.cluster.engine;
}
