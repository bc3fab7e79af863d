package io.fibry.work;

import io.fibry.Actor;
import io.fibry.StatefulActor;
import java.util.IdentityHashMap;

/** The actors that are held for the code of a {@link Holding}. Only this code may use it, and only while it runs. */
public final class Held {
    private final IdentityHashMap<Actor<?, ?>, Object> states;

    Held(int actors) {
        states = new IdentityHashMap<>(actors);
    }

    void add(Actor<?, ?> actor, Object state) {
        states.put(actor, state);
    }

    /**
     * Returns the state of an actor that is held.
     *
     * @param <S> type of the state
     * @param actor the actor
     * @return the state, as its next message finds it
     * @throws IllegalArgumentException if the actor is not held, or has no state
     */
    @SuppressWarnings("unchecked") // the actor has given it
    public <S> S state(StatefulActor<S, ?, ?> actor) {
        var state = states.get(actor);
        if (state == null) {
            throw new IllegalArgumentException("actor '" + actor.name()
                    + "' is not held here, or has no state: name it in Holding.of, and make it with state(…)");
        }
        return (S) state;
    }
}
