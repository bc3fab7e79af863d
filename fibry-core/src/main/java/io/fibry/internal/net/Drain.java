package io.fibry.internal.net;

import io.fibry.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits until nothing is open any more. If many wait, the shortest of their deadlines is the one that counts. */
final class Drain {
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Nothing is open any more, or nobody needs to wait longer. */
    void end() {
        over.complete(true);
    }

    /** Whether it was over in time; not if the calling thread is interrupted: it keeps its flag. */
    boolean await(TimeSource time, long nanos) {
        if (nanos == 0) {
            over.complete(false);
            return false;
        }
        var alarm = time.schedule(nanos, () -> over.complete(false));
        try {
            return over.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever wants us gone wants what is open gone too
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e); // it is only ever completed with a value
        } finally {
            alarm.cancel();
        }
    }
}
