package io.fibry.internal.run;

/** A wait that an interrupt of the waiting thread ends. */
public interface InterruptibleWait {
    /** Waits; returns false if the time was over first. May be called several times. */
    boolean await() throws InterruptedException;

    /**
     * Waits like {@link #await}, and continues to wait if the thread is interrupted. The interrupt flag is restored
     * before this method returns or throws.
     */
    default boolean awaitUninterrupted() {
        var interrupted = false;
        try {
            while (true) {
                try {
                    return await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
