package io.fibry.cluster;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The messages of a group that are underway from this node to one other, or that wait for a home: the bytes of those whose fate is not
 * known, and of asks without an answer. An ask whose time is over counts until its node has taken or refused it, or was lost.
 *
 * <p>Thread-safe. The number is exact; what is moved from one room to another may be counted in both for a moment.
 */
final class Room {
    private final AtomicLong underway = new AtomicLong();

    /** Takes room for a message, if there is some. */
    boolean take(int size, long most) {
        var before = underway.getAndAdd(size);
        var fits = fits(before, size, most);
        if (!fits) {
            underway.addAndGet(-size);
        }
        return fits;
    }

    /** Takes room for a message that has taken some elsewhere. */
    void add(int size) {
        underway.addAndGet(size);
    }

    void giveBack(int size) {
        underway.addAndGet(-size);
    }

    long underway() {
        return underway.get();
    }

    /** A message that finds nothing underway always goes, however large it is. */
    private static boolean fits(long before, int size, long most) {
        return before == 0 || before + size <= most;
    }

    /** Whether a sender that waits for room should try again: if half is free, so that it does not wake for each message. */
    boolean mayTake(int size, long most) {
        var now = underway.get();
        return now <= most / 2 && fits(now, size, most);
    }
}
