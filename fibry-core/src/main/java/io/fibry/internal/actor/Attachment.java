package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import org.jspecify.annotations.Nullable;

/**
 * What some messages take along: the context of their sender, the places that they have taken where only so many may
 * wait, or both. Most messages have none and are nodes of another class, so they pay nothing for it.
 *
 * <p>The places go back once, whoever says so first. So this is let go of by the node's owner and by a canceller alike.
 */
final class Attachment {
    private volatile @Nullable Carried carried;
    /** Null if there is none, or if the actor has taken it over. */
    private volatile @Nullable Permit permit;

    Attachment(@Nullable Carried carried, @Nullable Permit permit) {
        this.carried = carried;
        this.permit = permit;
    }

    /** Whether the message may be handled on this thread, as that is now. */
    boolean fits() {
        return Carried.fits(carried);
    }

    /** Handles the message on this thread. */
    void around(Turn turn, Runnable handling) {
        var places = permit;
        if (places == null) {
            Carried.around(carried, handling);
            return;
        }
        if (turn.behavior.carries(places)) {
            permit = null;
        } else {
            places.begin();
        }
        try {
            Carried.around(carried, handling);
        } finally {
            turn.behavior.carriesNoMore();
        }
    }

    /** The same for another node of the message, which takes this one's place. The places that are gone meanwhile stay gone. */
    Attachment handOver() {
        // mutant: places-do-not-go-with-the-message
        var next = new Attachment(carried, permit);
        carried = null;
        permit = null;
        return next;
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
