package io.fibry.internal.scope;

import io.fibry.StopReport;
import io.fibry.internal.run.Strategies;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The report on the end of a scope, and the futures of it. The thread that closes the scope gives the report; the scope is
 * over when it was released as well, which may come before or after that. If two threads close a scope at the same time,
 * one of their reports is kept.
 *
 * <p>Both fields are volatile, and each thread writes its own before it reads the other one. So the later one of the two
 * sees both, and completes the futures.
 */
final class ScopeReport {
    /** Passes the report on, on a fiber: the callbacks of the futures are foreign code. */
    private record Same() implements Function<StopReport, StopReport> {
        @Override
        public StopReport apply(StopReport report) {
            return report;
        }
    }

    private static final Same SAME = new Same();

    private final CompletableFuture<StopReport> end = new CompletableFuture<>();
    /** Set by the thread that closes the scope, which then reads {@link #released}. */
    private volatile @Nullable StopReport report;
    /**
     * Set by the thread that releases the scope, which then reads {@link #report}; so the later of the two sees
     * both.
     */
    private volatile boolean released;

    /** Sets the report, unless there is one. */
    void give(StopReport how) {
        if (report == null) {
            report = how;
        }
        completeIfOver();
    }

    /** Notes that nothing refers to the scope any more. May be called several times. */
    void release() {
        released = true;
        completeIfOver();
    }

    private void completeIfOver() {
        var known = report;
        if (released && known != null) {
            end.complete(known);
        }
    }

    boolean isOver() {
        return end.isDone();
    }

    /** Returns a future of its own for the caller. */
    CompletableFuture<StopReport> future() {
        return end.isDone() ? end.copy() : end.thenApplyAsync(SAME, Strategies.FIBER_EXECUTOR);
    }
}
