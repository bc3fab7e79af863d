package io.fibry.promises;

import io.fibry.ActorScope;
import io.fibry.event.ActorListener;
import io.fibry.testing.Strategy;
import io.fibry.time.TimeSource;

/** Scopes on a strategy. */
public final class Scopes {
    private Scopes() {
    }

    /** One whose events are not logged. */
    public static ActorScope on(Strategy strategy) {
        return on(strategy, event -> {
        });
    }

    public static ActorScope on(Strategy strategy, ActorListener listener) {
        return ActorScope.configure("test").strategy(strategy.create()).listener(listener).open();
    }

    public static ActorScope on(Strategy strategy, ActorListener listener, TimeSource time) {
        return ActorScope.configure("test").strategy(strategy.create()).listener(listener).time(time).open();
    }
}
