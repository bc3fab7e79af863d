package io.fibry.internal.mailbox;

import io.fibry.internal.clock.SystemTime;

/**
 * Pauses a sender for a moment, so that another sender can use the mailbox. While two threads send at the same
 * time, the cache line
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

    private static void spin() {
        for (int spin = 0; spin < SPINS; spin++) {
            Thread.onSpinWait();
        }
    }
}
