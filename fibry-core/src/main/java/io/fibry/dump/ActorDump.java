package io.fibry.dump;

import io.fibry.ActorState;
import io.fibry.Counters;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One actor at the moment of a dump.
 *
 * @param name its name; an anonymous actor has a name that was made up
 * @param handler the class of its handler
 * @param state its state; busy if it was busy at the first look
 * @param waiting how many messages wait in its mailbox
 * @param putAside how many messages it has taken and put aside
 * @param firstWaits how long the first message has waited at least, if an earlier look saw it
 * @param counters what became of its messages
 * @param work the handler that runs, if there is one
 * @param waitsFor the names of the actors for which it waits
 * @param parent the name of its parent, if it is a child
 * @param children how many children it has
 * @param timers how many timers it has set
 * @param restarts how often it was restarted
 * @param owed how many replies it has deferred and not given yet
 */
public record ActorDump(String name, String handler, ActorState state, long waiting, int putAside,
        Optional<Duration> firstWaits, Counters counters, List<Work> work, List<String> waitsFor,
        Optional<String> parent, int children, int timers, int restarts, int owed) {
    /**
     * Copies the lists.
     *
     * @param name its name
     * @param handler the class of its handler
     * @param state its state
     * @param waiting how many messages wait
     * @param putAside how many messages are put aside
     * @param firstWaits how long the first message has waited
     * @param counters what became of its messages
     * @param work the handlers that run
     * @param waitsFor the names of the actors for which it waits
     * @param parent the name of its parent
     * @param children how many children it has
     * @param timers how many timers it has set
     * @param restarts how often it was restarted
     * @param owed how many replies it owes
     */
    public ActorDump {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(firstWaits, "firstWaits");
        Objects.requireNonNull(counters, "counters");
        work = List.copyOf(work);
        waitsFor = List.copyOf(waitsFor);
        Objects.requireNonNull(parent, "parent");
    }
}
