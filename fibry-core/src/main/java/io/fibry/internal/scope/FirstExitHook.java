package io.fibry.internal.scope;

import io.fibry.function.Body;
import io.fibry.internal.actor.Current;

/**
 * An exit hook that runs before all others of its actor. It runs with the interrupt flag set if the actor was stopped by
 * force. The turn has cleared an interrupt that came before the hook, with what handlers leave behind. The stopper sets
 * {@code forced} before it interrupts: so either the hook sees {@code forced}, or the interrupt is still to come.
 */
record FirstExitHook(Body hook) implements Body {
    @Override
    public void run() throws Exception {
        var turn = Current.turn();
        if (turn == null || !turn.cell.extendedState().forced) {
            hook.run();
            return;
        }
        Thread.currentThread().interrupt();
        try {
            hook.run();
        } finally {
            Thread.interrupted();
        }
    }
}
