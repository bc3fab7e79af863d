package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;

/**
 * The whole life of an actor as one piece of straight-line code. The actor stops when it returns.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ReceivingBody<M> {
    /**
     * Runs the actor.
     *
     * @param context the actor seen from inside
     * @throws Exception any exception; it is reported and the actor stops, unless its {@link FailurePolicy} is to
     *         restart it
     */
    void run(ReceivingContext<M> context) throws Exception;
}
