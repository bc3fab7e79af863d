package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Quota;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The urgent messages of an actor, beside its mailbox. The turn takes them before what waits in the mailbox.
 *
 * <p>For each urgent message its sender also offers a {@link WakeUp} to the mailbox, after the message is in the lane. So
 * the lane needs no wake-up protocol of its own:
 *
 * <ul>
 * <li>If the wake-up finds the mailbox idle, its sender starts a turn. Otherwise a turn will take the wake-up. Before a turn
 *     becomes idle it has taken all nodes of the mailbox, and after each of them it has looked into the lane. The
 *     message was in the lane before its wake-up was in the mailbox, so the turn has found the message. A turn that ends
 *     early looks into the lane before it tries to become idle.
 * <li>If the wake-up finds the mailbox closed, the thread that ends the actor may have emptied the lane before the message
 *     came. So the sender takes its message out again. If it is there, the sender reports it as refused. If it is not, the
 *     thread that ends the actor has taken it, and has reported it. A thread that ends the actor empties the lane after it
 *     has closed the mailbox. So each message whose wake-up came before the close is found by that thread.
 * </ul>
 *
 * <p>A wake-up does not count as a node that was finished: it stands for its message in the numbers of the mailbox.
 */
public final class UrgentLane {
    private final Cell cell;
    private final Quota places;
    private final Queue<Node> entries = new ConcurrentLinkedQueue<>();

    private UrgentLane(Cell cell, int capacity) {
        this.cell = cell;
        this.places = new Quota(capacity);
    }

    /** Gives an actor its lane. Called before any thread sends to the actor. */
    public static void equip(Cell cell, int capacity) {
        var extended = cell.extendedState();
        var lane = new UrgentLane(cell, capacity);
        extended.urgent = lane;
        extended.inbox = new Inbox(cell, lane);
    }

    /** Returns the lane of an actor; throws if the actor has none. */
    static UrgentLane of(Cell cell) {
        var seen = cell.extendedState;
        var lane = seen == null ? null : seen.urgent;
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
    boolean send(Object message) {
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
        var counted = new Reservation(cell, extended, node, Long.MAX_VALUE).pass();
        return counted != null && put(counted);
    }

    private boolean put(Node message) {
        if (!places.take()) {
            cell.lose(message, Cause.FULL, null);
            return false;
        }
        var wakeUp = new WakeUp();
        assert Interleave.here();
        entries.add(message);
        assert Interleave.here();
        var offer = cell.offer(wakeUp, true); // no switch on it: see StackReserve
        if (offer == Mailbox.Offer.WAKE) {
            // mutant: urgent-message-does-not-wake-the-actor
            cell.start(wakeUp);
        } else if (offer == Mailbox.Offer.CLOSED) {
            assert Interleave.here();
            // mutant: late-urgent-message-is-lost
            if (entries.remove(message)) {
                places.giveBack();
                cell.lose(message, Cause.STOPPED, null);
                return false;
            }
        } else if (offer == Mailbox.Offer.GROWN) {
            cell.grows();
        }
        return true;
    }

    /** Takes the oldest message; returns null if there is none. Called by the turn. */
    @Nullable Node poll() {
        var oldest = entries.poll();
        if (oldest != null) {
            places.giveBack();
        }
        return oldest;
    }

    /** Returns whether there is no message. Called by the turn. */
    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Gives up what came until the mailbox was closed. Called by the thread that has closed it. */
    void leave(Consumer<Node> leftOver) {
        for (var node = poll(); node != null; node = poll()) {
            leftOver.accept(node);
        }
    }

    /** Lets the turn look into the lane. */
    private static final class WakeUp extends Node {
        @Override
        public void handle(Turn turn) {
        }

        /** The strategy does not run the actor: the message is lost, if it is still there. */
        @Override
        public void refused(Turn turn, Throwable why) {
            var message = of(turn.cell).poll();
            if (message != null) {
                message.refused(turn, why);
            }
        }

        @Override
        public boolean isControl() {
            return true;
        }

        @Override
        public Node again() {
            return new WakeUp();
        }
    }
}
