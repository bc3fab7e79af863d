package io.fibry.internal.actor;

import io.fibry.internal.run.InterruptibleWait;
import org.jspecify.annotations.Nullable;

/**
 * A wait for an answer that ends, at the latest, with the time limit of the handler that waits.
 *
 * @param answer what it waits for
 * @param limit the limit
 * @param inside the wait of a reentrant actor; null if the actor is not reentrant
 */
record LimitedWait(Answer<?> answer, TimedAnswer<?> limit,
        @Nullable ReentrantWait inside) implements InterruptibleWait {
    @Override
    public boolean await() throws InterruptedException {
        return answer.awaitDone(limit, inside);
    }
}
