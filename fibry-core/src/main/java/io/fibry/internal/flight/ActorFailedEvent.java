package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("fibry.ActorFailed")
@Label("Actor Failed")
@Description("A handler, or other code of an actor, has thrown an exception")
final class ActorFailedEvent extends FlightEvent {
    @Label("Part")
    @Nullable String part;
    @Label("Message Class")
    @Nullable String message;
    @Label("Exception Class")
    @Nullable String exception;
    @Label("Exception Message")
    @Nullable String text;
    @Label("Events Omitted Before")
    long omitted;
}
