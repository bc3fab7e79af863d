package io.fibry.internal.log;

/** Reports failures that cannot be logged, since the logger itself has failed. */
public final class LastResort {
    private LastResort() {
    }

    /** Hands a failure to the handler of uncaught exceptions. Throws nothing, not even if there is no memory left. */
    public static void report(Throwable failure) {
        var thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable notReported) {
            suppress(failure, notReported);
        }
    }

    /** Hands over a failure, which tells also why it was not logged. Throws nothing. */
    public static void report(Throwable failure, Throwable notLogged) {
        suppress(failure, notLogged);
        report(failure);
    }

    private static void suppress(Throwable failure, Throwable other) {
        try {
            if (other != failure) { // a logger or a handler may throw what it was given
                failure.addSuppressed(other);
            }
        } catch (Throwable noMemory) {
            // Nothing is left that could report it.
        }
    }
}
