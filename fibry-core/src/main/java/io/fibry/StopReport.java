package io.fibry;

import io.fibry.event.Undelivered.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Reports how a stop went.
 *
 * @param name the actor or scope that was stopped
 * @param stopped whether everything had stopped when the report was made
 * @param forced whether the deadline passed, so that running handlers were interrupted; if the deadline was zero,
 *     whether an actor was not idle, or had something to run at its end
 * @param stuck names of the actors that were still running when the report was made
 * @param counters the counts of the messages, by what became of them; for a scope, without the scopes inside it
 * @param lost how many messages were dropped, refused or undelivered, by the cause; the numbers add up to those of the
 *     counters
 * @param stacks the stack traces of the stuck actors by their names; empty where a stack trace is not known
 * @param drain how long it took to handle the messages that were there; zero for an actor, and for a scope that was
 *     stopped with the one around it
 * @param inner the reports of the scopes inside it
 */
public record StopReport(String name, boolean stopped, boolean forced, List<String> stuck,
        Counters counters, Map<Cause, Long> lost, Map<String, List<StackTraceElement>> stacks, Duration drain,
        List<StopReport> inner) {
    /**
     * Makes a report.
     *
     * @param stuck is copied
     * @param lost is copied
     * @param stacks is copied
     * @param inner is copied
     */
    public StopReport {
        stuck = List.copyOf(stuck);
        lost = Map.copyOf(lost);
        stacks = Map.copyOf(stacks);
        inner = List.copyOf(inner);
    }

    /**
     * Makes a report without details.
     *
     * @param name the actor or scope that was stopped
     * @param stopped whether everything had stopped
     * @param forced whether the deadline passed
     * @param stuck names of the actors that were still running
     * @param counters the counts of the messages, by what became of them
     */
    public StopReport(String name, boolean stopped, boolean forced, List<String> stuck, Counters counters) {
        this(name, stopped, forced, stuck, counters, Map.of(), Map.of(), Duration.ZERO, List.of());
    }
}
