package io.fibry.dump;

import java.util.List;
import java.util.Objects;

/**
 * Actors that wait for one another: each but the last waits for the next.
 *
 * @param actors the names of the actors, at least two. The first one waits, and no other actor waits for it
 * @param others how many more actors wait for the last one, directly or through others, whose chains are not shown
 * @param ending what the last actor does
 * @param place where the code of the last actor is: a method with its line; empty if that is not known
 */
public record WaitChain(List<String> actors, int others, Ending ending, String place) {
    /** The state of the last actor of a chain. */
    public enum Ending {
        /** Its handler runs. */
        RUNS,
        /**
         * Its handler waits for something that is no actor: a lock, a queue, a future, a connection. If this depends on an
         * actor of the chain, none of them goes on; and if it asks one of them, it closes a cycle. So this wait is the one to
         * look at.
         */
        BLOCKED,
        /** It does not run: its turn waits for a thread. */
        BEHIND,
        /** It waits for an actor of the chain. The library refuses the last wait of a cycle, so the cycle is about to end. */
        CYCLE
    }

    /**
     * Checks the chain.
     *
     * @param actors the names of the actors
     * @param others how many more actors wait for the last one
     * @param ending what the last actor does
     * @param place where its code is
     */
    public WaitChain {
        actors = List.copyOf(actors);
        if (actors.size() < 2) {
            throw new IllegalArgumentException("a chain has at least two actors: " + actors);
        }
        Objects.requireNonNull(ending, "ending");
        Objects.requireNonNull(place, "place");
    }

    /**
     * Returns whether one more wait closes a cycle: at least two actors wait, one for the other, for an actor that itself
     * waits for something which the library does not know.
     *
     * @return whether the chain is one step from a cycle
     */
    public boolean isOneStepFromCycle() {
        return ending == Ending.CYCLE || (ending == Ending.BLOCKED && actors.size() > 2);
    }
}
