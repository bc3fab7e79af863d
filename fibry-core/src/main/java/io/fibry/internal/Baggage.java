package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/**
 * What some messages take along: the context of their sender, the places that they have taken where only so many may
 * wait, or both. Most messages have none and are nodes of another class, so they pay nothing for it.
 *
 * <p>The places go back once, whoever says so first. So this is let go of by the node's owner and by a canceller alike.
 */
final class Baggage {
    private volatile @Nullable Carried carried;
    /** Null if there is none, or if the actor has taken it over. */
    private volatile @Nullable Permit permit;

    Baggage(@Nullable Carried carried, @Nullable Permit permit) {
        this.carried = carried;
        this.permit = permit;
    }

    /** The message is about to be handled on this thread; what is returned is to run when it was. */
    Runnable opens(Turn turn) {
        var places = permit;
        if (places == null) {
            return Carried.restore(carried);
        }
        if (turn.behavior.carries(places)) {
            permit = null;
        } else {
            places.begins();
        }
        var undo = Carried.restore(carried);
        return () -> {
            undo.run();
            turn.behavior.carriesNoMore();
        };
    }

    @Nullable Carried carried() {
        return carried;
    }

    /** The message needs its places no more. */
    void giveBack() {
        var places = permit;
        if (places != null) {
            places.giveBack();
        }
    }

    /** The message needs nothing any more. */
    void letGo() {
        carried = null;
        giveBack();
    }
}
