package io.fibry.internal.actor;

import io.fibry.ActorInterruptedException;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import java.nio.channels.ClosedByInterruptException;

/**
 * Interrupts the thread of a running turn, and no other.
 *
 * <p>A turn publishes itself, and so its thread, in {@code cell.running} while a handler may run. Before it
 * ends, it sets {@code cell.running} back, then waits until {@code interrupters} is zero, and then clears the
 * interrupt flag. An interrupter first counts itself in {@code interrupters}, then reads the thread. Both
 * variables are volatile, so either the interrupter sees no thread, or the turn sees the interrupter and
 * waits until the interrupt has been delivered. In both cases no interrupt arrives after the turn has cleared
 * the flag.
 */
public final class Interrupts {
    private Interrupts() {
    }

    /** Interrupts what the actor does, if it does anything. */
    public static void turn(Cell cell) {
        var extended = cell.extendedState();
        extended.countInterrupter(1);
        try {
            var thread = cell.thread();
            assert Interleave.here();
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            extended.countInterrupter(-1);
        }
    }

    /** Interrupts the handler that works on this answer, if it still does. */
    static void answer(Cell cell, Answer<?> answer) {
        var extended = cell.extendedState();
        extended.countInterrupter(1);
        try {
            var thread = cell.thread();
            assert Interleave.here();
            // mutant: cancel-interrupts-any-handler
            if (RunningAsk.has(extended.running, answer) && thread != null) {
                assert Interleave.here();
                thread.interrupt();
            }
        } finally {
            extended.countInterrupter(-1);
        }
    }

    /** Interrupts code for which its sender holds the actor, if it still runs. */
    static void held(Cell cell, Hold<?> hold) {
        var extended = cell.extendedState();
        extended.countInterrupter(1);
        try {
            var thread = cell.thread();
            assert Interleave.here();
            if (hold.hasBegun() && thread != null) {
                thread.interrupt();
            }
        } finally {
            extended.countInterrupter(-1);
        }
    }

    /**
     * Ends the work of the handler on this answer: no interrupt for it comes after this. If the handler goes
     * on inside the handler of another ask, an interrupt that was meant for that ask stays.
     */
    static void end(ExtendedState extended, Answer<?> answer) {
        var others = RunningAsk.without(extended.running, answer);
        extended.running = others;
        assert Interleave.here();
        await(extended, others == null);
        if (others != null && answer.isOver() && Thread.interrupted() && RunningAsk.isAnyOver(others)) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for interrupters. Called by the turn, after it has set back what it published. */
    static void await(ExtendedState extended, boolean clearFlag) {
        // An interrupter between its two counts only reads and interrupts, so this wait is short.
        if (extended.interrupters != 0) {
            var backoff = new Backoff();
            // mutant: turn-does-not-wait-for-the-interrupt
            while (extended.interrupters != 0) {
                backoff.pause();
            }
        }
        if (clearFlag) {
            Thread.interrupted();
        }
    }

    /** Returns whether code ends with this failure if its thread was interrupted. */
    static boolean isCauseOf(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof ActorInterruptedException
                || failure instanceof ClosedByInterruptException;
    }
}
