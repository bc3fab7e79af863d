package io.fibry.cluster;

/** Thrown if a node was lost before it answered: its handler may have seen the message, or not. */
public final class UncertainException extends ClusterException {
    private static final long serialVersionUID = 1L;

    /** The node that was lost. */
    private final ClusterNode node;

    /**
     * Makes the exception.
     *
     * @param message what happened, where, and what to do
     * @param node the node that was lost
     */
    public UncertainException(String message, ClusterNode node) {
        super(message);
        this.node = node;
    }

    /**
     * Returns the node that was lost.
     *
     * @return the node
     */
    public ClusterNode node() {
        return node;
    }
}
