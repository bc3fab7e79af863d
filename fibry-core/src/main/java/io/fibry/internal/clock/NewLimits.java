package io.fibry.internal.clock;

import io.fibry.internal.memory.Interleave;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The limits that were set since the timer thread looked last. They are in stacks, which are spread over the threads that
 * set limits. A thread pushes a limit by a CAS; the timer thread takes a whole stack by an exchange. A limit is never
 * removed alone, so a head that was seen before is never put back, and a CAS that succeeds has found the stack as it was.
 *
 * <p>A limit that is cancelled before the timer thread comes is dropped when it comes, and gets no further. This is the
 * fate of the limits of quick asks. The thread comes when it wakes anyway, and is woken when a stack has {@value #MANY}
 * limits, so that what was cancelled does not pile up.
 */
final class NewLimits {
    /** A power of two, at most 2^15. */
    private static final int MANY = 1024;
    /** The distance of two heads in the array. They do not share a cache line then, or a pair of them. */
    private static final int STRIDE = 32;

    /**
     * Pushed by setters, by CAS; taken by the timer thread, by an exchange. No limit is removed alone, so a
     * head never comes back.
     */
    private final AtomicReferenceArray<@Nullable Limit> heads;
    private final int mask;
    /** The number of limits that are set, new or not. Counted only while assertions are on, for tests. */
    private final AtomicInteger set = new AtomicInteger();

    /** Creates so many stacks, a power of two. */
    NewLimits(int count) {
        heads = new AtomicReferenceArray<>((count + 1) * STRIDE);
        mask = count - 1;
    }

    private static int place(int stack) {
        return (stack + 1) * STRIDE;
    }

    /** Adds a limit; returns true if the timer thread is to come, since there are many. */
    boolean add(Limit limit) {
        assert count(1);
        var place = place((int) Thread.currentThread().threadId() & mask);
        @Nullable Limit head;
        // mutant: limit-of-another-is-lost
        do {
            head = heads.getAcquire(place);
            limit.next = head;
            limit.depth = (short) (head == null ? 1 : head.depth + 1);
            assert Interleave.here();
        } while (!heads.compareAndSet(place, head, limit));
        assert Interleave.here();
        return (limit.depth & (MANY - 1)) == 0;
    }

    /** Counts limits that were set, or are over. Always returns true. */
    boolean count(int change) {
        set.addAndGet(change);
        return true;
    }

    /** Returns the number of limits that are set; zero while assertions are off. */
    int set() {
        return set.get();
    }

    /** Returns the number of stacks. */
    int stacks() {
        return mask + 1;
    }

    /** Takes all limits of a stack, the latest first. Called by the timer thread. */
    @Nullable Limit take(int stack) {
        var place = place(stack);
        return heads.getAcquire(place) == null ? null : heads.getAndSet(place, null);
    }

    boolean isEmpty() {
        for (int stack = 0; stack <= mask; stack++) {
            if (heads.get(place(stack)) != null) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a limit is over before this time. Called by the timer thread, which is the only one that takes. */
    boolean isAnyDueBefore(long time) {
        for (int stack = 0; stack <= mask; stack++) {
            for (var limit = heads.get(place(stack)); limit != null; limit = limit.next) {
                var limited = limit.limited();
                if (limited != null && limited.due() - time < 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
