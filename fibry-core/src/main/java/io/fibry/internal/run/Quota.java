package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A number of places, of which never more than there are are taken, and none is refused while there is one. */
public final class Quota {
    private final int most;
    private final @Nullable QuotaWaiters line;
    private final AtomicInteger taken = new AtomicInteger();

    public Quota(int most) {
        this(most, null);
    }

    /** Places for which senders may wait in this line. */
    public Quota(int most, @Nullable QuotaWaiters line) {
        this.most = most;
        this.line = line;
    }

    public boolean take() {
        while (true) {
            var seen = taken.get();
            if (seen >= most) {
                return false;
            }
            Interleave.here();
            // mutant: place-is-taken-twice
            if (taken.compareAndSet(seen, seen + 1)) {
                return true;
            }
        }
    }

    public void giveBack() {
        taken.decrementAndGet();
        if (line != null) {
            Interleave.here();
            // mutant: place-is-given-back-and-nobody-is-woken
            line.wakeOne();
        }
    }

    public boolean hasRoom() {
        return taken.get() < most;
    }

    public int taken() {
        return taken.get();
    }

    public int most() {
        return most;
    }

    public @Nullable QuotaWaiters line() {
        return line;
    }
}
