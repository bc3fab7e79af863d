package io.fibry.cluster.home;

import io.fibry.cluster.stream.Verdict;
import java.util.UUID;

/** The way of letters to a node, which may be this one. If they never wait, a route needs only the abstract methods. */
abstract sealed class Route permits RouteToHome, RouteToNode, RouteToWorkers {
    final ClusterMember member;

    Route(ClusterMember member) {
        this.member = member;
    }

    /** Sends a letter, or keeps it until it can be sent. */
    abstract void send(Letter letter, long now);

    /**
     * A letter will get no verdict, since the node to which it went was lost.
     *
     * @param isNotTaken whether the node has certainly not taken it, or the letter may be taken twice
     */
    abstract void lost(Letter letter, boolean isNotTaken);

    /** Whether a letter with this verdict is to be sent again. */
    boolean repeats(Letter letter, Verdict verdict, long now) {
        return false;
    }

    /** A letter has got its verdict. */
    void settled(Letter letter, UUID by, Verdict verdict, boolean isSentAgain, long now) {
    }

    /** Whether the node to which a letter is underway has certainly not taken it, and will not. */
    boolean hasReturned(Letter letter) {
        return false;
    }

    /** A letter that was taken is sent again. */
    void repeat(Letter letter) {
        throw new IllegalStateException("no letter of this route is repeated");
    }

    /** A letter that was taken is answered, or its sender does not wait for it any more. */
    void ended(Letter letter) {
    }

    /** Takes back a waiting letter that is answered or whose sender has given up; returns whether it was waiting. */
    boolean takeBack(Letter letter) {
        return false;
    }

    /** The nodes to which letters may go may have changed. */
    void lookAgain(long now) {
    }

    /** Lets time pass. */
    void tick(long now) {
    }
}
