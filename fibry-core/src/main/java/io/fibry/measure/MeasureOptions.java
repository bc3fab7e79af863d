package io.fibry.measure;

import java.util.Objects;

/**
 * Options for measuring a scope.
 *
 * @param oneOf of how many messages one is timed: 1 for each message, 1,000 for about one of a thousand, at random
 * @param grouping the groups of actors
 * @param maxGroups how many groups there may be; the actors of all further groups are in one more, {@value #OTHER}
 */
public record MeasureOptions(int oneOf, Grouping grouping, int maxGroups) {
    /** The name of the group of actors that are in no other. */
    public static final String OTHER = "other";

    private static final MeasureOptions DEFAULTS = new MeasureOptions(1_000, Grouping.byHandler(), 100);

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
    public MeasureOptions withGrouping(Grouping newGrouping) {
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
