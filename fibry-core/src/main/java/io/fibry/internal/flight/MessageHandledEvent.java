package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

@Name("fibry.MessageHandled")
@Label("Message Handled")
@Description("A handler has worked on a message for longer than the threshold")
@Enabled(false)
@Threshold("20 ms")
final class MessageHandledEvent extends FlightEvent {
    @Label("Message Class")
    @Nullable String message;
}
