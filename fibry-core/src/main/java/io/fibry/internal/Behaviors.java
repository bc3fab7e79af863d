package io.fibry.internal;

import io.fibry.ActorException;
import io.fibry.ContextHandler;
import io.fibry.ContextReplyHandler;
import io.fibry.Handler;
import io.fibry.ReceivingBody;
import io.fibry.ReceivingHandler;
import io.fibry.ReplyHandler;
import io.fibry.StateHandler;
import io.fibry.StateReplyHandler;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes behaviours of the handlers that users write. The types were checked when the actor was made. */
@SuppressWarnings("unchecked")
final class Behaviors {
    private Behaviors() {
    }

    static Behavior consumer(Consumer<?> handler) {
        return new Accepting((Consumer<Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior handler(Handler<?> handler) {
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
        return new Contextual((ContextHandler<Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior contextReplying(ContextReplyHandler<?, ?> handler) {
        return new ContextReplying(
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

    /** For an actor whose messages are all taken by its body. */
    static Behavior body(ReceivingBody<?> body) {
        return new InBody(body);
    }

    private record Accepting(Consumer<Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.accept(message);
            return null;
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record Handling(Handler<Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(message);
            return null;
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record Applying(Function<Object, @Nullable Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.apply(message);
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record Replying(ReplyHandler<Object, @Nullable Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(message);
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record Contextual(ContextHandler<Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell), message);
            return null;
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record ContextReplying(
            ContextReplyHandler<Object, @Nullable Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(Context.of(turn.cell), message);
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record ReceivingMessages(ReceivingHandler<Object> handler) implements Behavior {
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

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record Stateful<S>(State<S> state, StateHandler<S, Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(state.value(), message);
            return null;
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record StatefulReplying<S>(State<S> state,
            StateReplyHandler<S, Object, @Nullable Object> handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler.handle(state.value(), message);
        }

        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }
    }

    private record InBody(ReceivingBody<?> body) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            throw new ActorException("actor '" + turn.cell.name() + "' handles messages in its body only");
        }

        @Override
        public Class<?> handlerClass() {
            return body.getClass();
        }
    }

    /** An actor's own state: made inside the actor, by the first message that needs it. */
    private static final class State<S> {
        private final Supplier<? extends S> initial;
        private @Nullable S value;

        State(Supplier<? extends S> initial) {
            this.initial = initial;
        }

        S value() {
            var made = value;
            if (made == null) {
                made = Objects.requireNonNull(initial.get(), "the actor's initial state");
                value = made;
            }
            return made;
        }
    }
}
