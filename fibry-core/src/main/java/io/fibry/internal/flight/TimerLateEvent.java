package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("fibry.TimerLate")
@Label("Timer Late")
@Description("The task of a timer was called later than 20 ms after its time")
final class TimerLateEvent extends FlightEvent {
    @Label("Task Class")
    @Nullable String task;
    @Timespan(Timespan.NANOSECONDS)
    @Label("Late By")
    long lateBy;
    @Label("Events Omitted Before")
    long omitted;
}
