package io.fibry.internal.scope;

import io.fibry.function.Body;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.NoMessage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of an actor. The turn makes it when it is first needed, and makes another one after a restart. A state that
 * is {@link AutoCloseable} is closed when the actor is restarted and when it stops. Only the turn uses this object.
 */
final class State<S> {
    private final Supplier<? extends S> initial;
    private @Nullable S value;
    private boolean closesAtExit;

    State(Supplier<? extends S> initial) {
        this.initial = initial;
    }

    /** Returns a holder for a behavior that no actor has. */
    static <S> State<S> ofNobody() {
        return new State<>(new Nothing<>());
    }

    private record Nothing<S>() implements Supplier<S> {
        @Override
        public S get() {
            throw new AssertionError("no actor has this state");
        }
    }

    /** Returns a holder of a state that another holder has made. */
    static <S> State<S> of(S value) {
        var holder = new State<S>(new Given<>(value));
        holder.value = value;
        return holder;
    }

    private record Given<S>(S value) implements Supplier<S> {
        @Override
        public S get() {
            return value;
        }
    }

    /** Returns the state, and makes it if there is none. */
    S value(Turn turn) {
        var made = value;
        if (made == null) {
            made = make(turn);
            if (made == null) {
                throw new NullPointerException("the initial state of actor '" + turn.cell.name()
                        + "' is null: let the function that makes it return a state");
            }
            value = made;
            if (made instanceof AutoCloseable && !closesAtExit) {
                closesAtExit = true;
                turn.addExitHook(new End(this));
            }
        }
        return made;
    }

    private @Nullable S make(Turn turn) {
        var around = NoMessage.begin(turn);
        try {
            return initial.get();
        } finally {
            NoMessage.end(turn, around);
        }
    }

    /** Returns the state; null if there is none. */
    @Nullable S ifMade() {
        return value;
    }

    /** Gives the state up. The caller closes the object that this method returns, if there is one. */
    @Nullable AutoCloseable letGo() {
        var gone = value;
        value = null;
        return gone instanceof AutoCloseable resource ? resource : null;
    }

    void close() throws Exception {
        var mine = letGo();
        if (mine != null) {
            mine.close();
        }
    }

    private record End(State<?> state) implements Body {
        @Override
        public void run() throws Exception {
            state.close();
        }
    }
}
