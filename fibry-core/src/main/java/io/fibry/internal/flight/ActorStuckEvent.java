package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("fibry.ActorStuck")
@Label("Actor Stuck")
@Description("The watchdog has seen a handler that works for too long")
final class ActorStuckEvent extends FlightEvent {
    @Label("Message Class")
    @Nullable String message;
    @Timespan(Timespan.NANOSECONDS)
    @Label("Running For")
    long runningFor;
    @Label("Stack of the Handler")
    @Nullable String stack;
}
