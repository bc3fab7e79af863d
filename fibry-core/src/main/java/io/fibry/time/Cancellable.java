package io.fibry.time;

/**
 * An action that takes place later, or that can be undone, and that can be cancelled. Implementations are thread-safe.
 */
@FunctionalInterface
public interface Cancellable {
    /**
     * Cancels the action. It is then not kept in memory.
     *
     * @return true if the action had not taken place and will not take place
     */
    boolean cancel();
}
