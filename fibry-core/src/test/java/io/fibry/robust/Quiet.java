package io.fibry.robust;

import io.fibry.ActorScope;
import io.fibry.ScopeBuilder;
import io.fibry.testing.Patience;
import io.fibry.testing.Strategy;

/** Scopes whose reports are heard by nobody, so that failures made on purpose stay out of the log. */
public final class Quiet {
    private Quiet() {
    }

    public static ActorScope scope(Strategy strategy) {
        return configure().strategy(strategy.create()).open();
    }

    public static ScopeBuilder configure() {
        return ActorScope.configure("quiet").closeTimeout(Patience.LIMIT).listener(event -> {
        });
    }
}
