package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingReplyContext;
import org.jspecify.annotations.Nullable;

/**
 * The whole life of an actor that answers, as one piece of straight-line code. The actor stops when it returns.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ReceivingReplyBody<M, R extends @Nullable Object> {
    /**
     * Runs the actor.
     *
     * @param context the actor seen from inside
     * @throws Exception any exception; it is reported and the actor stops, unless its {@link FailurePolicy} is to
     *         restart it
     */
    void run(ReceivingReplyContext<M, R> context) throws Exception;
}
