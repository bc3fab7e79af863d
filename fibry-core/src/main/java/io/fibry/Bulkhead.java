package io.fibry;

import io.fibry.internal.limit.CallGate;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Lets only so many calls at a time to something that stands no more. Others wait, first come first served; when too many
 * wait already, a call is refused at once.
 *
 * <pre>{@code
 * var database = Bulkhead.of("database", 8, 100);
 * var user = database.call(() -> load(id)); // on this thread
 * }</pre>
 *
 * <p>Thread-safe. An actor that waits here gives its thread to others as it does in all waits of the library.
 */
public interface Bulkhead {
    /**
     * Makes one.
     *
     * @param name what it is called in errors
     * @param calls how many calls may be made at a time, at least one
     * @param waiting how many may wait, zero or more
     * @return the bulkhead
     */
    static Bulkhead of(String name, int calls, int waiting) {
        return CallGate.of(name, calls, waiting);
    }

    /**
     * Makes a call on this thread, after waiting if necessary.
     *
     * @param <T> type of the result
     * @param code what to call
     * @return what it returns
     * @throws BulkheadFullException if too many calls wait already
     * @throws InterruptedException if the thread was interrupted while it waited; the call is then not made
     * @throws Exception what the call throws
     */
    <T extends @Nullable Object> T call(Callable<T> code) throws Exception;

    /**
     * How many calls are being made.
     *
     * @return the number at this moment
     */
    int running();

    /**
     * How many calls wait.
     *
     * @return the number at this moment
     */
    int waiting();
}
