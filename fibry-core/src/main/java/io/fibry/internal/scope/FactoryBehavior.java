package io.fibry.internal.scope;

import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Behavior.Disposal;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.NoMessage;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor whose handler comes from a factory. The factory makes another handler when the actor is
 * restarted. Only the turn uses this object.
 */
final class FactoryBehavior implements Behavior {
    /** The user's factory. */
    interface Factory {
        @Nullable Object make(Turn turn) throws Exception;

        /** Returns the behavior of a handler that replaces those of this factory; null if it is of another kind. */
        @Nullable Behavior replacement(Object handler);
    }

    private final Factory factory;
    /** Makes the engine's behavior from the user's handler. */
    private final Function<Object, Behavior> adapter;
    private final Class<?> factoryClass;
    private @Nullable Behavior made;
    private @Nullable AutoCloseable closeable;
    private boolean closesAtExit;

    FactoryBehavior(Factory factory, Function<Object, Behavior> adapter, Class<?> factoryClass) {
        this.factory = factory;
        this.adapter = adapter;
        this.factoryClass = factoryClass;
    }

    @Override
    public Class<?> handlerClass() {
        return factoryClass;
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        return ready(turn).handle(turn, message);
    }

    @Override
    public Behavior ready(Turn turn) throws Exception {
        var current = made;
        if (current == null) { // the start has failed and the policy is to resume, or the handler was abandoned
            begin(turn);
            current = Objects.requireNonNull(made);
        }
        return current;
    }

    @Override
    public boolean become(@Nullable Object handler) {
        var first = made instanceof Replacement mine ? mine.first : made;
        var next = handler == null || first == null ? null : factory.replacement(handler);
        if (first == null || (handler != null && next == null)) {
            return false;
        }
        made = next == null ? first : new Replacement(first, next);
        return true;
    }

    /**
     * The behavior of a handler that has replaced the one from the factory. The handler from the factory is closed
     * as if it had not been replaced.
     */
    private record Replacement(Behavior first, Behavior now) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return now.handle(turn, message);
        }
    }

    @Override
    public @Nullable AutoCloseable abandon() {
        made = null;
        var mine = closeable;
        closeable = null;
        return mine;
    }

    @Override
    public @Nullable Signal begin(Turn turn) throws Exception {
        var handler = Objects.requireNonNull(make(turn), "the handler that a factory makes");
        made = adapter.apply(handler);
        if (handler instanceof AutoCloseable mine) {
            closeable = mine;
            if (!closesAtExit) {
                closesAtExit = true;
                turn.addExitHook(new Disposal(this));
            }
        }
        return null;
    }

    private @Nullable Object make(Turn turn) throws Exception {
        var around = NoMessage.begin(turn);
        try {
            return factory.make(turn);
        } finally {
            NoMessage.end(turn, around);
        }
    }

    @Override
    public void dispose() throws Exception {
        made = null;
        var mine = closeable;
        closeable = null;
        if (mine != null) {
            mine.close();
        }
    }
}
