package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.handle.Context;
import io.fibry.internal.receive.Receiving;
import io.fibry.internal.receive.ReceivingReplies;
import io.fibry.internal.report.ShownAs;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes behaviors from the handlers that users write. The public methods that make actors have checked the types. */
@SuppressWarnings("unchecked")
public final class Behaviors {
    private static final Function<Object, Behavior> AS_HANDLER = Behaviors::asHandler;
    private static final Function<Object, Behavior> AS_REPLYING = Behaviors::asReplying;

    private Behaviors() {
    }

    public static Behavior handler(Handler<?> handler) {
        return new Handling((Handler<Object>) Objects.requireNonNull(handler, "handler"));
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
    static Behavior body(Handler<? extends ReceivingContext<?>> body, boolean receives,
            @Nullable Carried carried) {
        return new BodyBehavior(body, receives, carried);
    }

    static Behavior made(ReplyHandler<?, ?> factory) {
        var mine = (ReplyHandler<ActorContext<Object, Void>, Handler<Object>>) Objects.requireNonNull(factory,
                "factory");
        return new FactoryBehavior(
                new Making(mine), AS_HANDLER, factory.getClass());
    }

    static Behavior madeReplying(ReplyHandler<?, ?> factory) {
        var mine =
                (ReplyHandler<ActorContext<Object, @Nullable Object>, ReplyHandler<Object, @Nullable Object>>) Objects
                        .requireNonNull(factory, "factory");
        return new FactoryBehavior(new MakingReplying(mine), AS_REPLYING, factory.getClass());
    }

    private static Behavior asHandler(Object made) {
        return handler((Handler<?>) made);
    }

    private static Behavior asReplying(Object made) {
        return replying((ReplyHandler<?, ?>) made);
    }

    private record Making(ReplyHandler<ActorContext<Object, Void>, Handler<Object>> factory)
            implements
                FactoryBehavior.Factory {
        @Override
        public @Nullable Object make(Turn turn) throws Exception {
            return factory.handle((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell));
        }

        @Override
        public @Nullable Behavior replacement(Object handler) {
            return handler instanceof ContextHandler<?> mine ? contextual(mine) : null;
        }
    }

    private record MakingReplying(
            ReplyHandler<ActorContext<Object, @Nullable Object>, ReplyHandler<Object, @Nullable Object>> factory)
            implements
                FactoryBehavior.Factory {
        @Override
        public @Nullable Object make(Turn turn) throws Exception {
            return factory.handle(Context.of(turn.cell));
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
            return ShownAs.classOf(handler());
        }
    }

    private record Handling(Handler<Object> handler) implements Adapter {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler.handle(message);
            return null;
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
    record AnsweringBody(Handler<ReceivingReplyContext<Object, @Nullable Object>> body)
            implements
                Handler<ReceivingContext<Object>> {
        @Override
        public void handle(ReceivingContext<Object> context) throws Exception {
            body.handle(ReceivingReplies.of((Receiving<Object>) context));
        }
    }

    static <M> Handler<ReceivingContext<M>> answering(Handler<? extends ReceivingReplyContext<?, ?>> body) {
        var mine = (Handler<ReceivingReplyContext<Object, @Nullable Object>>) Objects.requireNonNull(body,
                "body");
        return (Handler<ReceivingContext<M>>) (Handler<?>) new AnsweringBody(mine);
    }
}
