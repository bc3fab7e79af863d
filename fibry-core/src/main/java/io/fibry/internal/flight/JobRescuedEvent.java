package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("fibry.JobRescued")
@Label("Job Rescued")
@Description("The monitor of the lanes has started an actor elsewhere that was to run after a handler which goes on and on")
final class JobRescuedEvent extends FlightEvent {
    @Label("Busy Actor")
    @Nullable String busyActor;
    @Label("Busy Handler Class")
    @Nullable String busyHandler;
    @Label("Events Omitted Before")
    long omitted;
}
