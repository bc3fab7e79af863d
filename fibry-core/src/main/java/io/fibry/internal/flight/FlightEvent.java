package io.fibry.internal.flight;

import io.fibry.internal.actor.Cell;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An event about an actor. */
@Category("Fibry")
@StackTrace(false)
abstract class FlightEvent extends Event {
    private static final String LAMBDA = "$$Lambda";

    @Label("Actor")
    @Nullable String actor;
    @Label("Scope")
    @Nullable String scope;
    @Label("Handler Class")
    @Nullable String handler;

    final void about(Cell cell) {
        about(cell.name(), cell.spec().scope().name(), cell.behavior().handlerClass());
    }

    final void about(String anActor, String aScope, @Nullable Class<?> itsHandler) {
        actor = anActor;
        scope = aScope;
        handler = itsHandler == null ? null : nameOf(itsHandler);
    }

    /** Returns the name of a class. The name of a lambda ends where a number follows that is another one in each run. */
    static String nameOf(Class<?> type) {
        var name = type.getName();
        var lambda = name.indexOf(LAMBDA);
        return lambda < 0 ? name : name.substring(0, lambda + LAMBDA.length());
    }
}
