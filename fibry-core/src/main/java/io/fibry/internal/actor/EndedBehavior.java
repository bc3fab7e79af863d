package io.fibry.internal.actor;

import io.fibry.ActorException;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor that has stopped, which does nothing. It replaces the actor's own behavior: a
 * reference to the handle would otherwise keep that alive with all that the user's handler refers to.
 */
enum EndedBehavior implements Behavior {
    HANDLER, BODY;

    static Behavior of(Behavior before) {
        return before.isBody() ? BODY : HANDLER;
    }

    @Override
    public boolean isBody() {
        return this == BODY;
    }

    /** Returns true: that the actor has stopped matters more than whether it had a state. */
    @Override
    public boolean hasState() {
        return true;
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) {
        throw new ActorException("actor '" + turn.cell.name() + "' has stopped");
    }
}
