package io.fibry.internal.actor;

import io.fibry.ContextCarrier;
import io.fibry.event.Expired;
import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.report.Fates;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message with what it takes along: the context of its sender, the places that it holds where the number of waiting
 * messages is limited, the future of its fate, the time after which it is not to be handled, or several of these. A
 * parcel goes with its message from node to node.
 *
 * <p>Any thread may take an ask back while the turn handles it, or moves it. So two threads may have the parcel. All of
 * it but the places is final, and the places go back once, whichever thread gives them back first.
 */
public final class Parcel extends Wrapped {
    /** The user's object, or {@link Code}. */
    private final Object inside;
    private final @Nullable Carried carried;
    /**
     * Null if there is none, or if the actor has taken it over. Written by the sender before the link, who then reads whether
     * the answer is over, and by the turn.
     */
    private volatile @Nullable Permit permit;
    private final @Nullable FateAnswer fate;
    private final @Nullable TimeToLive timeToLive;

    Parcel(Object inside, @Nullable Carried carried, @Nullable FateAnswer fate,
            @Nullable TimeToLive timeToLive) {
        this.inside = inside;
        this.carried = carried;
        this.fate = fate;
        this.timeToLive = timeToLive;
    }

    /** Returns what a message holds that takes this along, which is the object itself if there is nothing. */
    static Object of(@Nullable Carried carried, Object inside) {
        return carried == null ? inside : new Parcel(inside, carried, null, null);
    }

    /** How long a message may wait. No timer: the turn looks when it takes the message, which keeps its place until then. */
    record TimeToLive(long sentAt, long nanos) {
        boolean isOver(long now) {
            return now - sentAt >= nanos;
        }
    }

    /** The handling of a message, in its context. */
    private record Handling(Parcel parcel, MessageNode message,
            Turn turn) implements Runnable, ContextCarrier.Handling {
        @Override
        public void run() {
            var fate = parcel.fate;
            if (fate == null) {
                message.handle(turn, parcel.inside);
            } else {
                fate.handle(turn, message, parcel.inside);
            }
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
            return message instanceof AskNode;
        }
    }

    @Override
    void handle(Turn turn, MessageNode message) {
        if (timeToLive != null && timeToLive.isOver(turn.time().nanoTime())) {
            expire(turn, timeToLive);
            return;
        }
        // mutant: message-without-scoped-values-is-handled-among-some, ask-without-scoped-values-is-handled-among-some
        if (!fits() && !message.isOver() && turn.mayLeave(message)) {
            var moved = message.moved(inside);
            turn.leaveForAnotherStack(moved, message);
            moved.takeOver();
            return;
        }
        // mutant: context-of-a-message-stays, ask-carries-nothing
        around(turn, message);
    }

    private void expire(Turn turn, TimeToLive time) {
        turn.expired();
        giveBack(); // before the fate is known, since the thread that gets it may send again at once
        if (fate != null) {
            fate.expired();
        }
        Losses.remember(turn.cell, inside, Fates.Kind.EXPIRED);
        turn.cell.report(new Expired(turn.cell.name(), inside, Duration.ofNanos(time.nanos)));
    }

    private void around(Turn turn, MessageNode message) {
        var site = carried == null ? null : carried.sentFrom();
        if (site == null) {
            aroundWithoutSite(turn, message);
            return;
        }
        var extended = turn.extendedState();
        var before = extended.sentFrom;
        extended.sentFrom = site;
        try {
            aroundWithoutSite(turn, message);
        } finally {
            extended.sentFrom = before;
        }
    }

    private void aroundWithoutSite(Turn turn, MessageNode message) {
        var handling = new Handling(this, message, turn);
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

    /** Returns whether the message may be handled on the calling thread in its present state. */
    boolean fits() {
        return Carried.fits(carried);
    }

    /** Returns whether the message has waited for so long that it is not to be handled any more. */
    boolean isLate(Cell cell) {
        return timeToLive != null && timeToLive.isOver(cell.spec.scope.time().nanoTime());
    }

    @Override
    Object content() {
        return inside instanceof Code code ? code.content() : inside;
    }

    @Override
    @Nullable Code code() {
        return inside instanceof Code code ? code : null;
    }

    @Nullable Carried carried() {
        return carried;
    }

    @Nullable FateAnswer fate() {
        return fate;
    }

    /** Takes these places along, which the sender has taken for the message. */
    void hold(Permit places) {
        permit = places;
    }

    /** Notes that the message goes to the successor of its actor, where it holds no places. */
    void passTo(Cell heir) {
        if (fate != null) {
            fate.forwardTo(heir);
        }
        giveBack();
    }

    /** Gives back the places, which the message does not need any more. */
    void giveBack() {
        var places = permit;
        if (places != null) {
            places.giveBack();
        }
    }

    @Override
    void release() {
        giveBack();
    }
}
