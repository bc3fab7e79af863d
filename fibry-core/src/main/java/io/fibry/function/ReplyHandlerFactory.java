package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * Makes the handler of one actor that answers: when the actor is made, and again when it is restarted.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ReplyHandlerFactory<M, R extends @Nullable Object> {
    /**
     * Makes a handler, inside the actor. Timers that are set here and children that are made here end when
     * the actor is restarted, and the factory then sets and makes them again.
     *
     * @param context the actor seen from inside
     * @return the handler; if it is {@link AutoCloseable}, it is closed when the actor stops or is restarted
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    ReplyHandler<M, R> create(ActorContext<M, R> context) throws Exception;
}
