package io.fibry.flow;

import io.fibry.ActorInterruptedException;

/** What becomes of a failure that is not the first one. */
final class Failures {
    private Failures() {
    }

    /** Keeps a further failure in the first one, as a suppressed exception. */
    static void add(Throwable first, Throwable next) {
        if (first != next) {
            first.addSuppressed(next);
        }
    }

    /** Tells whether code has thrown this because its thread was interrupted. */
    static boolean isByInterrupt(Throwable thrown) {
        return thrown instanceof InterruptedException || thrown instanceof ActorInterruptedException
                || Thread.currentThread().isInterrupted();
    }
}
