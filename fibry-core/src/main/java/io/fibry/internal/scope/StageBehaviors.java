package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.ContextStageHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.ContextStateStageHandler;
import io.fibry.function.StageHandler;
import io.fibry.function.StateStageHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.StageAnswer;
import io.fibry.internal.actor.Turn;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes behaviors from handlers that return a stage, whose outcome becomes that of the answer. */
@SuppressWarnings("unchecked")
final class StageBehaviors {
    private StageBehaviors() {
    }

    static Behavior plain(StageHandler<?, ?> handler) {
        return new Plain((StageHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    static Behavior contextual(ContextStageHandler<?, ?> handler) {
        return new Contextual(
                (ContextStageHandler<Object, @Nullable Object>) Objects.requireNonNull(handler, "handler"));
    }

    static <S, M, R extends @Nullable Object> ContextStateReplyHandler<S, M, R> stateful(
            StateStageHandler<S, M, R> handler) {
        return new Stateful<>(Objects.requireNonNull(handler, "handler"));
    }

    static <S, M, R extends @Nullable Object> ContextStateReplyHandler<S, M, R> stateful(
            ContextStateStageHandler<S, M, R> handler) {
        return new ContextStateful<>(Objects.requireNonNull(handler, "handler"));
    }

    private record Stateful<S, M, R extends @Nullable Object>(
            StateStageHandler<S, M, R> handler) implements ContextStateReplyHandler<S, M, R> {
        @Override
        @SuppressWarnings("NullAway") // what it returns is ignored
        public R handle(ActorContext<M, R> context, S state, M message) throws Exception {
            return (R) later(context, message, handler.handle(state, message));
        }
    }

    private record ContextStateful<S, M, R extends @Nullable Object>(
            ContextStateStageHandler<S, M, R> handler) implements ContextStateReplyHandler<S, M, R> {
        @Override
        @SuppressWarnings("NullAway") // what it returns is ignored
        public R handle(ActorContext<M, R> context, S state, M message) throws Exception {
            return (R) later(context, message, handler.handle(context, state, message));
        }
    }

    /** Defers the reply; returns what the handler returns, which is ignored. */
    private static @Nullable Object later(ActorContext<?, ?> context, Object message,
            @Nullable CompletionStage<? extends @Nullable Object> stage) {
        StageAnswer.defer(((Context<?, ?>) context).cell, message, stage);
        return null;
    }

    private record Plain(StageHandler<Object, @Nullable Object> handler) implements Behavior {
        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            StageAnswer.defer(turn.cell, message, handler.handle(message));
            return null;
        }
    }

    private record Contextual(ContextStageHandler<Object, @Nullable Object> handler) implements Behavior {
        @Override
        public Class<?> handlerClass() {
            return handler.getClass();
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            StageAnswer.defer(turn.cell, message, handler.handle(Context.of(turn.cell), message));
            return null;
        }
    }
}
