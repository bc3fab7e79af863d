package io.fibry.measure;

import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Options for measuring a scope.
 *
 * @param oneOf of how many messages one is timed: 1 for each message, 1,000 for about one of a thousand, at random
 * @param grouping returns the name of the group of an actor, which is called once for each actor, by its maker, with
 *     the class of the actor's handler and its name, if it has one; it must be thread-safe and fast. An actor for which
 *     it throws or returns null is in the group {@value #OTHER}
 * @param maxGroups how many groups there may be; the actors of all further groups are in one more, {@value #OTHER}
 */
public record MeasureOptions(int oneOf, BiFunction<Class<?>, Optional<String>, String> grouping,
        int maxGroups) {
    /** The name of the group of actors that are in no other. */
    public static final String OTHER = "other";

    /** Groups actors by the classes of their handlers. A lambda belongs to the class in which it is written. */
    public static final BiFunction<Class<?>, Optional<String>, String> BY_HANDLER =
            StandardGrouping.BY_HANDLER;

    /**
     * Groups actors by their names: up to the first digit, slash or hyphen. So {@code order-17} and {@code order-18} are in the
     * group {@code order}. Actors for which that leaves nothing, and actors without a name, are grouped by their handlers.
     */
    public static final BiFunction<Class<?>, Optional<String>, String> BY_NAME = StandardGrouping.BY_NAME;

    private static final MeasureOptions DEFAULTS = new MeasureOptions(1_000, BY_HANDLER, 100);

    /** Checks the numbers. */
    public MeasureOptions {
        if (oneOf < 1 || oneOf > 1_000_000_000) {
            throw new IllegalArgumentException(
                    "oneOf must be at least 1, which times each message, and at most 1,000,000,000: "
                            + oneOf);
        }
        Objects.requireNonNull(grouping, "grouping");
        if (maxGroups < 0) {
            throw new IllegalArgumentException("maxGroups must not be negative: " + maxGroups);
        }
    }

    /**
     * Returns the defaults: one of 1,000 messages, at most 100 groups, by the classes of handlers.
     *
     * @return the defaults
     */
    public static MeasureOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns options with another sample.
     *
     * @param newOneOf of how many messages one is timed
     * @return the options
     */
    public MeasureOptions withOneOf(int newOneOf) {
        return new MeasureOptions(newOneOf, grouping, maxGroups);
    }

    /**
     * Returns options with another grouping.
     *
     * @param newGrouping the grouping
     * @return the options
     */
    public MeasureOptions withGrouping(BiFunction<Class<?>, Optional<String>, String> newGrouping) {
        return new MeasureOptions(oneOf, newGrouping, maxGroups);
    }

    /**
     * Returns options with another bound.
     *
     * @param newMaxGroups how many groups there may be
     * @return the options
     */
    public MeasureOptions withMaxGroups(int newMaxGroups) {
        return new MeasureOptions(oneOf, grouping, newMaxGroups);
    }
}
