package io.fibry.internal;

import io.fibry.ActorException;
import io.fibry.ContextHandler;
import io.fibry.ContextReplyHandler;
import io.fibry.Handler;
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
        var typed = (Consumer<Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> {
            typed.accept(message);
            return null;
        };
    }

    static Behavior handler(Handler<?> handler) {
        var typed = (Handler<Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> {
            typed.handle(message);
            return null;
        };
    }

    static Behavior function(Function<?, ?> handler) {
        var typed = (Function<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> typed.apply(message);
    }

    static Behavior replying(ReplyHandler<?, ?> handler) {
        var typed = (ReplyHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> typed.handle(message);
    }

    static Behavior contextual(ContextHandler<?> handler) {
        var typed = (ContextHandler<Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> {
            typed.handle((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell), message);
            return null;
        };
    }

    static Behavior contextReplying(ContextReplyHandler<?, ?> handler) {
        var typed =
                (ContextReplyHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> typed.handle(Context.of(turn.cell), message);
    }

    static Behavior receiving(ReceivingHandler<?> handler) {
        var typed = (ReceivingHandler<Object>) Objects.requireNonNull(handler, "handler");
        return (turn, message) -> {
            var context = Receiving.inside(turn);
            try {
                typed.handle(context, message);
            } catch (Throwable failure) {
                context.inbox().settle(turn, Optional.of(failure));
                throw failure;
            }
            context.inbox().settle(turn, Optional.empty());
            return null;
        };
    }

    static <S> Behavior stateful(Supplier<? extends S> initial, StateHandler<S, ?> handler) {
        var typed = (StateHandler<S, Object>) Objects.requireNonNull(handler, "handler");
        var state = new State<S>(initial);
        return (turn, message) -> {
            typed.handle(state.value(), message);
            return null;
        };
    }

    static <S> Behavior statefulReplying(Supplier<? extends S> initial, StateReplyHandler<S, ?, ?> handler) {
        var typed =
                (StateReplyHandler<S, Object, @Nullable Object>) Objects.requireNonNull(handler, "handler");
        var state = new State<S>(initial);
        return (turn, message) -> typed.handle(state.value(), message);
    }

    /** For an actor whose messages are all taken by its body. */
    static Behavior body() {
        return (turn, message) -> {
            throw new ActorException("actor '" + turn.cell.name() + "' handles messages in its body only");
        };
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
