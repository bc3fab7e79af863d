package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The way of letters from this node to other nodes, which may be this one. */
sealed interface Route permits RouteToHome, RouteToNode {
    /** Sends a letter, or keeps it until it can be sent. */
    void send(Letter letter, long now);

    /** Returns the node to which a letter goes, if it goes anywhere now. */
    @Nullable UUID target(Letter letter);

    /** Whether a letter with this verdict is to be sent again. */
    boolean repeats(Letter letter, Verdict verdict, long now);

    /** A letter has got its verdict. */
    void settled(Letter letter, UUID by, Verdict verdict, boolean isSentAgain, long now);

    /** Whether the node to which a letter is underway has certainly not taken it, and will not. */
    boolean hasReturned(Letter letter);

    /**
     * A letter will get no verdict, since the node to which it went was lost.
     *
     * @param isNotTaken whether the node has certainly not taken it, or the letter may be taken twice
     */
    void lost(Letter letter, boolean isNotTaken);

    /** A letter that was taken is sent again. */
    void repeat(Letter letter);

    /** A letter that was taken is answered, or its sender does not wait for it any more. */
    void ended(Letter letter);

    /** Takes back a letter that waits to be sent, since it is answered or its sender does not wait for it any more; returns whether it has waited. */
    boolean takeBack(Letter letter);

    /** Lets time pass. */
    void tick(long now);
}
