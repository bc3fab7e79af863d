package io.fibry.internal.actor;

import java.util.concurrent.TimeoutException;

/** Words for what actors do, which time-outs tell. */
public interface Details {
    /**
     * Returns a text such as " at shop.Order.book(Order.java:12) and waits for actor 'bank'"; empty if
     * nothing is known.
     */
    String doing(Cell cell);

    /** Returns the failure of a wait for an answer that has lasted for so long. */
    TimeoutException noAnswer(Answer<?> answer, long waitedNanos);

    /** Returns where the message of an ask is. */
    String progress(Answer<?> answer);
}
