package io.fibry;

/** The failure of a parent whose child could not go on and has stopped. Its cause is what the child threw. */
public final class EscalatedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /** The child's name. */
    private final String child;

    /**
     * Makes the exception.
     *
     * @param child the name of the child that has stopped
     * @param cause what it failed with
     */
    public EscalatedException(String child, Throwable cause) {
        super("child '" + child + "' has failed and stopped", cause);
        this.child = child;
    }

    /**
     * The actor that failed first.
     *
     * @return its name
     */
    public String child() {
        return child;
    }
}
