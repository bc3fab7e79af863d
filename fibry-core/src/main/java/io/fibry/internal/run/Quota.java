package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A number of places. At most that many are taken at a time, and a request is refused only if all are taken. */
public final class Quota {
    private final int limit;
    private final @Nullable QuotaWaiters waiters;
    /** Taken by CAS: a place is refused only if none was free at that moment. */
    private final AtomicInteger taken = new AtomicInteger();

    public Quota(int limit) {
        this(limit, null);
    }

    /** Creates a quota for whose places threads may wait. */
    public Quota(int limit, @Nullable QuotaWaiters waiters) {
        this.limit = limit;
        this.waiters = waiters;
    }

    public boolean take() {
        while (true) {
            var seen = taken.get();
            if (seen >= limit) {
                return false;
            }
            assert Interleave.here();
            // mutant: place-is-taken-twice
            if (taken.compareAndSet(seen, seen + 1)) {
                return true;
            }
        }
    }

    public void giveBack() {
        taken.decrementAndGet();
        if (waiters != null) {
            assert Interleave.here();
            // mutant: place-is-given-back-and-nobody-is-woken
            waiters.wakeOne();
        }
    }

    public boolean hasRoom() {
        return taken.get() < limit;
    }

    public int taken() {
        return taken.get();
    }

    public int limit() {
        return limit;
    }

    public @Nullable QuotaWaiters waiters() {
        return waiters;
    }
}
