package io.fibry.dump;

import io.fibry.Counters;
import io.fibry.event.Undelivered;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One scope and its actors at the moment of a dump.
 *
 * @param name the name of the scope
 * @param state whether the scope is open
 * @param listsAll whether all actors of the scope are seen. Only the root scope does not list the anonymous ones, unless
 *     it has a watchdog or is measured
 * @param actors how many actors are listed and have not stopped
 * @param idle how many of them have nothing to do
 * @param busy how many of them have messages, or work on one
 * @param waiting how many messages wait in their mailboxes
 * @param counters what became of the messages to the actors of this scope
 * @param lost how many of these messages were lost, by cause
 * @param firstLost of the first that were lost or have expired, a text with the actor, the class of the message and why
 * @param limits the limits of the scope, and how far they are used
 * @param jobs how many jobs are scheduled in the scope
 * @param kept how many messages are kept for names that no actor has
 * @param abandoned how many threads were abandoned and still run
 * @param handlers the actors, added up by the class of their handlers: the class with most waiting messages first
 * @param shown the actors that are shown one by one: those with most to do. Idle actors are shown only if all are
 * @param sections what others {@linkplain io.fibry.ActorScope#addToDumps add}
 * @param scopes the scopes inside this one, in the order of their names
 */
public record ScopeDump(String name, State state, boolean listsAll, long actors, long idle, long busy,
        long waiting,
        Counters counters, Map<Undelivered.Cause, Long> lost, List<String> firstLost, List<LimitUse> limits,
        int jobs, int kept,
        int abandoned, List<HandlerTotals> handlers, List<ActorDump> shown, List<DumpSection> sections,
        List<ScopeDump> scopes) {
    /** Whether a scope takes messages. */
    public enum State {
        /** It takes messages. */
        OPEN,
        /** It is being closed: its actors take messages only from one another. */
        CLOSING,
        /** It is closed. Actors that are still listed have not ended yet. */
        CLOSED
    }

    /**
     * Copies the collections.
     *
     * @param name the name of the scope
     * @param state whether the scope is open
     * @param listsAll whether all actors of the scope are seen
     * @param actors how many actors there are
     * @param idle how many of them have nothing to do
     * @param busy how many of them have something to do
     * @param waiting how many messages wait
     * @param counters what became of the messages
     * @param lost how many were lost, by cause
     * @param firstLost the first of them
     * @param limits the limits
     * @param jobs how many jobs there are
     * @param kept how many messages are kept
     * @param abandoned how many abandoned threads run
     * @param handlers the sums by handler
     * @param shown some actors
     * @param sections what others add
     * @param scopes the scopes inside this one
     */
    public ScopeDump {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(counters, "counters");
        lost = Map.copyOf(lost);
        firstLost = List.copyOf(firstLost);
        limits = List.copyOf(limits);
        handlers = List.copyOf(handlers);
        shown = List.copyOf(shown);
        sections = List.copyOf(sections);
        scopes = List.copyOf(scopes);
    }

    /**
     * Returns the number of all actors that are listed, with those of the scopes inside this one.
     *
     * @return how many actors there are
     */
    public long allActors() {
        return actors + scopes.stream().mapToLong(ScopeDump::allActors).sum();
    }

    /**
     * Returns the number of all messages that wait, with those in the scopes inside this one.
     *
     * @return how many messages wait
     */
    public long allWaiting() {
        return waiting + scopes.stream().mapToLong(ScopeDump::allWaiting).sum();
    }
}
