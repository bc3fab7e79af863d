package io.fibry.internal.actor;

import io.fibry.ActorInterruptedException;
import io.fibry.internal.actor.Code.HeldCode;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread of a running turn, and no other.
 *
 * <p>A turn publishes itself, and so its thread, in {@code cell.running} while a handler may run. Before it ends, it
 * sets {@code cell.running} to null, then waits until {@code interrupters} is zero, and then clears the interrupt flag.
 * An interrupter first counts itself in {@code interrupters}, then reads the thread. Between the write and the read of
 * each of them is a full fence; for a turn that becomes idle this is the CAS of its mailbox. So either the interrupter
 * sees no thread, or the turn sees the interrupter and waits until the interrupt has been delivered. In both cases no
 * interrupt arrives after the turn has cleared the flag.
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
    public static void held(Cell cell, HeldCode code) {
        var extended = cell.extendedState();
        extended.countInterrupter(1);
        try {
            var thread = cell.thread();
            assert Interleave.here();
            if (code.hasBegun() && thread != null) {
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
    public static void await(ExtendedState extended, boolean clearFlag) {
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

    /**
     * An ask that a handler works on, and for which the handler may be interrupted. An ask that was taken by
     * {@code receive}, or code that ran there, is worked on inside the handler of another ask; that handler may
     * then be interrupted for either. Immutable: the turn replaces it, interrupters read it.
     *
     * @param answer the answer that is worked on
     * @param around the ask whose handler works on this one; null if there is none
     */
    public record RunningAsk(Answer<?> answer, @Nullable RunningAsk around) {
        static boolean has(@Nullable RunningAsk innermost, Answer<?> answer) {
            for (var each = innermost; each != null; each = each.around) {
                if (each.answer == answer) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Returns the asks without this one. The ask that was begun last need not end first: a received ask ends
         * when the handler moves on.
         */
        static @Nullable RunningAsk without(@Nullable RunningAsk innermost, Answer<?> answer) {
            if (innermost == null) {
                return null;
            }
            var others = without(innermost.around, answer);
            if (innermost.answer == answer) {
                return others;
            }
            return others == innermost.around ? innermost : new RunningAsk(innermost.answer, others);
        }

        /** Returns whether one of the asks is over. */
        static boolean isAnyOver(@Nullable RunningAsk innermost) {
            for (var each = innermost; each != null; each = each.around) {
                if (each.answer.isOver()) {
                    return true;
                }
            }
            return false;
        }
    }
}
