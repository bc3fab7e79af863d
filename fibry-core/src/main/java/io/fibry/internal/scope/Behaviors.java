package io.fibry.internal.scope;

import io.fibry.ReceivingContext;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.HandlerFactory;
import io.fibry.function.ReceivingBody;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyBody;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.ReplyHandlerFactory;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Receiving;
import io.fibry.internal.actor.ReceivingReplies;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
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

    static Behavior receivingReplying(ReceivingReplyHandler<?, ?> handler) {
        return new ReceivingAsks(
                (ReceivingReplyHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    /** Returns the behavior of an actor whose body takes all its messages. */
    static Behavior body(ReceivingBody<?> body, boolean receives, @Nullable Carried carried) {
        return new BodyBehavior(body, receives, carried, List.of());
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
                context.inbox().end(turn, Optional.of(failure));
                throw failure;
            }
            context.inbox().end(turn, Optional.empty());
            return null;
        }
    }

    private record ReceivingAsks(
            ReceivingReplyHandler<Object, @Nullable Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            var receiving = Receiving.inside(turn);
            Object result;
            try {
                result = handler.handle(ReceivingReplies.of(receiving), message);
            } catch (Throwable failure) {
                receiving.inbox().end(turn, Optional.of(failure));
                throw failure;
            }
            receiving.inbox().end(turn, Optional.empty());
            return result;
        }
    }

    /** The body of an actor that answers, for the engine, which knows one kind of bodies. */
    record AnsweringBody(ReceivingReplyBody<Object, @Nullable Object> body) implements ReceivingBody<Object> {
        @Override
        public void run(ReceivingContext<Object> context) throws Exception {
            body.run(ReceivingReplies.of((Receiving<Object>) context));
        }
    }

    static <M> ReceivingBody<M> answering(ReceivingReplyBody<?, ?> body) {
        var mine = (ReceivingReplyBody<Object, @Nullable Object>) Objects.requireNonNull(body, "body");
        return (ReceivingBody<M>) new AnsweringBody(mine);
    }
}
