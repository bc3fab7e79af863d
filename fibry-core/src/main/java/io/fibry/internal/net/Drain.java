package io.fibry.internal.net;

import io.fibry.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A wait until nothing is open any more. If several threads wait, the shortest of their deadlines counts. */
final class Drain {
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Ends the wait, since nothing is open any more or no thread needs to wait longer. */
    void end() {
        over.complete(true);
    }

    /**
     * Waits; returns whether the wait ended in time. Returns false if the calling thread is interrupted, with its
     * flag set.
     */
    boolean await(TimeSource time, long nanos) {
        if (nanos == 0) {
            over.complete(false);
            return false;
        }
        var alarm = time.schedule(nanos, () -> over.complete(false));
        try {
            return over.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the interrupt asks for the end of what is open, too
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e); // the future is completed with values only
        } finally {
            alarm.cancel();
        }
    }
}
