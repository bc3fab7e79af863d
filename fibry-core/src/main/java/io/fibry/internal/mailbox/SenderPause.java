package io.fibry.internal.mailbox;

import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.SystemNanos;
import org.jspecify.annotations.Nullable;

/**
 * How a sender leaves a mailbox to another sender for a moment. While two threads send at the same time, the cache line
 * of {@code tail} moves from one processor to the other and back for each message, which takes several times as long as
 * sending the message. A sender that is alone for a moment sends dozens. The pause helps most if it lets a thread run
 * that has no processor, above all the consumer. A platform thread therefore yields first, and spins only if it then
 * meets another sender again.
 */
public final class SenderPause {
    /**
     * How many times a sender pauses after it has met another sender; after that it only tries again. A
     * sender whose CAS fails because the mailbox has become idle has met the turn, and does not pause.
     */
    static final int PAUSES = 4;
    /**
     * The length of one pause: one or two microseconds, or about five on processors with a slow {@code
     * onSpinWait}.
     */
    static final int SPINS = 128;

    /** The depth from which on a sender that adds a chunk pauses. */
    private static final int DEEP = 1 << 16;
    /** The length of that pause at this depth. */
    private static final long NANOS = 20_000;
    /** How many times as long the pause may become at larger depths. */
    private static final int MOST = 5;

    private SenderPause() {
    }

    /** Pauses the calling thread, which has tried this many times. */
    static void pause(int tries) {
        if (tries % 2 == 1 && mayYield()) {
            Thread.yield();
        } else {
            spin();
        }
    }

    /**
     * Returns whether the calling thread may yield. A virtual thread may not, since it is unknown when the
     * threads that its carrier runs first would let it go on. The timer thread may not, since timers have to
     * fire in time.
     */
    private static boolean mayYield() {
        return !Thread.currentThread().isVirtual() && !SystemTime.INSTANCE.firesHere();
    }

    /**
     * Pauses the calling thread, which has added a chunk to a mailbox of this depth, if that is very deep. So a sender
     * is not faster for long than the consumer; the collector would have to copy all that piles up. The deeper the
     * mailbox, the longer the pause, up to a tenth of a microsecond for each message of a chunk. The thread does not
     * yield: the mailbox may be deep because its actor is slow, and other threads may keep the processor for long.
     * The {@code consumer} itself does not pause, since it would only wait for itself; nor does the timer thread.
     */
    static void pauseAtDepth(int depth, @Nullable Thread consumer) {
        if (depth < DEEP || Thread.currentThread() == consumer || SystemTime.INSTANCE.firesHere()) {
            return;
        }
        var nanos = NANOS * Math.min(MOST, depth / DEEP);
        var begin = SystemNanos.now();
        do {
            spin();
        } while (SystemNanos.now() - begin < nanos);
    }

    private static void spin() {
        for (int spin = 0; spin < SPINS; spin++) {
            Thread.onSpinWait();
        }
    }
}
