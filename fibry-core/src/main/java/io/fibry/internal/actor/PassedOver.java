package io.fibry.internal.actor;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an actor has taken from its mailbox and did not want so far, oldest first. Each receive looks through all of it,
 * so it lies in an array without gaps, between two indices. Not thread-safe.
 */
public final class PassedOver {
    private static final int LEAST = 8;

    private @Nullable Object[] entries = new Object[LEAST];
    private int begin;
    private int end;

    public int size() {
        return end - begin;
    }

    boolean isEmpty() {
        return begin == end;
    }

    /** Returns how many entries there is space for. */
    int capacity() {
        return entries.length;
    }

    /** Returns an entry; the oldest one has the index 0. */
    public Object get(int index) {
        return Objects.requireNonNull(entries[begin + index]);
    }

    /** Returns the newest entry; null if there is none. */
    @Nullable Object last() {
        return isEmpty() ? null : entries[end - 1];
    }

    /** Adds the newest entry. */
    public void add(Object entry) {
        if (end == entries.length) {
            move(begin > entries.length / 2 ? entries.length : 2 * entries.length, 0);
        }
        entries[end++] = entry;
    }

    /** Adds the oldest entry. */
    void addFirst(Object entry) {
        if (begin == 0) {
            var space = Math.max(LEAST, size());
            move(space + size() + LEAST, space);
        }
        entries[--begin] = entry;
    }

    /** Copies the entries into an array of some length, from an index on. */
    private void move(int length, int to) {
        var copy = new Object[length];
        System.arraycopy(entries, begin, copy, to, size());
        end = to + size();
        begin = to;
        entries = copy;
    }

    /** Removes the oldest entry, and returns it; null if there is none. */
    @Nullable Object poll() {
        if (isEmpty()) {
            return null;
        }
        var oldest = entries[begin];
        remove(0);
        return oldest;
    }

    /** Removes an entry. The fewer entries on one side of it move up. */
    public void remove(int index) {
        var at = begin + index;
        if (index < size() / 2) {
            System.arraycopy(entries, begin, entries, begin + 1, index);
            entries[begin++] = null;
        } else {
            System.arraycopy(entries, at + 1, entries, at, end - at - 1);
            entries[--end] = null;
        }
        if (isEmpty()) {
            begin = 0;
            end = 0;
            if (entries.length > 1_024) { // after a time with many
                entries = new Object[LEAST];
            }
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOfRange(entries, begin, end));
    }
}
