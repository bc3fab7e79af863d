package io.fibry.internal.actor;

import io.fibry.ActorInterruptedException;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import java.nio.channels.ClosedByInterruptException;

/**
 * Interrupts the thread of a running turn, and no other.
 *
 * <p>A turn publishes itself, and so its thread, in {@code cell.running} while a handler may run, and takes it back before it
 * ends, waits for no more than {@code interrupters} to be zero, and clears the flag. An interrupter first
 * counts itself in {@code interrupters}, then reads the thread. Both variables are volatile, so either the
 * interrupter sees no thread, or the turn sees the interrupter and waits until the interrupt has been
 * delivered. Either way no interrupt arrives after the turn has cleared the flag.
 */
public final class Interrupts {
    private Interrupts() {
    }

    /** Interrupts whatever the actor is doing, if it does anything. */
    static void turn(Cell cell) {
        var companion = cell.extendedState();
        companion.countInterrupter(1);
        try {
            var thread = cell.thread();
            Interleave.here();
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            companion.countInterrupter(-1);
        }
    }

    /** Interrupts the handler that works on this answer, if it still does. */
    static void answer(Cell cell, Answer<?> answer) {
        var companion = cell.extendedState();
        companion.countInterrupter(1);
        try {
            var thread = cell.thread();
            Interleave.here();
            // mutant: cancel-interrupts-any-handler
            if (RunningAsk.has(companion.running, answer) && thread != null) {
                Interleave.here();
                thread.interrupt();
            }
        } finally {
            companion.countInterrupter(-1);
        }
    }

    /**
     * The handler is done with this answer: no interrupt for it comes after this. If it goes on inside the handler of
     * another ask, an interrupt that was for that one stays.
     */
    static void end(ExtendedState companion, Answer<?> answer) {
        var others = RunningAsk.without(companion.running, answer);
        companion.running = others;
        Interleave.here();
        await(companion, others == null);
        if (others != null && answer.isOver() && Thread.interrupted() && RunningAsk.isAnyOver(others)) {
            Thread.currentThread().interrupt();
        }
    }

    /** The turn's side: after it has taken back what it published. */
    static void await(ExtendedState companion, boolean clearFlag) {
        // An interrupter between its two counts does nothing but read and interrupt: this is short.
        if (companion.isBeingInterrupted()) {
            var backoff = new Backoff();
            // mutant: turn-does-not-wait-for-the-interrupt
            while (companion.isBeingInterrupted()) {
                backoff.pause();
            }
        }
        if (clearFlag) {
            Thread.interrupted();
        }
    }

    /** Whether this is how code ends whose thread was interrupted. */
    static boolean isCauseOf(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof ActorInterruptedException
                || failure instanceof ClosedByInterruptException;
    }
}
