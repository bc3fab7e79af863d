package io.fibry.internal.scope;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Context;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of the actor of a key. The turn makes the handler for the first message, before the hooks for the start run,
 * and closes it at the end of the actor.
 */
final class KeyedBehavior<K> implements Behavior {
    private final K key;
    private final Function<? super K, ?> factory;
    private @Nullable Object handler;

    private KeyedBehavior(K key, Function<? super K, ?> factory) {
        this.key = key;
        this.factory = factory;
    }

    /** Returns what makes the behaviors of keys. The factory makes the handler of a key, which takes a context. */
    static <K> KeyBehaviors<K> of(Function<? super K, ?> factory) {
        return new OfKeys<>(Objects.requireNonNull(factory, "factory"));
    }

    private record OfKeys<K>(Function<? super K, ?> factory) implements KeyBehaviors<K> {
        @Override
        public Behavior of(K key) {
            return new KeyedBehavior<>(key, factory);
        }
    }

    @Override
    public Class<?> handlerClass() {
        return factory.getClass();
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        return handle(made(), turn, message);
    }

    private Object made() {
        var made = handler;
        if (made == null) {
            made = Objects.requireNonNull(factory.apply(key), "the handler of a key");
            handler = made;
        }
        return made;
    }

    @SuppressWarnings("unchecked") // the types were checked when the factory was given
    private static @Nullable Object handle(Object made, Turn turn, Object message) throws Exception {
        var context = Context.of(turn.cell);
        if (made instanceof ContextReplyHandler<?, ?> replying) {
            return ((ContextReplyHandler<Object, @Nullable Object>) replying).handle(context, message);
        }
        ((ContextHandler<Object>) made).handle((Context<Object, Void>) (Context<?, ?>) context, message);
        return null;
    }

    private record Made(Object handler) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return KeyedBehavior.handle(handler, turn, message);
        }
    }

    @Override
    public Behavior ready(Turn turn) {
        var made = made();
        return new Made(made);
    }

    @Override
    public boolean become(@Nullable Object next) {
        var made = handler;
        var replaced = made == null ? null : ReplacedHandler.next(made, next);
        if (replaced != null) {
            handler = replaced;
        }
        return replaced != null;
    }

    @Override
    public @Nullable AutoCloseable abandon() {
        var left = handler;
        handler = null;
        return left != null && ReplacedHandler.firstOf(left) instanceof AutoCloseable resource ? resource
                : null;
    }

    /** Makes the handler, unless it is there: for the start, and after a restart. */
    @Override
    public @Nullable Signal begin(Turn turn) {
        var unused = made();
        return null;
    }

    /** Closes the handler before a restart, and at the end of the actor. */
    @Override
    public void dispose() throws Exception {
        var gone = abandon();
        if (gone != null) {
            gone.close();
        }
    }
}
