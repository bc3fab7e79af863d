package io.fibry;

import java.util.List;

/** Thrown if an actor would wait for itself, directly or through other actors. The message shows the whole cycle. */
public final class AskCycleException extends ActorException {
    private static final long serialVersionUID = 1L;

    /** The names of the actors that wait for each other. */
    private final String[] actors;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public AskCycleException(String message) {
        this(message, List.of());
    }

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     * @param actors the names of the actors that wait for each other
     */
    public AskCycleException(String message, List<String> actors) {
        super(message);
        this.actors = actors.toArray(String[]::new);
    }

    /**
     * Returns the names of the actors that wait for each other.
     *
     * @return the names, in no particular order; empty if they are not known
     */
    public List<String> actors() {
        return List.of(actors);
    }
}
