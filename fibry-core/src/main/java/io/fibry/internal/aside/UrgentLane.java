package io.fibry.internal.aside;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Front;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Quota;
import io.fibry.internal.signal.OpeningNode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The urgent messages of an actor, beside its mailbox. The turn takes them before what waits in the mailbox.
 *
 * <p>The lane needs no wake-up protocol of its own, because it uses that of the mailbox: a sender adds its message, then sets
 * {@code isWaking}, and if that was not set it offers a {@link WakeUp} to the mailbox. So no more than one wake-up
 * waits there, however many messages wait in the lane.
 *
 * <ul>
 * <li>If the wake-up finds the mailbox idle, its sender starts a turn. Otherwise a turn will take the wake-up. The turn then
 *     clears {@code isWaking}, and looks into the lane after that, before it takes another node, becomes idle or ends early.
 *     A sender that has found {@code isWaking} set did so before the turn cleared it, and its message was in the
 *     lane before. So the turn finds the message.
 * <li>If the wake-up finds the mailbox closed, the thread that ends the actor may have emptied the lane before the message
 *     came. So the sender clears {@code isWaking} and takes its own message out again. If the message is there, the sender
 *     reports it as refused. If it is not, the thread that ends the actor has taken it, and has reported it. Then the
 *     sender empties the lane: other senders may have found {@code isWaking} set and relied on this wake-up.
 * <li>The thread that ends the actor closes the mailbox, clears {@code isWaking}, since the wake-up may have been in the
 *     mailbox, and empties the lane. A sender that adds its message after that offers a wake-up, and finds the mailbox closed.
 * </ul>
 *
 * <p>A wake-up takes no place of a bounded mailbox. In the numbers of an unbounded mailbox it counts as a node, and the urgent
 * messages do not: {@code begun} says how many of them have to be left out there.
 */
public final class UrgentLane extends Feature {
    private static final VarHandle IS_WAKING =
            FieldAccess.of(MethodHandles.lookup(), "isWaking", boolean.class);
    private static final VarHandle BEGUN =
            FieldAccess.of(MethodHandles.lookup(), "begun", long.class);

    private final Cell cell;
    private final Quota places;
    /** A message is here before its wake-up is in the mailbox. */
    private final Queue<MessageNode> entries = new ConcurrentLinkedQueue<>();
    /**
     * Whether a wake-up is in the mailbox, or is about to be offered. Set by senders, by CAS; cleared by the
     * turn and the terminator before they look for messages.
     */
    private volatile boolean isWaking;
    /** How many messages the turn has taken. Written by the turn, opaque. */
    private long begun;

    private UrgentLane(Cell cell, int capacity) {
        this.cell = cell;
        this.places = new Quota(capacity);
    }

    /** The layer that gives an actor its lane, in which so many messages may wait. */
    public record Limit(int capacity) implements Layer {
        @Override
        public void equip(Cell cell) {
            var lane = new UrgentLane(cell, capacity);
            cell.extendedState().add(lane);
            Front.equip(cell, lane);
        }
    }

    /** Returns the lane of an actor; throws if the actor has none. */
    public static UrgentLane of(Cell cell) {
        var lane = laneOf(cell);
        if (lane == null) {
            throw notTaken("actor '" + cell.name() + "' of scope '" + cell.spec.scope.name() + "' takes");
        }
        return lane;
    }

    /** Returns the exception for actors that take no urgent messages. */
    public static IllegalStateException notTaken(String whoTakes) {
        return new IllegalStateException(
                whoTakes + " no urgent messages: allow them by urgent(capacity) where the actor is built");
    }

    /** Sends a message; returns false if it was not accepted. The loss has then been reported. Called by any thread. */
    public boolean send(Object message) {
        StackReserve.require();
        var node = MessageNode.to(cell.spec, message);
        var extended = cell.extendedState();
        if (extended.isOpen()) {
            return put(node);
        }
        var refusal = cell.spec.scope.refusal(extended);
        if (refusal != null) {
            cell.lose(node, refusal, null);
            return false;
        }
        return cell.spec().scope().services().places(cell, node, Long.MAX_VALUE).pass() && put(node);
    }

    private boolean put(MessageNode message) {
        if (!places.take()) {
            cell.lose(message, Cause.FULL, null);
            return false;
        }
        var wakeUp = new WakeUp();
        assert Interleave.here();
        entries.add(message);
        assert Interleave.here();
        // mutant: each-urgent-message-relies-on-another-one
        if (!IS_WAKING.compareAndSet(this, false, true)) {
            return true; // the turn that takes the other sender's wake-up finds this message too
        }
        Mailbox.Offer offer = null; // no switch on it: see StackReserve
        try {
            offer = cell.offer(wakeUp, true);
        } finally {
            if (offer == null) {
                takeBack(message); // for lack of memory: the caller gets the error, and the next sender tries again
            }
        }
        if (offer == Mailbox.Offer.WAKE) {
            // mutant: urgent-message-does-not-wake-the-actor
            cell.start(wakeUp);
        } else if (offer == Mailbox.Offer.CLOSED) {
            return cameTooLate(message);
        } else if (offer == Mailbox.Offer.GROWN) {
            cell.grows();
        }
        return true;
    }

    /** Loses the message if it is still there, and those of senders that relied on its wake-up; returns whether it was gone. */
    private boolean cameTooLate(MessageNode message) {
        assert Interleave.here();
        var isMine = takeBack(message);
        if (isMine) {
            cell.lose(message, Cause.STOPPED, null);
        }
        // mutant: urgent-message-that-relied-on-a-late-one-is-lost
        leave(new Losing(cell));
        return !isMine;
    }

    /** Lets other senders offer wake-ups, and takes a message out again; returns whether it was still there. */
    private boolean takeBack(MessageNode message) {
        isWaking = false;
        assert Interleave.here();
        var found = entries.remove(message);
        if (found) {
            places.giveBack();
        }
        return found;
    }

    private record Losing(Cell cell) implements Consumer<Node> {
        @Override
        public void accept(Node node) {
            cell.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        }
    }

    @Override
    public @Nullable MessageNode next() {
        var oldest = take();
        if (oldest != null) {
            BEGUN.setOpaque(this, begun + 1);
        }
        return oldest;
    }

    private @Nullable MessageNode take() {
        var oldest = entries.poll();
        if (oldest != null) {
            places.giveBack();
        }
        return oldest;
    }

    @Override
    public long takenBeside() {
        return (long) BEGUN.getOpaque(this);
    }

    @Override
    public int signals() {
        return isWaking ? 1 : 0;
    }

    @Override
    public int waiting() {
        return places.taken();
    }

    private static @Nullable UrgentLane laneOf(Cell cell) {
        var seen = cell.extendedStateIfAny();
        return seen == null ? null : seen.feature(UrgentLane.class);
    }

    @Override
    public boolean letsBegin(Node token) {
        return token instanceof OpeningNode || token instanceof WakeUp || entries.isEmpty();
    }

    @Override
    public boolean stays() {
        return true; // for senders that find the actor late
    }

    @Override
    public boolean hasNext() {
        return !entries.isEmpty();
    }

    @Override
    public void leaveLast(Consumer<Node> leftOver) {
        assert Interleave.here();
        leave(leftOver);
    }

    /** Gives up what is there. Called by a thread that has closed the mailbox, or has found it closed. */
    private void leave(Consumer<Node> leftOver) {
        // mutant: late-urgent-message-relies-on-a-closed-mailbox
        isWaking = false;
        assert Interleave.here();
        for (var node = take(); node != null; node = take()) {
            leftOver.accept(node);
        }
    }

    /** Lets the turn look into the lane. */
    static final class WakeUp extends Signal {
        @Override
        public void run(Turn turn) {
            // mutant: wake-up-of-urgent-messages-stays-noted
            of(turn.cell).isWaking = false;
            turn.skipped();
        }

        /** The strategy does not run the actor: the oldest message is lost, if there is one. Others meet a later turn. */
        @Override
        public void refused(Turn turn, Throwable why) {
            run(turn);
            var message = of(turn.cell).next();
            if (message != null) {
                message.refused(turn, why);
            }
        }

        @Override
        public boolean takesPlace() {
            return false;
        }

        @Override
        public Signal again() {
            return new WakeUp();
        }
    }
}
