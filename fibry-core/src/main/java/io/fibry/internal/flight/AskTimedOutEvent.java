package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("fibry.AskTimedOut")
@Label("Ask Timed Out")
@Description("An ask got no answer within its time limit")
final class AskTimedOutEvent extends FlightEvent {
    @Label("Message Class")
    @Nullable String message;
    @Timespan(Timespan.NANOSECONDS)
    @Label("Time Limit")
    long limit;
    @Label("Events Omitted Before")
    long omitted;
}
