package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait for a lane because a newer job has taken their slot. One lane at a time owns a backlog: it adds
 * jobs and takes the newest. Any thread may take the oldest. This is the work-stealing queue of Chase and Lev, in an
 * array that grows: it contains the jobs from {@code top} (inclusive) to {@code bottom} (exclusive).
 *
 * <pre>
 *   bottom: b -> b + 1      the owner, after it has stored a job at b
 *           b -> b - 1      the owner, before it takes the job at b - 1
 *           b -> b + 1      the owner, by the next step, if that job was the last one
 *   top:    t -> t + 1      a thread that takes the oldest, by CAS; the owner too, if it takes the last one
 *   owned:  false -> true   a lane, by CAS
 *           true -> false   the owner
 * </pre>
 *
 * <p>No job is taken twice. The owner lowers {@code bottom} first and then reads {@code top}. Another thread reads
 * {@code top} first, then {@code bottom}, and then moves {@code top}. If the owner finds more than one job, then each
 * thread that would take the same job has read {@code top} after that, and so sees the lower {@code bottom}. If the
 * owner finds one job, the CAS decides.
 *
 * <p>The writes of an owner happen-before the reads of the next owner: {@code owned} is released and acquired.
 */
public final class Backlog {
    /** The number of jobs that fit in without more memory. */
    static final int SIZE = 32;
    /** The length up to which an array that has grown is kept. */
    private static final int LARGE = 1_024;
    private static final int OLDEST_INTERVAL = 64;
    private static final VarHandle TOP = FieldAccess.of(MethodHandles.lookup(), "top", long.class);
    private static final VarHandle OWNED = FieldAccess.of(MethodHandles.lookup(), "owned", boolean.class);

    /** The bit of this backlog in the set of all. */
    final long bit;
    /**
     * The array. A job that is taken while the array grows may still be referenced by the new array, outside
     * the range of its jobs, until its index is used again. Written by the owner; an element is cleared by the
     * thread that has taken it, a thief by CAS.
     */
    private volatile AtomicReferenceArray<@Nullable Job> jobs = new AtomicReferenceArray<>(SIZE);
    /** Written by any thread, by CAS: the thread that moves it has the job. */
    private volatile long top;
    /** Written by the owner. */
    private volatile long bottom;
    /**
     * Set by the lane that acquires the backlog, by CAS; cleared by it, which publishes its writes to the next
     * owner.
     */
    private volatile boolean owned;
    /** The number of owners so far. Used by the owner. */
    private int ownerCount;
    /** The number of calls of {@link #countTake} since an old job was made due. Used by the owner. */
    private int takeCount = 1;

    Backlog(long bit) {
        this.bit = bit;
    }

    boolean isEmpty() {
        return bottom <= top;
    }

    /** Returns the number of jobs. It is an estimate, since other threads may take jobs and the owner may add some. */
    int size() {
        return (int) Math.max(0, bottom - top);
    }

    /** Makes the calling lane the owner; returns false if there is an owner. */
    boolean acquire() {
        // mutant: owned-backlog-is-taken-over
        if (owned || !OWNED.compareAndSet(this, false, true)) {
            return false;
        }
        ownerCount++;
        return true;
    }

    /** Ends the ownership. Any lane may become the owner then and get the jobs. Called by the owner. */
    void release() {
        try {
            if (jobs.length() > LARGE && isEmpty()) {
                jobs = new AtomicReferenceArray<>(SIZE); // a thread that still reads the old array fails to move top
            }
        } catch (OutOfMemoryError e) {
            return; // the array stays as large as it is
        } finally {
            owned = false;
        }
    }

    /** Returns the number of the present owner, counted from 1. Called by the owner. */
    int ownerNumber() {
        return ownerCount;
    }

    /**
     * Counts one take, and tells whether it is to be that of an old job: one in every {@code OLDEST_INTERVAL} is, and
     * the first after {@link #makeOldDue}. Called by the owner.
     */
    boolean countTake() {
        return takeCount++ % OLDEST_INTERVAL == 0;
    }

    /** Makes the next take that of an old job. Called by the owner. */
    void makeOldDue() {
        takeCount = 0;
    }

    /** Adds a job. Called by the owner. If this throws, nothing has changed. */
    void push(Job job) {
        var end = bottom;
        var array = jobs;
        if (end - top >= array.length()) {
            array = grow(array, end);
        }
        array.setRelease(index(end, array), job);
        assert Interleave.here();
        bottom = end + 1; // this is also a full fence: what is read after it is read after it is visible
    }

    private AtomicReferenceArray<@Nullable Job> grow(AtomicReferenceArray<@Nullable Job> from, long end) {
        var to = new AtomicReferenceArray<@Nullable Job>(2 * from.length());
        for (var n = top; n < end; n++) {
            to.setPlain(index(n, to), from.getPlain(index(n, from)));
        }
        jobs = to;
        return to;
    }

    /** Takes the newest job; returns null if there is none. Called by the owner. */
    @Nullable Job pop() {
        var newest = bottom - 1;
        if (newest < top) {
            return null;
        }
        bottom = newest;
        assert Interleave.here();
        var oldest = top;
        if (oldest < newest) {
            return remove(newest);
        }
        var won = oldest == newest && TOP.compareAndSet(this, oldest, oldest + 1);
        bottom = newest + 1;
        return won ? remove(newest) : null;
    }

    private @Nullable Job remove(long number) {
        var from = jobs;
        var index = index(number, from);
        var job = from.getPlain(index);
        from.setPlain(index, null);
        return job;
    }

    /** Takes the oldest job; returns null if there is none. Called by any thread. */
    @Nullable Job steal() {
        while (true) {
            var oldest = top;
            if (oldest >= bottom) {
                return null;
            }
            var from = jobs;
            var index = index(oldest, from);
            var job = from.getAcquire(index);
            assert Interleave.here();
            if (TOP.compareAndSet(this, oldest, oldest + 1)) {
                from.compareAndSet(index, job, null); // unless the owner has stored another job there
                return job;
            }
        }
    }

    /** Returns the index of a job in an array, whose length is a power of two. */
    private static int index(long number, AtomicReferenceArray<?> jobs) {
        return (int) number & jobs.length() - 1;
    }
}
