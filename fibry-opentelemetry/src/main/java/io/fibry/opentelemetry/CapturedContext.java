package io.fibry.opentelemetry;

import io.fibry.ContextCarrier.Captured;
import io.opentelemetry.context.Context;

/** The context of a sender. */
record CapturedContext(Context context) implements Captured {
    @Override
    @SuppressWarnings("MustBeClosedChecker") // the engine runs what is returned after the handler
    public Runnable restore() {
        return context.makeCurrent()::close;
    }
}
