package io.fibry.time;

/** Something that is set to happen and can be cancelled. Thread-safe. */
@FunctionalInterface
public interface Cancellable {
    /**
     * Cancels what is set to happen. It is then not kept in memory.
     *
     * @return true if it had not happened yet and will not happen
     */
    boolean cancel();
}
