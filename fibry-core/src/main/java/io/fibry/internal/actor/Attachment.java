package io.fibry.internal.actor;

import io.fibry.ContextCarrier;
import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What some messages take along: the context of their sender, the places that they hold where the number of
 * waiting messages is limited, the future of their fate, or several of them. Most messages have no attachment and are
 * nodes of another class, so they pay nothing for it.
 *
 * <p>The places go back once, whichever thread gives them back first. So both the owner of the node and a
 * canceller may call {@link #release}.
 */
final class Attachment {
    /** Written by the maker; cleared by the owner of the node or a canceller. Each reads it once. */
    private volatile @Nullable Carried carried;
    /**
     * Null if there is none, or if the actor has taken it over. Written by the maker, which then reads whether
     * the answer is over, and by the turn that moves it to another node.
     */
    private volatile @Nullable Permit permit;
    private final @Nullable FateAnswer fate;

    Attachment(@Nullable Carried carried, @Nullable Permit permit) {
        this(carried, permit, null);
    }

    Attachment(@Nullable Carried carried, @Nullable Permit permit, @Nullable FateAnswer fate) {
        this.carried = carried;
        this.permit = permit;
        this.fate = fate;
    }

    /** What has an attachment. */
    @FunctionalInterface
    interface Owner {
        /** Handles the message. Called with its context in place. */
        void handleInside(Turn turn);

        /** Returns whether the sender has an answer. */
        default boolean isAsk() {
            return false;
        }
    }

    private record Handling(Owner owner, Turn turn) implements Runnable, ContextCarrier.Handling {
        @Override
        public void run() {
            owner.handleInside(turn);
        }

        @Override
        public Optional<String> actor() {
            return Optional.ofNullable(turn.cell.givenName());
        }

        @Override
        public Class<?> handler() {
            return turn.behavior.handlerClass();
        }

        @Override
        public boolean isAsk() {
            return owner.isAsk();
        }
    }

    /** Returns whether the message may be handled on the calling thread in its present state. */
    boolean fits() {
        return Carried.fits(carried);
    }

    /** Lets the owner handle its message on the calling thread. */
    void around(Turn turn, Owner owner) {
        var context = carried;
        var site = context == null ? null : context.sentFrom();
        if (site == null) {
            aroundWithoutSite(turn, owner);
            return;
        }
        var extended = turn.extendedState();
        var before = extended.sentFrom;
        extended.sentFrom = site;
        try {
            aroundWithoutSite(turn, owner);
        } finally {
            extended.sentFrom = before;
        }
    }

    private void aroundWithoutSite(Turn turn, Owner owner) {
        var handling = new Handling(owner, turn);
        var places = permit;
        if (places == null) {
            Carried.around(carried, handling);
            return;
        }
        if (turn.behavior.carries(places)) {
            permit = null;
        } else if (!turn.behavior.mayKeep()) { // otherwise the message may have to wait once more
            places.begin();
        }
        try {
            Carried.around(carried, handling);
        } finally {
            turn.behavior.carriesNoMore();
        }
    }

    /**
     * Returns an attachment for another node of the same message, which replaces the node of this attachment. Places that
     * were given back in the meantime stay given back.
     */
    Attachment handOver() {
        // mutant: places-do-not-go-with-the-message
        var next = new Attachment(carried, permit, fate);
        carried = null;
        permit = null;
        return next;
    }

    /** Returns an attachment for another node of the same message that holds these places. */
    Attachment with(@Nullable Permit places) {
        return new Attachment(carried, places, fate);
    }

    @Nullable FateAnswer fate() {
        return fate;
    }

    @Nullable Carried carried() {
        return carried;
    }

    /** Gives back the places, which the message does not need any more. */
    void giveBack() {
        var places = permit;
        if (places != null) {
            places.giveBack();
        }
    }

    /** Drops the context and gives back the places: the message needs neither any more. */
    void release() {
        carried = null;
        giveBack();
    }
}
