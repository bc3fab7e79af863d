package io.fibry.internal.actor;

import io.fibry.internal.run.InterruptibleWait;

/**
 * A wait for an answer that ends, at the latest, with the time limit of the handler that waits.
 *
 * @param answer what it waits for
 * @param limit the limit
 */
record LimitedWait(Answer<?> answer, TimedAnswer<?> limit) implements InterruptibleWait {
    @Override
    public boolean await() throws InterruptedException {
        return answer.awaitDone(limit);
    }
}
