package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("fibry.MessageUndelivered")
@Label("Message Undelivered")
@Description("A message was not handled")
final class MessageUndeliveredEvent extends FlightEvent {
    @Label("Message Class")
    @Nullable String message;
    @Label("Cause")
    @Nullable String cause;
    @Label("Events Omitted Before")
    long omitted;
}
