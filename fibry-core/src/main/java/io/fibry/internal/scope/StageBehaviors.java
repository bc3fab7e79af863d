package io.fibry.internal.scope;

import io.fibry.function.ContextStageHandler;
import io.fibry.function.StageHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.StageAnswer;
import io.fibry.internal.actor.Turn;
import java.util.Objects;
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
