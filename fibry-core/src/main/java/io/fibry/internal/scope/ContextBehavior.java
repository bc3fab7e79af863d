package io.fibry.internal.scope;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Context;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of a handler that gets the context of its actor, by which it can replace itself. The turn alone calls the
 * handler and replaces it; other threads only ask for its class.
 */
abstract class ContextBehavior<H> implements Behavior {
    private H handler;

    ContextBehavior(H handler) {
        this.handler = handler;
    }

    final H handler() {
        return handler;
    }

    /** Returns a new behavior with the given handler. */
    abstract Behavior withHandler(H now);

    @Override
    public final Class<?> handlerClass() {
        return ReplacedHandler.classOf(handler);
    }

    @Override
    @SuppressWarnings("unchecked") // next has the type of the handler
    public final boolean become(@Nullable Object next) {
        var replaced = ReplacedHandler.next(handler, next);
        if (replaced == null) {
            return false;
        }
        handler = (H) replaced;
        return true;
    }

    /**
     * Returns a copy. A thread that is abandoned before it calls the handler then does not call a handler that was
     * set later.
     */
    @Override
    public final Behavior ready(Turn turn) {
        return withHandler(handler);
    }

    @Override
    public final void dispose() {
        become(null);
    }

    /** The behavior of a handler that gives no answers. */
    static final class Telling extends ContextBehavior<ContextHandler<Object>> {
        Telling(ContextHandler<Object> handler) {
            super(handler);
        }

        @Override
        Behavior withHandler(ContextHandler<Object> now) {
            return new Telling(now);
        }

        @Override
        @SuppressWarnings("unchecked") // an actor that gives no answers answers with null
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            handler().handle((Context<Object, Void>) (Context<?, ?>) Context.of(turn.cell), message);
            return null;
        }
    }

    /** The behavior of a handler that answers. */
    static final class Answering extends ContextBehavior<ContextReplyHandler<Object, @Nullable Object>> {
        Answering(ContextReplyHandler<Object, @Nullable Object> handler) {
            super(handler);
        }

        @Override
        Behavior withHandler(ContextReplyHandler<Object, @Nullable Object> now) {
            return new Answering(now);
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return handler().handle(Context.of(turn.cell), message);
        }
    }
}
