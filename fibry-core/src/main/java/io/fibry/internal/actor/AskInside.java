package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.StackReserve;

/**
 * Handles an ask in the middle of a {@link ReentrantWait}, on the turn and the thread of the handler that waits. What belongs to
 * that handler is put aside meanwhile: the ask that it works on, its time limit, the place from which its message was sent, and
 * its interrupts.
 */
public final class AskInside {
    private final ReentrantWait wait;
    private final Turn turn;

    AskInside(ReentrantWait wait) {
        this.wait = wait;
        turn = wait.turn;
    }

    /** Handles the ask if it is still queued. */
    void handle(Answer<?> ask) {
        if (!(ask.node() instanceof AskNode node)) {
            return;
        }
        if (!node.fits()) {
            ask.failAsk(new AskCycleException("actor '" + turn.cell.name()
                    + "' would wait for itself, and cannot handle the ask inside the handler that waits: values are bound on"
                    + " its thread that were not bound where the ask was sent (ScopedValues, for example); ask where they"
                    + " are not bound, or use sendMessage instead of waiting"));
            return;
        }
        StackReserve.require(); // if there is too little stack, this wait fails, and the ask stays in the mailbox
        var observer = turn.extendedState().observer;
        if (observer == null) {
            take(node);
            return;
        }
        observer.beginsInside(node);
        try {
            take(node);
        } finally {
            observer.onEndInside();
        }
    }

    private void take(AskNode node) {
        var moved = node.take();
        if (moved != null) {
            // mutant: ask-handled-inside-keeps-its-place
            turn.cell.tookBack(); // the place of the empty node is free, and a sender may wait for it
            run(moved);
        }
    }

    private void run(AskNode moved) {
        var extended = turn.extendedState();
        var deadline = extended.deadline;
        var site = extended.sentFrom;
        extended.waiting = null;
        extended.sentFrom = null;
        // mutant: handlers-around-are-forgotten
        extended.waitsInside = wait;
        // As before each message: a forced stop first sets the reason for the end and then interrupts.
        var interrupted = Thread.interrupted();
        try {
            if (extended.exitReason == null) {
                turn.handle(moved);
            } else {
                turn.cell.lose(moved, Cause.STOPPED, null);
            }
        } finally {
            turn.asked = wait.worksOn;
            extended.deadline = deadline;
            extended.sentFrom = site;
            extended.waitsInside = wait.around;
            Thread.interrupted(); // an interrupt that the inner handler has left, or has not noticed, was not for the outer one
            if (interrupted || extended.wasInterruptedMeanwhile()) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
