package io.fibry.cluster;

import io.fibry.ActorException;

/** What a handler of a shared actor has thrown, on any node, as text: no class of another node is loaded. */
public final class RemoteException extends ActorException {
    private static final long serialVersionUID = 1L;

    /** Name of the class that was thrown. */
    private final String className;
    /** Its message. */
    private final String text;
    /** Its stack trace, as text. */
    private final String trace;

    /**
     * Makes the exception.
     *
     * @param className name of the class that was thrown
     * @param message its message
     * @param trace its stack trace
     */
    public RemoteException(String className, String message, String trace) {
        super(className + ": " + message);
        this.className = className;
        text = message;
        this.trace = trace;
    }

    String text() {
        return text;
    }

    @Override
    public String className() {
        return className;
    }

    /**
     * Returns the stack trace of the handler.
     *
     * @return the lines of the trace, or of its beginning
     */
    public String trace() {
        return trace;
    }
}
