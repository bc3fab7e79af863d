package io.fibry;

/** The failure of a parent whose child could not go on and has stopped. The cause is the exception of the child. */
public final class EscalatedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /** The child's name. */
    private final String child;

    /**
     * Makes the exception.
     *
     * @param child the name of the child that has stopped
     * @param cause the exception of the child
     */
    public EscalatedException(String child, Throwable cause) {
        super("child '" + child + "' has failed and stopped", cause);
        this.child = child;
    }

    /**
     * Returns the name of the child that has stopped.
     *
     * @return the name
     */
    public String child() {
        return child;
    }
}
