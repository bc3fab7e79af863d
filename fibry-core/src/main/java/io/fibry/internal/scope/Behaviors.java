package io.fibry.internal.scope;

import io.fibry.ActorException;
import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.HandlerFactory;
import io.fibry.function.ReceivingBody;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.ReplyHandlerFactory;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BodyNode;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Receiving;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes behaviors from the handlers that users write. The public methods that make actors have checked the types. */
@SuppressWarnings("unchecked")
public final class Behaviors {
    private static final Function<Object, Behavior> AS_HANDLER = Behaviors::asHandler;
    private static final Function<Object, Behavior> AS_REPLYING = Behaviors::asReplying;

    private Behaviors() {
    }

    static Behavior consumer(Consumer<?> handler) {
        return new Accepting((Consumer<Object>) Objects.requireNonNull(handler, "handler"));
    }

    public static Behavior handler(Handler<?> handler) {
        return new Handling((Handler<Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior function(Function<?, ?> handler) {
        return new Applying((Function<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior replying(ReplyHandler<?, ?> handler) {
        return new Replying(
                (ReplyHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior contextual(ContextHandler<?> handler) {
        return new ContextBehavior.Telling(
                (ContextHandler<Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior contextReplying(ContextReplyHandler<?, ?> handler) {
        return new ContextBehavior.Answering(
                (ContextReplyHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior receiving(ReceivingHandler<?> handler) {
        return new ReceivingMessages((ReceivingHandler<Object>) Objects.requireNonNull(handler, "handler"));
    }

    static <S> Behavior stateful(Supplier<? extends S> initial, StateHandler<S, ?> handler) {
        return new Stateful<>(new State<S>(initial),
                (StateHandler<S, Object>) Objects.requireNonNull(handler, "handler"));
    }

    static <S> Behavior statefulReplying(Supplier<? extends S> initial, StateReplyHandler<S, ?, ?> handler) {
        return new StatefulReplying<>(new State<S>(initial),
                (StateReplyHandler<S, Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    /** Returns the behavior of an actor whose body takes all its messages. */
    static Behavior body(ReceivingBody<?> body, boolean receives, @Nullable Carried carried) {
        return new InBody(body, receives, carried);
    }

    static Behavior made(HandlerFactory<?> factory) {
        var mine = (HandlerFactory<Object>) Objects.requireNonNull(factory, "factory");
        return new FactoryBehavior(
                new Making(mine), AS_HANDLER, factory.getClass());
    }

    static Behavior madeReplying(ReplyHandlerFactory<?, ?> factory) {
        var mine = (ReplyHandlerFactory<Object, @Nullable Object>) Objects.requireNonNull(factory, "factory");
        return new FactoryBehavior(new MakingReplying(mine), AS_REPLYING, factory.getClass());
    }

    private static Behavior asHandler(Object made) {
        return handler((Handler<?>) made);
    }

    private static Behavior asReplying(Object made) {
        return replying((ReplyHandler<?, ?>) made);
    }

    private record Making(HandlerFactory<Object> factory) implements FactoryBehavior.Factory {
        @Override
        public @Nullable Object make(Turn turn) throws Exception {
            return factory.create((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell));
        }

        @Override
        public @Nullable Behavior replacement(Object handler) {
            return handler instanceof ContextHandler<?> mine ? contextual(mine) : null;
        }
    }

    private record MakingReplying(ReplyHandlerFactory<Object, @Nullable Object> factory)
            implements
                FactoryBehavior.Factory {
        @Override
        public @Nullable Object make(Turn turn) throws Exception {
            return factory.create(Context.of(turn.cell));
        }

        @Override
        public @Nullable Behavior replacement(Object handler) {
            return handler instanceof ContextReplyHandler<?, ?> mine ? contextReplying(mine) : null;
        }
    }

    /** Calls a user's handler and gives the engine its class. */
    private interface Adapter extends Behavior {
        Object handler();

        @Override
        default Class<?> handlerClass() {
            return handler().getClass();
        }
    }

    private record Accepting(Consumer<Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.accept(message);
            return null;
        }
    }

    private record Handling(Handler<Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(message);
            return null;
        }
    }

    private record Applying(Function<Object, @Nullable Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.apply(message);
        }
    }

    private record Replying(ReplyHandler<Object, @Nullable Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(message);
        }
    }

    private record ReceivingMessages(ReceivingHandler<Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            var context = Receiving.inside(turn);
            try {
                handler.handle(context, message);
            } catch (Throwable failure) {
                context.inbox().settle(turn, Optional.of(failure));
                throw failure;
            }
            context.inbox().settle(turn, Optional.empty());
            return null;
        }
    }

    /** An adapter of a handler that has a state. */
    private interface WithState extends Adapter {
        State<?> state();

        @Override
        default @Nullable Node begin(Turn turn) {
            state().value(turn);
            return null;
        }

        @Override
        default @Nullable AutoCloseable abandon() {
            return state().letGo();
        }

        @Override
        default void dispose() throws Exception {
            state().close();
        }
    }

    private record Stateful<S>(State<S> state, StateHandler<S, Object> handler) implements WithState {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(state.value(turn), message);
            return null;
        }

        @Override
        public Behavior ready(Turn turn) {
            var value = state.value(turn);
            return new WithValue<>(value, handler);
        }
    }

    private record StatefulReplying<S>(State<S> state,
            StateReplyHandler<S, Object, @Nullable Object> handler) implements WithState {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(state.value(turn), message);
        }

        @Override
        public Behavior ready(Turn turn) {
            var value = state.value(turn);
            return new ReplyingWithValue<>(value, handler);
        }
    }

    private record WithValue<S>(S value, StateHandler<S, Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(value, message);
            return null;
        }
    }

    private record ReplyingWithValue<S>(S value,
            StateReplyHandler<S, Object, @Nullable Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(value, message);
        }
    }

    private record InBody(ReceivingBody<?> handler, boolean receives,
            @Nullable Carried carried) implements Adapter {
        @Override
        public Node begin(Turn turn) {
            return BodyNode.again(handler, receives, carried);
        }

        @Override
        public boolean isBody() {
            return true;
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            throw new ActorException("actor '" + turn.cell.name() + "' handles messages in its body only");
        }
    }

    /**
     * The state of an actor. The turn makes it for the first message that needs it, and makes another one after a
     * restart. A state that is {@link AutoCloseable} is closed when the actor is restarted and when it stops. Only
     * the turn uses this object.
     */
    private static final class State<S> {
        private final Supplier<? extends S> initial;
        private @Nullable S value;
        private boolean closesAtExit;

        State(Supplier<? extends S> initial) {
            this.initial = initial;
        }

        S value(Turn turn) {
            var made = value;
            if (made == null) {
                made = Objects.requireNonNull(initial.get(), "the actor's initial state");
                value = made;
                if (made instanceof AutoCloseable && !closesAtExit) {
                    closesAtExit = true;
                    turn.addExitHook(new EndOfState(this));
                }
            }
            return made;
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
    }

    private record EndOfState(State<?> state) implements Body {
        @Override
        public void run() throws Exception {
            state.close();
        }
    }
}
