package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;

/**
 * Makes the handler of one actor: when the actor is made, and again when it is restarted.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface HandlerFactory<M> {
    /**
     * Makes a handler, inside the actor. Timers that are set here and children that are made here end when
     * the actor is restarted, and the factory then sets and makes them again.
     *
     * @param context the actor seen from inside
     * @return the handler; if it is {@link AutoCloseable}, it is closed when the actor stops or is restarted
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    Handler<M> create(ActorContext<M, Void> context) throws Exception;
}
