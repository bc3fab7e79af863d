package io.fibry.cluster.home;

import org.jspecify.annotations.Nullable;

/**
 * A change of an entry of a table, if it has the expected value.
 *
 * @param table name of the table
 * @param key key of the entry
 * @param expected value that is there; null is an absent entry
 * @param next new value; null removes the entry
 * @param service number of the period of service in which the change was proposed
 */
public record EntryChange(String table, String key, byte @Nullable [] expected, byte @Nullable [] next,
        long service) {
}
