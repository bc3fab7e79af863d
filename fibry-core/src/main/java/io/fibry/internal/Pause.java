package io.fibry.internal;

import io.fibry.time.Cancellable;
import org.jspecify.annotations.Nullable;

/** A pause of an actor: the turn that goes on after it, and the timer that ends it. */
final class Pause {
    private final Cell cell;
    private final Turn rest;
    /** Set by the turn that pauses; read by whoever ends the pause before that. */
    volatile @Nullable Cancellable timer;

    Pause(Cell cell, Turn rest) {
        this.cell = cell;
        this.rest = rest;
    }

    /** Called once, by the thread that has ended the pause: a timer's, or one that must not run handlers here. */
    void goOn() {
        if (cell.spec().placement().mayRunInPlace() || Current.turn() != null) {
            Strategies.FIBER_EXECUTOR.execute(new Submission(rest));
        } else {
            cell.submit(rest);
        }
    }

    void cancelTimer() {
        var armed = timer;
        if (armed != null) {
            armed.cancel();
        }
    }
}
