package io.fibry.work;

import java.time.Duration;

/**
 * A report of a retry, a breaker, a hedge or a rate limiter to its listeners. A listener is called on the thread on
 * which something happens, so it should be quick; events of different threads have no order. A failure of it is
 * reported to the listeners of the scope, and changes nothing. Objects are immutable.
 */
public sealed interface WorkEvent {
    /**
     * Returns the name of what has sent the event.
     *
     * @return the name
     */
    String name();

    /**
     * An attempt has failed, and another one follows.
     *
     * @param name the name of the retry
     * @param attempt which attempt it was, from 1
     * @param cause why it has failed
     * @param pause how long the pause before the next attempt is
     */
    record AttemptFailed(String name, int attempt, Throwable cause, Duration pause) implements WorkEvent {
    }

    /**
     * An attempt has failed, and no other one follows.
     *
     * @param name the name of the retry
     * @param attempts how many attempts there were
     * @param cause why the last one has failed
     */
    record GaveUp(String name, int attempts, Throwable cause) implements WorkEvent {
    }

    /**
     * A circuit breaker has changed its state.
     *
     * @param name the name of the breaker
     * @param from the state before
     * @param to the state now
     */
    record BreakerMoved(String name, BreakerState from, BreakerState to) implements WorkEvent {
    }

    /**
     * A circuit breaker or a rate limiter has refused a call.
     *
     * @param name the name of the breaker or limiter
     */
    record CallRefused(String name) implements WorkEvent {
    }

    /**
     * A call has to wait for a rate limiter.
     *
     * @param name the name of the limiter
     * @param waiting how many calls wait, with this one
     */
    record CallDelayed(String name, int waiting) implements WorkEvent {
    }

    /**
     * A hedge has started a further attempt.
     *
     * @param name the name of the hedge
     * @param attempt which attempt it is, from 2
     */
    record HedgeStarted(String name, int attempt) implements WorkEvent {
    }

    /**
     * An attempt of a hedge that has started several has succeeded.
     *
     * @param name the name of the hedge
     * @param attempt which attempt it was, from 1
     */
    record HedgeWon(String name, int attempt) implements WorkEvent {
    }
}
