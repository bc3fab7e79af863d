package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("fibry.ActorRestarted")
@Label("Actor Restarted")
@Description("An actor was restarted after a failure")
final class ActorRestartedEvent extends FlightEvent {
    @Label("Restarts So Far")
    int restarts;
    @Label("Exception Class")
    @Nullable String exception;
}
