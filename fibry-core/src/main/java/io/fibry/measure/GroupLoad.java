package io.fibry.measure;

import java.util.Objects;

/**
 * The load of a group at one moment.
 *
 * @param group the group
 * @param actors how many of its actors are alive
 * @param depth how many messages wait for them
 */
public record GroupLoad(MeasuredGroup group, long actors, long depth) {
    /** Checks that there is a group. */
    public GroupLoad {
        Objects.requireNonNull(group, "group");
    }
}
