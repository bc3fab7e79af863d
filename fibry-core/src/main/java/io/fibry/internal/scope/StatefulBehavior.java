package io.fibry.internal.scope;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.StateTask;
import io.fibry.internal.report.ShownAs;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor that handles messages with a state. Only the turn uses this object. The public methods that
 * make actors have checked the types.
 */
@SuppressWarnings("unchecked")
final class StatefulBehavior<S> implements Behavior {
    private final State<S> own;
    private Call<S> call;

    private StatefulBehavior(State<S> own, Call<S> call) {
        this.own = own;
        this.call = call;
    }

    static <S> StatefulBehavior<S> telling(State<S> state, StateHandler<S, ?> handler) {
        return new StatefulBehavior<>(state,
                new Telling<>((StateHandler<S, Object>) Objects.requireNonNull(handler, "handler")));
    }

    static <S> StatefulBehavior<S> telling(State<S> state, ContextStateHandler<S, ?> handler) {
        return new StatefulBehavior<>(state,
                new ContextTelling<>(
                        (ContextStateHandler<S, Object>) Objects.requireNonNull(handler, "handler"), null));
    }

    static <S> StatefulBehavior<S> replying(State<S> state, StateReplyHandler<S, ?, ?> handler) {
        return new StatefulBehavior<>(state, new Replying<>(
                (StateReplyHandler<S, Object, @Nullable Object>) Objects.requireNonNull(handler, "handler")));
    }

    static <S> StatefulBehavior<S> replying(State<S> state, ContextStateReplyHandler<S, ?, ?> handler) {
        return new StatefulBehavior<>(state, new ContextReplying<>(
                (ContextStateReplyHandler<S, Object, @Nullable Object>) Objects.requireNonNull(handler,
                        "handler"),
                null));
    }

    /** Returns a behavior with the same handler and another state. */
    StatefulBehavior<S> with(State<S> other) {
        return new StatefulBehavior<>(other, call);
    }

    @Override
    public Class<?> handlerClass() {
        return call.handlerClass();
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        return call.handle(turn, own.value(turn), message);
    }

    @Override
    public boolean become(@Nullable Object next) {
        var replaced = call.become(next);
        if (replaced == null) {
            return false;
        }
        call = replaced;
        return true;
    }

    @Override
    public boolean hasState() {
        return true;
    }

    @Override
    public Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) {
        return code instanceof StateTask task ? task.with(own.value(turn)) : code;
    }

    @Override
    public Behavior ready(Turn turn) {
        var value = own.value(turn);
        return with(State.of(value));
    }

    @Override
    public @Nullable Signal begin(Turn turn) {
        own.value(turn);
        return null;
    }

    /** Gives the state up. A handler that has replaced the first one may refer to that state, so the first one returns. */
    @Override
    public @Nullable AutoCloseable abandon() {
        become(null);
        return own.letGo();
    }

    @Override
    public void dispose() throws Exception {
        become(null);
        own.close();
    }

    /** The call of the user's handler. */
    private sealed interface Call<S> {
        Object handler();

        default Class<?> handlerClass() {
            return ShownAs.classOf(handler());
        }

        @Nullable Object handle(Turn turn, S state, Object message) throws Exception;

        /**
         * Returns the call of another handler, or of the first one if {@code next} is null; null if this handler cannot be
         * replaced by that one.
         */
        default @Nullable Call<S> become(@Nullable Object next) {
            return null;
        }
    }

    private record Telling<S>(StateHandler<S, Object> handler) implements Call<S> {
        @Override
        public @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            handler.handle(state, message);
            return null;
        }
    }

    private record Replying<S>(StateReplyHandler<S, Object, @Nullable Object> handler) implements Call<S> {
        @Override
        public @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            return handler.handle(state, message);
        }
    }

    /** The call of a handler with a context, or of the handler that has replaced it, which has no state. */
    private record ContextTelling<S>(ContextStateHandler<S, Object> first,
            @Nullable ContextHandler<Object> now)
            implements
                Call<S> {
        @Override
        public Object handler() {
            return now == null ? first : now;
        }

        @Override
        public @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            var context = (Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell);
            if (now == null) {
                first.handle(context, state, message);
            } else {
                now.handle(context, message);
            }
            return null;
        }

        @Override
        public @Nullable Call<S> become(@Nullable Object next) {
            return next == null || next instanceof ContextHandler<?>
                    ? new ContextTelling<>(first, (ContextHandler<Object>) next) : null;
        }
    }

    /** As {@link ContextTelling}, for a handler that answers. */
    private record ContextReplying<S>(ContextStateReplyHandler<S, Object, @Nullable Object> first,
            @Nullable ContextReplyHandler<Object, @Nullable Object> now) implements Call<S> {
        @Override
        public Object handler() {
            return now == null ? first : now;
        }

        @Override
        public @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            var context = Context.of(turn.cell);
            return now == null ? first.handle(context, state, message) : now.handle(context, message);
        }

        @Override
        public @Nullable Call<S> become(@Nullable Object next) {
            return next == null || next instanceof ContextReplyHandler<?, ?>
                    ? new ContextReplying<>(first, (ContextReplyHandler<Object, @Nullable Object>) next)
                    : null;
        }
    }
}
