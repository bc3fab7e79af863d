package io.fibry.internal.aside;

import io.fibry.MailboxFullException;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Front;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.NoMessage;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.layer.SurroundingBehavior;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.reply.ReplyHandle;
import io.fibry.internal.report.ContentClass;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a handler has put aside, oldest first. The handler only notes what it wants; the turn moves the
 * nodes when the handler has ended, has failed or was abandoned. A message whose handler throws or is abandoned is not put
 * aside, but the messages that it has taken back before that come next. A handler that was abandoned can note nothing
 * any more.
 *
 * <p>A message that is put aside is not counted as handled. For the numbers of the mailbox its node is finished, like the
 * node of a timer that was cancelled; when the message goes back to the front of the mailbox, its node is not finished
 * any more. So {@link Cell#finishedSoFar} never counts a message twice.
 *
 * <p>Only the turn uses this object, and the thread that works for it. Other threads read its size, and the thread that
 * closes an idle mailbox takes what is left: it sees what the turn has written before it made the mailbox idle.
 */
public final class Stash extends Feature {
    private static final VarHandle SIZE =
            FieldAccess.of(MethodHandles.lookup(), "size", int.class);

    private enum PutBack {
        NOTHING,
        /** All that was put aside before the current message. */
        OTHERS,
        /** The current message as well: it was put aside before the handler took all back. */
        ALL
    }

    private final Cell cell;
    private final int capacity;
    private final Deque<MessageNode> nodes = new ArrayDeque<>();
    /** The number of the nodes. Written by the turn, opaque. */
    private int size;
    /** Whether a handler runs. */
    private boolean isHandling;
    /** Whether the handler wants to put its message aside. */
    private boolean isPending;
    private PutBack putBack = PutBack.NOTHING;

    Stash(Cell cell, int capacity) {
        this.cell = cell;
        this.capacity = capacity;
    }

    /**
     * The layer that lets a handler put messages aside.
     *
     * @param capacity how many messages may be put aside
     */
    public record Limit(int capacity) implements Layer {
        @Override
        public Behavior around(ActorSpec spec, Behavior inner) {
            return new Stashing(inner, capacity);
        }
    }

    /** Returns the stash of an actor; throws if the actor has none. */
    public static Stash of(Cell cell) {
        var stash = cell.extendedState().feature(Stash.class);
        if (stash != null) {
            return stash;
        }
        throw new IllegalStateException("actor '" + cell.name() + "' of scope '" + cell.spec.scope.name()
                + "' cannot put messages aside: " + (cell.spec.layer(ReceivingLayer.class) != null
                        ? "it receives messages itself, and can receive those that it wants"
                        : "allow it by stash(capacity) where the actor is built"));
    }

    // ---- What the handler wants. ----

    public void stash() {
        if (!isHandling || NoMessage.isHandled(cell.turn())) {
            throw new IllegalStateException("actor '" + cell.name()
                    + "' handles no message that it could put aside: stash() is for its handler,"
                    + " not for code given to the actor, hooks or factories");
        }
        if (isPending) {
            throw new IllegalStateException(
                    "actor '" + cell.name() + "' has put this message aside already: call stash() once");
        }
        if (putBack == PutBack.NOTHING && nodes.size() >= capacity && !dropThoseOver()) {
            throw new IllegalStateException("actor '" + cell.name() + "' has put aside " + nodes.size()
                    + " messages, and no more may be: take them back by unstashAll(), or build the actor with a"
                    + " larger stash(capacity)");
        }
        isPending = true;
    }

    public void unstashAll() {
        if (isPending) {
            putBack = PutBack.ALL;
        } else if (isHandling) {
            putBack = PutBack.OTHERS;
        } else {
            takeUp(); // code that was given to the actor
        }
    }

    /** Drops the oldest message; returns it, or null if there is none or if it was an ask that is over. */
    public @Nullable Object dropOldest() {
        var oldest = nodes.poll();
        if (oldest == null) {
            return null;
        }
        sized();
        var content = oldest.isOver() ? null : oldest.content();
        var why = content == null ? null : new MailboxFullException("actor '" + cell.name()
                + "' has dropped a message of "
                + ContentClass.nameOf(content)
                + " that it had put aside, to make room for another one; send less, or allow it to put more aside");
        cell.lose(oldest, Cause.DROPPED_OLDEST, why);
        return content;
    }

    // ---- What the turn does. ----

    /** Drops the asks for which no thread waits any more; returns whether there were any. */
    private boolean dropThoseOver() {
        var before = nodes.size();
        for (var all = nodes.iterator(); all.hasNext();) {
            var node = all.next();
            if (node.isOver()) {
                all.remove();
                cell.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            }
        }
        sized();
        return nodes.size() < before;
    }

    /** Puts a node aside, which no other object refers to. */
    @Override
    public void keep(Turn turn, MessageNode node) {
        turn.skipped();
        if (putBack == PutBack.OTHERS) {
            takeUp();
        }
        node.seq = Node.ASIDE; // for the texts of time-outs
        nodes.add(node);
        sized();
        if (putBack == PutBack.ALL) {
            takeUp();
        }
    }

    /** Puts all nodes back in front of the mailbox. */
    private void takeUp() {
        putBack = PutBack.NOTHING;
        if (!nodes.isEmpty()) {
            cell.extendedState().takenUp(nodes.size());
            // mutant: messages-put-aside-are-forgotten
            Front.of(cell).putBack(nodes);
            for (var node : nodes) {
                node.seq = 0;
            }
            nodes.clear();
            sized();
        }
    }

    /** Puts all messages back: the new handler gets them first. */
    @Override
    public void restarting(Throwable cause) {
        takeUp();
    }

    @Override
    public void leaveOldest(Consumer<Node> leftOver) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            leftOver.accept(node);
        }
        sized();
    }

    private void sized() {
        SIZE.setOpaque(this, nodes.size());
    }

    @Override
    public int kept() {
        return (int) SIZE.getOpaque(this);
    }

    /** The behavior that lets its handler put messages aside. */
    private static final class Stashing extends SurroundingBehavior {
        private final int capacity;

        Stashing(Behavior inner, int capacity) {
            super(inner);
            this.capacity = capacity;
        }

        @Override
        public void equip(Cell cell) {
            super.equip(cell);
            cell.extendedState().add(new Stash(cell, capacity));
            Front.equip(cell, null);
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            var stash = of(turn.cell);
            stash.isHandling = true;
            stash.isPending = false;
            var kept = false;
            try {
                var result = inner.handle(turn, message);
                if (stash.isPending) {
                    requireNotDeferred(turn);
                    kept = true;
                }
                return kept ? stash : result;
            } finally {
                stash.isHandling = false;
                stash.isPending = false;
                if (!kept && stash.putBack != PutBack.NOTHING) {
                    stash.takeUp();
                }
            }
        }

        private static void requireNotDeferred(Turn turn) {
            if (turn.asked instanceof ReplyHandle) {
                throw new IllegalStateException("the handler of actor '" + turn.cell.name()
                        + "' has put a message aside and has deferred the reply to it; do one of the two: a message that was put"
                        + " aside is handled again, and its reply can be deferred then");
            }
        }

        @Override
        public boolean mayKeep() {
            return true;
        }
    }
}
