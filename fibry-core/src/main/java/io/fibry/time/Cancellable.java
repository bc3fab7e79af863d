package io.fibry.time;

/** Something that was set to happen and can be called off. Thread-safe. */
@FunctionalInterface
public interface Cancellable {
    /**
     * Calls it off, so that it is not kept in memory either.
     *
     * @return true if it had not happened yet and now never will
     */
    boolean cancel();
}
