package io.fibry.pool;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one of several asks. Outcomes are immutable.
 *
 * @param <R> type of the answer
 */
public sealed interface AskOutcome<R extends @Nullable Object> {
    /**
     * The actor has answered.
     *
     * @param <R> type of the answer
     * @param value the answer
     */
    record Answered<R extends @Nullable Object>(R value) implements AskOutcome<R> {
    }

    /**
     * There is no answer.
     *
     * @param <R> type of the answer
     * @param cause the reason: what the handler threw, or an {@link io.fibry.ActorException}
     */
    record Failed<R extends @Nullable Object>(Throwable cause) implements AskOutcome<R> {
        /**
         * Makes the outcome.
         *
         * @param cause not null
         */
        public Failed {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
