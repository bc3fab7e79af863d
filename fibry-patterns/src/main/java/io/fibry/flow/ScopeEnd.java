package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;

/**
 * Calls a hook when the stop of a scope begins. A producer that waits for room is no actor that a drain waits for, and it would
 * otherwise hold the scope up until the deadline.
 */
final class ScopeEnd {
    private static final int INTAKE = -1;

    private ScopeEnd() {
    }

    /** Does the same, and closes the scope if the hook cannot be set. */
    static void callOrClose(ActorScope scope, Runnable hook) {
        try {
            call(scope, hook);
        } catch (RuntimeException | Error e) {
            scope.close();
            throw e;
        }
    }

    static void call(ActorScope scope, Runnable hook) {
        scope.anonymous().strategy(CreationStrategy.fibers()).stopPhase(INTAKE).onExit(hook::run)
                .newActor((Object none) -> {
                });
    }
}
