package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Parcel.TimeToLive;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.limit.Permit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message for which no answer is wanted, or code that runs inside the actor. An {@link AskNode} is a message with an answer.
 */
public class MessageNode extends Node {
    /**
     * The user's object, or {@link Wrapped} if there is more to it. Null once the message was handled, or has moved to another
     * node. Written by the sender before the link; cleared by the consumer, and by a thread that takes an {@link AskNode} back.
     */
    private @Nullable Object packed;

    /** Makes a message of a user's object, or of one that is {@link Wrapped}. */
    public MessageNode(Object packed) {
        this.packed = packed;
    }

    /** Returns a message, or {@link Code}, that the calling thread sends to an actor. */
    public static MessageNode to(ActorSpec actor, Object content) {
        return with(actor.carriers, content);
    }

    /** Returns a message with what these carriers capture on the calling thread. */
    public static MessageNode with(@Nullable Carriers carriers, Object content) {
        return passedOn(carriers == null ? null : carriers.capture(), content);
    }

    /** Returns a message, or {@link Code}, that another actor passes on. */
    public static MessageNode passedOn(@Nullable Carried carried, Object content) {
        return new MessageNode(Parcel.of(carried, content));
    }

    /** As {@link #passedOn(Carried, Object)}, for a message whose fate is followed. */
    public static MessageNode passedOn(@Nullable Carried carried, Object content, FateAnswer fate) {
        return new MessageNode(new Parcel(content, carried, fate, null));
    }

    /** Returns a message to an actor by the calling thread, whose fate is followed. */
    public static MessageNode tracked(ActorSpec actor, Object content, FateAnswer fate) {
        return passedOn(actor.capture(), content, fate);
    }

    /** Returns a message by the calling thread that may wait for so long; {@code fate} is null if it is not followed. */
    public static MessageNode expiring(ActorSpec actor, Object content, long nanos,
            @Nullable FateAnswer fate) {
        return new MessageNode(new Parcel(content, actor.capture(), fate,
                new TimeToLive(actor.scope.time().nanoTime(), nanos)));
    }

    /** Returns an entry of a mailbox as a node: a message that has none gets one. */
    public static Node of(Object entry) {
        return entry instanceof Node node ? node : new MessageNode(entry);
    }

    // ---- Called by the turn. ----

    /** Handles this message, all of it or what was in its parcel. */
    public void handle(Turn turn, @Nullable Object part) {
        if (part instanceof Wrapped wrapped) {
            wrapped.handle(turn, this);
        } else if (part == null) {
            throw new AssertionError("a message was handled twice");
        } else {
            if (packed == part) {
                packed = null; // a handler that takes long need not keep its message
            }
            var keeper = runBehavior(turn, part);
            if (keeper != null) {
                keeper.keep(turn, moved(part));
            }
        }
    }

    /** Handles a message that has no node. */
    static void handleBare(Turn turn, Object message) {
        var keeper = runBehavior(turn, message);
        if (keeper != null) {
            keeper.keep(turn, new MessageNode(message));
        }
    }

    /** Handles a message that was in a node of the engine. The caller has put its context in place. */
    public static void handle(Turn turn, Object message, @Nullable Carried carried) {
        var keeper = runBehavior(turn, message);
        if (keeper != null) {
            keeper.keep(turn, passedOn(carried, message));
        }
    }

    /** Lets the behavior handle a message; returns the feature that keeps it, or null if the behavior is finished with it. */
    private static @Nullable Feature runBehavior(Turn turn, Object message) {
        Object result;
        try {
            result = turn.behavior.handle(turn, message);
        } catch (Throwable failure) {
            turn.failed(message, WrongType.named(turn.cell, message.getClass(), failure));
            return null;
        }
        if (result instanceof Feature keeper) {
            return keeper;
        }
        turn.handled();
        return null;
    }

    /** Handles the refusal of this message by the strategy of the actor. */
    public final void refused(Turn turn, Throwable why) {
        turn.cell.lose(this, Cause.STRATEGY_REFUSED, why);
        turn.skipped();
    }

    /**
     * Returns a fresh node for this message, whose content is given, with all that belongs to it; this one is empty then. The
     * caller puts the fresh node where the turn finds it, and lets it {@link #takeOver}.
     */
    final MessageNode moved(Object content) {
        var all = packed; // of an ask that was taken back just now nothing is left, and takeOver will see that
        // mutant: places-do-not-go-with-the-message
        var fresh = fresh(all == null ? content : all);
        packed = null;
        return fresh;
    }

    /** Returns a node for this message that holds this. */
    MessageNode fresh(Object all) {
        return new MessageNode(all);
    }

    /** Makes this fresh node the one that a thread takes back. */
    void takeOver() {
    }

    /** Returns a fresh node for the successor of the actor that this message was sent to; null if the message is over. */
    public @Nullable MessageNode forHeir(Cell heir) {
        var all = Objects.requireNonNull(packed);
        var mine = new MessageNode(all); // if there is no memory for it, this node still has the message
        passTo(heir, all);
        return mine;
    }

    /** Leaves what this node holds to a fresh one for the successor of the actor. */
    final void passTo(Cell heir, Object all) {
        if (all instanceof Parcel parcel) {
            parcel.passTo(heir);
        }
        packed = null;
        clear();
    }

    // ---- Called by the sender. ----

    /** Takes these places along. Called before the node is sent. */
    public void hold(Permit places) {
        holding(Objects.requireNonNull(packed), places);
    }

    /** Puts the places into the parcel of this message, which it gets if it has none; returns the parcel. */
    final Parcel holding(Object all, Permit places) {
        var parcel = all instanceof Parcel mine ? mine : new Parcel(all, null, null, null);
        parcel.hold(places);
        packed = parcel;
        return parcel;
    }

    // ---- Called by any thread. ----

    /** Gives back the places, and then tells the thread that waits for this message, if any, that it will not be handled. */
    void lost(Cell cell, Object content, Cause cause, @Nullable Throwable why) {
        var fate = fate();
        if (fate != null) {
            giveBackPlaces(); // the thread that gets the fate may send again at once
            fate.lost(cell, content, cause, why);
        }
    }

    /** Gives back the places that the message holds, if any. */
    final void giveBackPlaces() {
        if (packed instanceof Parcel parcel) {
            parcel.giveBack();
        }
    }

    @Override
    public void clear() {
        var all = packed;
        packed = null;
        if (all instanceof Wrapped wrapped) {
            // mutant: lost-message-keeps-its-place, cancelled-ask-keeps-its-place
            wrapped.release();
        }
    }

    /** Returns what this node holds; null if the message was handled, has moved, or is over. */
    public final @Nullable Object packed() {
        return packed;
    }

    /** Returns the user's object, which reports show; null if the message is over. */
    public final @Nullable Object content() {
        var all = packed;
        return all instanceof Wrapped wrapped ? wrapped.content() : all;
    }

    /** Returns the code, if this message is code that runs inside the actor, and is not over. */
    public final @Nullable Code code() {
        return packed instanceof Wrapped wrapped ? wrapped.code() : null;
    }

    /** Returns whether this node has nothing but a user's object. */
    public final boolean isBare() {
        return getClass() == MessageNode.class && !(packed instanceof Wrapped);
    }

    /** Returns the future of the fate of the message; null if it is not followed. */
    public final @Nullable FateAnswer fate() {
        return packed instanceof Parcel parcel ? parcel.fate() : null;
    }

    /** Returns whether the message has waited for so long that it is not to be handled any more. */
    public final boolean isLate(Cell cell) {
        return packed instanceof Parcel parcel && parcel.isLate(cell);
    }

    @Override
    public final @Nullable Carried carried() {
        return packed instanceof Parcel parcel ? parcel.carried() : null;
    }

    @Override
    public final boolean fits() {
        return !(packed instanceof Parcel parcel) || parcel.fits();
    }
}
