package io.fibry.internal.actor;

import io.fibry.function.Body;

/**
 * Closes something that an actor works with, at the end of the actor or before. Its failure is reported as
 * one of closing.
 */
public record ClosingHook(Body closing) implements Body {
    private record Close(AutoCloseable resource) implements Body {
        @Override
        public void run() throws Exception {
            resource.close();
        }
    }

    public static ClosingHook of(AutoCloseable resource) {
        return new ClosingHook(new Close(resource));
    }

    @Override
    public void run() throws Exception {
        closing.run();
    }
}
