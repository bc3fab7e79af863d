package io.fibry.internal.actor;

import io.fibry.function.Body;

/** Closes what a behavior works with. */
public record Disposal(Behavior behavior) implements Body {
    @Override
    public void run() throws Exception {
        behavior.dispose();
    }
}
