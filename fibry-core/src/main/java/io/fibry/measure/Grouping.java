package io.fibry.measure;

import java.util.Optional;

/** Chooses the group of an actor. It is called once for each actor, by its maker, and must be thread-safe and fast. */
@FunctionalInterface
public interface Grouping {
    /**
     * Returns the name of the group of an actor. An actor for which this throws or returns null is in the group {@value
     * MeasureOptions#OTHER}.
     *
     * @param handler the class of its handler; for a lambda, a class that the JVM has made
     * @param name its name; empty if it was made without one
     * @return the name of the group
     */
    String groupOf(Class<?> handler, Optional<String> name);

    /**
     * Returns the grouping by the classes of handlers. A lambda belongs to the class in which it is written.
     *
     * @return the grouping
     */
    static Grouping byHandler() {
        return StandardGrouping.BY_HANDLER;
    }

    /**
     * Returns the grouping by names: up to the first digit, slash or hyphen. So {@code order-17} and {@code order-18} are in the
     * group {@code order}. Actors for which that leaves nothing, and actors without a name, are grouped by their handlers.
     *
     * @return the grouping
     */
    static Grouping byName() {
        return StandardGrouping.BY_NAME;
    }
}
