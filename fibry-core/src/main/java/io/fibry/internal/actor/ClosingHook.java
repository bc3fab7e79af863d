package io.fibry.internal.actor;

import io.fibry.function.Body;

/**
 * Closes something that an actor works with, at the end of the actor or before. Its failure is reported as
 * one of closing.
 */
public record ClosingHook(Body closing) implements Body {
    @Override
    public void run() throws Exception {
        closing.run();
    }
}
