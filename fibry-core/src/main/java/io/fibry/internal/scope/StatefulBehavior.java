package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.ReceivingStateHandler;
import io.fibry.function.ReceivingStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Receiving;
import io.fibry.internal.actor.ReceivingReplies;
import io.fibry.internal.actor.StateTask;
import io.fibry.internal.actor.Turn;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor that handles messages with a state. Only the turn uses this object. The public methods that
 * make actors have checked the types.
 */
@SuppressWarnings("unchecked")
abstract class StatefulBehavior<S> implements Behavior {
    private final State<S> own;

    private StatefulBehavior(State<S> own) {
        this.own = own;
    }

    static <S> StatefulBehavior<S> telling(State<S> state, StateHandler<S, ?> handler) {
        return new Telling<>(state, (StateHandler<S, Object>) handler);
    }

    static <S> StatefulBehavior<S> telling(State<S> state, ContextStateHandler<S, ?> handler) {
        return new ContextTelling<>(state, (ContextStateHandler<S, Object>) handler);
    }

    static <S> StatefulBehavior<S> replying(State<S> state, StateReplyHandler<S, ?, ?> handler) {
        return new Replying<>(state, (StateReplyHandler<S, Object, @Nullable Object>) handler);
    }

    static <S> StatefulBehavior<S> replying(State<S> state, ContextStateReplyHandler<S, ?, ?> handler) {
        return new ContextReplying<>(state, (ContextStateReplyHandler<S, Object, @Nullable Object>) handler);
    }

    static <S> StatefulBehavior<S> receiving(State<S> state, ReceivingStateHandler<S, ?> handler) {
        return new ReceivingMessages<>(state, (ReceivingStateHandler<S, Object>) handler);
    }

    static <S> StatefulBehavior<S> receivingReplying(State<S> state,
            ReceivingStateReplyHandler<S, ?, ?> handler) {
        return new ReceivingAsks<>(state,
                (ReceivingStateReplyHandler<S, Object, @Nullable Object>) handler);
    }

    /** Calls the user's handler. */
    abstract @Nullable Object handle(Turn turn, S state, Object message) throws Exception;

    /** Returns a behavior with the same handler and another state. */
    abstract StatefulBehavior<S> with(State<S> other);

    @Override
    public final @Nullable Object handle(Turn turn, Object message) throws Exception {
        return handle(turn, own.value(turn), message);
    }

    @Override
    public final boolean hasState() {
        return true;
    }

    @Override
    public final Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) {
        return code instanceof StateTask task ? task.with(own.value(turn)) : code;
    }

    @Override
    public final Behavior ready(Turn turn) {
        var value = own.value(turn);
        return with(State.of(value));
    }

    @Override
    public final @Nullable Node begin(Turn turn) {
        own.value(turn);
        return null;
    }

    /** Another handler may have taken its place that has seen the state which goes: the first one comes back. */
    @Override
    public final @Nullable AutoCloseable abandon() {
        become(null);
        return own.letGo();
    }

    @Override
    public final void dispose() throws Exception {
        become(null);
        own.close();
    }

    private static final class Telling<S> extends StatefulBehavior<S> {
        private final StateHandler<S, Object> handler;

        Telling(State<S> state, StateHandler<S, Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            handler.handle(state, message);
            return null;
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new Telling<>(other, handler);
        }
    }

    private static final class Replying<S> extends StatefulBehavior<S> {
        private final StateReplyHandler<S, Object, @Nullable Object> handler;

        Replying(State<S> state, StateReplyHandler<S, Object, @Nullable Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            return handler.handle(state, message);
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new Replying<>(other, handler);
        }
    }

    private static final class ContextTelling<S> extends StatefulBehavior<S> {
        private ContextStateHandler<S, Object> handler;

        ContextTelling(State<S> state, ContextStateHandler<S, Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return (handler instanceof BecameTelling<S> became ? became.now : handler).getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            handler.handle((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell), state, message);
            return null;
        }

        @Override
        public boolean become(@Nullable Object next) {
            var first = handler instanceof BecameTelling<S> became ? became.first : handler;
            if (next != null && !(next instanceof ContextHandler<?>)) {
                return false;
            }
            handler = next instanceof ContextHandler<?> mine
                    ? new BecameTelling<>(first, (ContextHandler<Object>) mine) : first;
            return true;
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new ContextTelling<>(other, handler);
        }
    }

    private static final class ContextReplying<S> extends StatefulBehavior<S> {
        private ContextStateReplyHandler<S, Object, @Nullable Object> handler;

        ContextReplying(State<S> state, ContextStateReplyHandler<S, Object, @Nullable Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return (handler instanceof BecameReplying<S> became ? became.now : handler).getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            return handler.handle(Context.of(turn.cell), state, message);
        }

        @Override
        public boolean become(@Nullable Object next) {
            var first = handler instanceof BecameReplying<S> became ? became.first : handler;
            if (next != null && !(next instanceof ContextReplyHandler<?, ?>)) {
                return false;
            }
            handler = next instanceof ContextReplyHandler<?, ?> mine
                    ? new BecameReplying<>(first, (ContextReplyHandler<Object, @Nullable Object>) mine)
                    : first;
            return true;
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new ContextReplying<>(other, handler);
        }
    }

    private static final class ReceivingMessages<S> extends StatefulBehavior<S> {
        private final ReceivingStateHandler<S, Object> handler;

        ReceivingMessages(State<S> state, ReceivingStateHandler<S, Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            var context = Receiving.inside(turn);
            try {
                handler.handle(context, state, message);
            } catch (Throwable failure) {
                context.inbox().settle(turn, Optional.of(failure));
                throw failure;
            }
            context.inbox().settle(turn, Optional.empty());
            return null;
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new ReceivingMessages<>(other, handler);
        }
    }

    private static final class ReceivingAsks<S> extends StatefulBehavior<S> {
        private final ReceivingStateReplyHandler<S, Object, @Nullable Object> handler;

        ReceivingAsks(State<S> state, ReceivingStateReplyHandler<S, Object, @Nullable Object> handler) {
            super(state);
            this.handler = Objects.requireNonNull(handler, "handler");
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        @Nullable Object handle(Turn turn, S state, Object message) throws Exception {
            var receiving = Receiving.inside(turn);
            @Nullable Object result;
            try {
                result = handler.handle(ReceivingReplies.of(receiving), state, message);
            } catch (Throwable failure) {
                receiving.inbox().settle(turn, Optional.of(failure));
                throw failure;
            }
            receiving.inbox().settle(turn, Optional.empty());
            return result;
        }

        @Override
        StatefulBehavior<S> with(State<S> other) {
            return new ReceivingAsks<>(other, handler);
        }
    }

    /** A handler without the state in the place of one that has it. */
    private record BecameTelling<S>(ContextStateHandler<S, Object> first,
            ContextHandler<Object> now) implements ContextStateHandler<S, Object> {
        @Override
        public void handle(ActorContext<Object, Void> context, S state, Object message) throws Exception {
            now.handle(context, message);
        }
    }

    private record BecameReplying<S>(ContextStateReplyHandler<S, Object, @Nullable Object> first,
            ContextReplyHandler<Object, @Nullable Object> now)
            implements
                ContextStateReplyHandler<S, Object, @Nullable Object> {
        @Override
        public @Nullable Object handle(ActorContext<Object, @Nullable Object> context, S state,
                Object message) throws Exception {
            return now.handle(context, message);
        }
    }
}
