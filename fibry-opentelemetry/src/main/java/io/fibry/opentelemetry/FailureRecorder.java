package io.fibry.opentelemetry;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Failed;
import io.opentelemetry.api.trace.StatusCode;

/** Records the failure of a handler in its span. A failure is reported on the thread of the handler, before its context ends. */
enum FailureRecorder implements ActorListener {
    INSTANCE;

    @Override
    public void on(ActorEvent event) {
        if (event instanceof Failed failed && failed.part() == Failed.Part.HANDLER) {
            HandlingSpan.current().setStatus(StatusCode.ERROR).recordException(failed.cause());
        }
    }

    @Override
    public boolean takesEvents() {
        return false;
    }
}
