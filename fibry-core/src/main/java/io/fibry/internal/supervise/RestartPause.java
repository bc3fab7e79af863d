package io.fibry.internal.supervise;

import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.Submission;
import io.fibry.time.Cancellable;
import org.jspecify.annotations.Nullable;

/** The pause of an actor before a restart: the turn that goes on after it, and the timer that ends it. */
public final class RestartPause {
    private final Turn rest;
    /**
     * Set by the turn that pauses; read by a thread that ends the pause before the timer does. The turn then
     * reads whether the pause is over, so one of the two threads cancels the timer.
     */
    volatile @Nullable Cancellable timer;

    RestartPause(Turn rest) {
        this.rest = rest;
    }

    /**
     * Lets the actor go on. Called once, by the thread that has ended the pause. This is the timer thread, or a
     * thread that must not run handlers here.
     */
    void goOn() {
        Submission.fromAnywhere(rest);
    }

    void cancelTimer() {
        var armed = timer;
        if (armed != null) {
            armed.cancel();
        }
    }
}
