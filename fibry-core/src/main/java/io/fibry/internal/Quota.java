package io.fibry.internal;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A number of places, of which never more than there are are taken, and none is refused while there is one. */
final class Quota {
    private final int most;
    private final @Nullable Line line;
    private final AtomicInteger taken = new AtomicInteger();

    Quota(int most) {
        this(most, null);
    }

    /** Places for which senders may wait in this line. */
    Quota(int most, @Nullable Line line) {
        this.most = most;
        this.line = line;
    }

    boolean take() {
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

    void giveBack() {
        taken.decrementAndGet();
        if (line != null) {
            Interleave.here();
            // mutant: place-is-given-back-and-nobody-is-woken
            line.wakeOne();
        }
    }

    boolean hasRoom() {
        return taken.get() < most;
    }

    int taken() {
        return taken.get();
    }

    int most() {
        return most;
    }

    @Nullable Line line() {
        return line;
    }
}
