package io.fibry.internal.report;

import io.fibry.event.ActorEvent;
import org.jspecify.annotations.Nullable;

/**
 * Records what is reported, whether a listener receives it or not. Called by the threads that report, which may be the
 * timer thread, so it does not wait.
 */
public interface EventRecorder {
    /** Returns whether anything may be recorded: else a caller need not make what it would pass. */
    boolean mayRecord();

    /** Records an event of a scope, and the class of the handler if the event concerns an actor that is known. */
    void event(ActorEvent event, String scope, @Nullable Class<?> handler);

    /** Records that a wait of an actor was refused, since it would have closed a cycle. */
    void askCycle(String actor, String scope, Class<?> handler, String cycle);

    /** Records that an ask got no answer in time. */
    void askTimedOut(String actor, String scope, @Nullable Class<?> handler, Class<?> message,
            long limitNanos);
}
