package io.fibry.event;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A virtual thread of the watchdog has waited for a carrier for longer than a scope's {@link io.fibry.Watchdog} allows. All
 * carriers are held by threads that compute without a break, or that block where a virtual thread cannot leave its carrier.
 * Those threads may be actors of the scope or anything else in the JVM.
 *
 * @param scope the scope's name
 * @param waitedFor for how long the thread has waited
 * @param working what actors of the scope do on virtual threads at this moment, by their names; some of them, if there
 *     are many, those that may be on a carrier first
 */
public record CarriersStarved(String scope, Duration waitedFor,
        Map<String, List<StackTraceElement>> working) implements ActorEvent {
    /** Returns the name of the scope, since the event concerns no single actor. */
    @Override
    public String actor() {
        return scope;
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("scope", scope).with("waitedFor", waitedFor).with("working", working)
                .toString();
    }
}
