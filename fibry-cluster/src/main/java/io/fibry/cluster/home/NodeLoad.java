package io.fibry.cluster.home;

/**
 * What a node tells the others about the workers, the subscribers or the slices that it has.
 *
 * @param size how many workers or subscribers there are
 * @param pending how many messages are with the workers, or wait for them; or how busy the slices are
 */
public record NodeLoad(int size, int pending) {
    /** Nothing is there. */
    public static final NodeLoad NONE = new NodeLoad(0, 0);

    /** Compares by how much each worker has to do if one message more comes; without workers it is more than with any. */
    boolean isLessThan(NodeLoad other) {
        return (pending + 1L) * other.size < (other.pending + 1L) * size;
    }

    /** Whether a worker has nothing to do. */
    boolean hasIdle() {
        return pending < size;
    }

    NodeLoad plus(int more) {
        return new NodeLoad(size, pending + more);
    }
}
