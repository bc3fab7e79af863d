package io.fibry.test;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of a {@link History} should do, one after another: the specification of one's own data, as simple as
 * it can be. Its methods are called by one thread.
 *
 * <pre>{@code
 * record Counter() implements Model<Integer, String, Integer> {
 *     public Integer initial() {
 *         return 0;
 *     }
 *
 *     public Step<Integer, Integer> apply(Integer state, String call) {
 *         return new Step<>(state + 1, state + 1); // each call adds one, and answers with the sum
 *     }
 * }
 * }</pre>
 *
 * @param <S> type of the states, which are immutable and have {@code equals} and {@code hashCode}; a record, a number, an
 *        immutable map
 * @param <C> type of the calls
 * @param <A> type of the answers
 */
public interface Model<S, C, A extends @Nullable Object> {
    /**
     * The state after a call, and the answer to the call.
     *
     * @param <S> type of the states
     * @param <A> type of the answers
     * @param state the state
     * @param answer the answer
     */
    record Step<S, A extends @Nullable Object>(S state, A answer) {
        /**
         * Checks the state.
         *
         * @param state the state
         * @param answer the answer
         */
        public Step {
            Objects.requireNonNull(state, "state");
        }
    }

    /**
     * Returns the state before the first call.
     *
     * @return the state
     */
    S initial();

    /**
     * Returns what a call does in a state.
     *
     * @param state the state before the call
     * @param call the call
     * @return the state after it, and its answer
     */
    Step<S, A> apply(S state, C call);

    /**
     * Returns what the call is about. Calls with different keys do not depend on one another: each key has a state of
     * its own, and is checked by itself, which is much quicker.
     *
     * @param call the call
     * @return the key; by default the same for all calls
     */
    default Object key(C call) {
        return "all calls";
    }
}
