package io.fibry.internal.flight;

import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.report.ClassName;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An event about an actor. */
@Category("Fibry")
@StackTrace(false)
abstract class FlightEvent extends Event {
    @Label("Actor")
    @Nullable String actor;
    @Label("Scope")
    @Nullable String scope;
    @Label("Handler Class")
    @Nullable String handler;

    final void about(Cell cell) {
        about(cell.name(), cell.spec().scope().name(), Behavior.reportedHandler(cell.behavior()));
    }

    final void about(String anActor, String aScope, @Nullable Class<?> itsHandler) {
        actor = anActor;
        scope = aScope;
        handler = itsHandler == null ? null : ClassName.of(itsHandler);
    }
}
