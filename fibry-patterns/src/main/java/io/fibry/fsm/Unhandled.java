package io.fibry.fsm;

/** The treatment of an event for which the state of a machine has no transition. Listeners hear of it in any case. */
public enum Unhandled {
    /**
     * The event fails with an {@link UnhandledEventException}, as if an action had thrown it: it is reported, and the failure
     * policy of the machine's actor decides what follows.
     */
    FAIL,
    /** The event is handled, and nothing happens. If it was a request, its answer fails. */
    IGNORE,
    /**
     * The event is handled, and an {@link UnhandledEventException} is reported to the listeners of the scope, as a failure
     * of an actor without a name. The failure policy of the machine is not asked. The future of a caller fails with this
     * exception.
     */
    REPORT
}
