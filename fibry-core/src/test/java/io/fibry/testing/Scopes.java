package io.fibry.testing;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.fibry.event.ActorListener;
import io.fibry.time.TimeSource;

/** Scopes on a strategy. */
public final class Scopes {
    private Scopes() {
    }

    /** To be configured further. Its events are not logged, so failures made on purpose stay out of the log. */
    public static ScopeBuilder configure() {
        return ActorSystem.configure("test").closeTimeout(Patience.LIMIT).listener(event -> {
        });
    }

    /** One whose events are not logged. */
    public static ActorScope on(Strategy strategy) {
        return configure().strategy(strategy.create()).open();
    }

    public static ActorScope on(Strategy strategy, ActorListener listener) {
        return configure().strategy(strategy.create()).listener(listener).open();
    }

    public static ActorScope on(Strategy strategy, ActorListener listener, TimeSource time) {
        return configure().strategy(strategy.create()).listener(listener).time(time).open();
    }
}
