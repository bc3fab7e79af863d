package io.fibry.measure;

import java.util.List;

/** A scope that is measured, together with the scopes inside it that have no listener of their own. Thread-safe. */
public interface MeasuredScope {
    /**
     * Returns the name of the scope.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the groups that were found so far, in no order.
     *
     * @return the groups
     */
    List<MeasuredGroup> groups();

    /**
     * Counts the actors that are alive, and the messages that wait for them. The groups then have the numbers ({@link
     * MeasuredGroup#actors}, {@link MeasuredGroup#depth}). The calling thread looks at each actor of the scope, so a
     * listener should not call this every second if there are a million actors. The actors work on meanwhile, so the
     * numbers belong to slightly different moments. An actor that was collected, since nothing refers to it, is not alive.
     */
    void count();

    /**
     * Returns how often an actor was moved to another thread because the handler before it on its thread did not end.
     * This is one count for all actors on fibers in the JVM. It stays zero if lanes are off.
     *
     * @return the count
     */
    long rescues();
}
