package io.fibry.internal.log;

/** Reports failures that cannot be logged, since the logger itself has failed. */
public final class LastResort {
    private LastResort() {
    }

    /** Hands a failure to the handler of uncaught exceptions. Throws nothing. */
    public static void report(Throwable failure) {
        var thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable suppressed) {
            failure.addSuppressed(suppressed); // nothing is left that could report it
        }
    }
}
