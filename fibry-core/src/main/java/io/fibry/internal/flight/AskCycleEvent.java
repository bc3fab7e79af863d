package io.fibry.internal.flight;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("fibry.AskCycle")
@Label("Ask Cycle")
@Description("A wait of an actor was refused, since actors would have waited for each other")
final class AskCycleEvent extends FlightEvent {
    @Label("Cycle")
    @Nullable String cycle;
    @Label("Events Omitted Before")
    long omitted;
}
