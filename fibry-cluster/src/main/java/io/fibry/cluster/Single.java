package io.fibry.cluster;

import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a singleton. Its actor is that of the one key of a group, and gets a first message of the library,
 * so that it begins before the program sends it one.
 */
@SuppressWarnings("try") // close throws what that of the handler throws
final class Single<M, R> implements ContextReplyHandler<M, R>, AutoCloseable {
    /** The first message. It has no type of the program, and no handler of the program gets it. */
    private static final Object BEGIN = new Begin();
    private static final Duration NEVER = Duration.ofDays(36_500);

    private final ContextReplyHandler<M, R> handler;

    private record Begin() {
    }

    private Single(ContextReplyHandler<M, R> handler) {
        this.handler = handler;
    }

    /** Makes the actors of a group that have one key. */
    static <M, R> KeyedActors<String, M, R> actors(ClusterGroup<String, M, R> group, ActorBuilder actor,
            Supplier<? extends ContextReplyHandler<M, R>> handler) {
        return actor.keyed(group.keyOf()).idle(NEVER)
                .newActorsWithReturnFrom(key -> new Single<>(handler.get()));
    }

    /** Lets the actor begin, if it has not begun. */
    @SuppressWarnings("unchecked") // for the handler above alone
    static <M> void begin(KeyedActors<?, M, ?> actors) {
        var unused = actors.sendMessage((M) BEGIN);
    }

    @Override
    @SuppressWarnings("NullAway") // the first message is no ask
    public @Nullable R handle(ActorContext<M, R> self, M message) throws Exception {
        return message == BEGIN ? null : handler.handle(self, message);
    }

    @Override
    public void close() throws Exception {
        if (handler instanceof AutoCloseable resource) {
            resource.close();
        }
    }
}
