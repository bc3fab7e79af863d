package io.fibry;

import io.fibry.internal.limit.CallGate;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of calls that are made at a time to something that cannot take more. Other calls wait, in the order
 * in which they come. If too many calls wait already, a call is refused at once.
 *
 * <pre>{@code
 * var database = Bulkhead.of("database", 8, 100);
 * var user = database.call(() -> load(id)); // on this thread
 * }</pre>
 *
 * <p>Bulkheads are thread-safe. An actor that waits for its call gives its thread to other actors, as in all waits of
 * the library.
 */
public interface Bulkhead {
    /**
     * Returns a new bulkhead.
     *
     * @param name the name of the bulkhead in errors
     * @param calls how many calls may be made at a time, at least one
     * @param waiting how many calls may wait, zero or more
     * @return the bulkhead
     */
    static Bulkhead of(String name, int calls, int waiting) {
        return CallGate.of(name, calls, waiting);
    }

    /**
     * Makes a call on the calling thread. The method waits first if too many calls are being made.
     *
     * @param <T> type of the result
     * @param code the code to call
     * @return what the code returns
     * @throws BulkheadFullException if too many calls wait already
     * @throws InterruptedException if the thread was interrupted while it waited; the call is then not made
     * @throws Exception what the code throws
     */
    <T extends @Nullable Object> T call(Callable<T> code) throws Exception;

    /**
     * Returns how many calls are being made.
     *
     * @return the number at this moment
     */
    int running();

    /**
     * Returns how many calls wait.
     *
     * @return the number at this moment
     */
    int waiting();
}
