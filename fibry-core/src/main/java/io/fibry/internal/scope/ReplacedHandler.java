package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.report.ShownAs;
import org.jspecify.annotations.Nullable;

/**
 * A handler that has replaced another one, with the handler that the actor was made with. The behavior stores this
 * object in the field of its handler, so an actor that never replaces its handler needs no further field.
 */
sealed interface ReplacedHandler {
    /** Returns the handler that the actor was made with. */
    Object first();

    /** Returns the handler that has replaced it. */
    Object now();

    /**
     * Returns the handler that replaces the given one: one that calls {@code next}, or the handler that the actor
     * was made with if {@code next} is null. Returns null if {@code next} answers and the first handler does not,
     * or the other way round.
     */
    @SuppressWarnings("unchecked") // the methods of the context have checked the types
    static @Nullable Object next(Object handler, @Nullable Object next) {
        var first = firstOf(handler);
        if (next == null) {
            return first;
        }
        if (first instanceof ContextHandler<?> && next instanceof ContextHandler<?> telling) {
            return new Telling(first, (ContextHandler<Object>) telling);
        }
        if (first instanceof ContextReplyHandler<?, ?>
                && next instanceof ContextReplyHandler<?, ?> answering) {
            return new Answering(first, (ContextReplyHandler<Object, @Nullable Object>) answering);
        }
        return null;
    }

    /** Returns the handler that the actor was made with. */
    static Object firstOf(Object handler) {
        return handler instanceof ReplacedHandler became ? became.first() : handler;
    }

    /** Returns the class of the handler that gets the messages. */
    static Class<?> classOf(Object handler) {
        return handler instanceof ReplacedHandler became ? became.now().getClass() : ShownAs.classOf(handler);
    }

    /** A handler that gives no answers. */
    record Telling(Object first,
            ContextHandler<Object> now) implements ReplacedHandler, ContextHandler<Object> {
        @Override
        public void handle(ActorContext<Object, Void> context, Object message) throws Exception {
            now.handle(context, message);
        }
    }

    /** A handler that answers. */
    record Answering(Object first,
            ContextReplyHandler<Object, @Nullable Object> now)
            implements
                ReplacedHandler,
                ContextReplyHandler<Object, @Nullable Object> {
        @Override
        public @Nullable Object handle(ActorContext<Object, @Nullable Object> context, Object message)
                throws Exception {
            return now.handle(context, message);
        }
    }
}
