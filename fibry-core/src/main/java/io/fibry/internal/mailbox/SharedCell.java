package io.fibry.internal.mailbox;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.cycles.Served;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.signal.OpeningNode;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The mailbox of several actors: an actor without a handler. An {@link OpeningNode} keeps it busy, so no sender starts a
 * turn, and any thread may take the oldest node, as senders do that drop it. The only turn is the one that ends the actor.
 *
 * <p>A thread that takes a node counts itself in {@code hands} until it has given the node to an actor, or back. Until
 * then the mailbox is not idle, so a drain does not miss the message. A node that is given back goes to {@code returned},
 * whose nodes are older than those in the list. Its thread first adds the node and then reads {@code ended}; the thread
 * that ends the actor first writes {@code ended} and then takes the nodes. So one of the two loses each node.
 */
public final class SharedCell<M, R extends @Nullable Object> extends BoundedCell<M, R> implements Served {
    /** No message is ever handled here. */
    private enum Nothing implements Behavior {
        INSTANCE;

        @Override
        public Class<?> handlerClass() {
            return SharedCell.class;
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) {
            throw new AssertionError("a shared mailbox handles no message");
        }
    }

    private static final int IN_HAND_BITS = 32;
    /** Added when a node is in hand no more. */
    private static final long OUT_OF_HAND = (1L << IN_HAND_BITS) - 1;

    private final OpeningNode opening = new OpeningNode();
    /**
     * The number of nodes in hand, and in the upper half that of the nodes that were in hand. The lower half
     * counts threads that have a node in hand, the upper one those that are done with one. A drain trusts a
     * look at the mailbox between two equal values.
     */
    private final AtomicLong hands = new AtomicLong();
    private final Queue<Node> returned = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starts = new AtomicBoolean();
    /** Set by the thread that ends the mailbox, which then takes the nodes; others add a node and then read this. */
    private volatile boolean ended;
    /** What tells which actors can take a message; null if nothing does. Set by the maker before messages are sent. */
    private volatile @Nullable Supplier<Optional<List<Cell>>> servers;
    /** Runs when a message was sent; null if nothing does. Set by the maker before messages are sent. */
    private volatile @Nullable Waker waker;

    public SharedCell(ActorSpec spec, Bounded policy) {
        super(spec, Nothing.INSTANCE, policy);
    }

    @Override
    public @Nullable String givenName() {
        return spec().nameToGive();
    }

    /** Returns the node with which the scope admits the actor. */
    public Node opening() {
        return opening;
    }

    // ---- The oldest node. ----

    /** Takes the oldest node; returns null if there is none. The caller then gives the node away or back. */
    public @Nullable Node take() {
        hands.getAndIncrement();
        var back = returned.poll();
        var node = back != null ? back : poll(null);
        assert Interleave.here();
        if (node == null) {
            hands.getAndDecrement();
        }
        return node;
    }

    /**
     * Takes the oldest message for an actor that shares this mailbox, whose turn handles it next; returns null if there
     * is none. Meanwhile that actor is not idle, so the message is counted in no hand.
     */
    public @Nullable Object takeFor(Cell taker) {
        StackReserve.require(); // before a message is taken
        while (true) {
            var back = returned.poll();
            var entry = back != null ? back : pollEntry();
            if (!(entry instanceof Node node)) {
                return entry;
            }
            var mine = Transfer.take(node, this, taker);
            if (mine != null) {
                return mine;
            }
        }
    }

    /** Notes that the caller has handed over the node that it took. */
    public void gave() {
        hands.getAndAdd(OUT_OF_HAND);
    }

    /**
     * Puts back a node that was taken, as the oldest one. If there is no memory for that, the message is lost and
     * reported.
     */
    public void giveBack(Node node) {
        try {
            returned.add(node);
        } catch (OutOfMemoryError full) {
            lose(node, Cause.STOPPED_BEFORE_TURN, full);
        } finally {
            gave();
        }
        assert Interleave.here();
        // mutant: message-given-back-to-a-closed-mailbox-is-forgotten
        if (ended) {
            loseReturned();
        }
    }

    private void loseReturned() {
        for (var node = returned.poll(); node != null; node = returned.poll()) {
            lose(node, Cause.STOPPED_BEFORE_TURN, null);
        }
    }

    // ---- Code of the user. ----

    /** Sets what tells which actors can take a message. */
    public void servedBy(Supplier<Optional<List<Cell>>> known) {
        servers = known;
    }

    @Override
    public Optional<List<Cell>> servers() {
        var known = servers;
        try {
            return known == null ? Optional.empty() : known.get();
        } catch (Throwable unknown) {
            return Optional.empty();
        }
    }

    /** Runs when a message was sent. The message is in the mailbox, whatever the code throws. */
    private record Waker(SharedCell<?, ?> cell, Runnable code) implements Runnable {
        @Override
        public void run() {
            try {
                code.run();
            } catch (StackOverflowError deep) {
                cell.wakeElsewhere();
            } catch (Throwable failed) {
                cell.report(Failed.in(Failed.Part.IDLE, cell.name(), failed));
            }
        }
    }

    /** Sets what is called when a message was sent. */
    public void whenWaiting(Runnable code) {
        waker = new Waker(this, code);
    }

    /** Calls what is to be called when a message was sent. */
    public void wake() {
        var known = waker;
        if (known != null) {
            known.run();
        }
    }

    /** Runs the waker on a fiber, because the stack of the caller is too deep. */
    public void wakeElsewhere() {
        var known = waker;
        if (known != null) {
            Strategies.FIBER_EXECUTOR.execute(known);
        }
    }

    // ---- As an actor. ----

    @Override
    public String takerOfWaiting() {
        return ", and none of the actors that share the mailbox has taken it; if each of them waits for an answer from this"
                + " mailbox, none ever will: let a worker send to its own pool and not wait, or give such messages a pool"
                + " of their own";
    }

    @Override
    public Offer offer(Node node, boolean hasReserve) {
        var offer = super.offer(node, hasReserve);
        if (node.isControl() && offer == Offer.QUEUED) {
            for (var first = pollControl(); first != null; first = pollControl()) {
                first.clear();
            }
            if (node instanceof StopNode) {
                end();
            }
        }
        return offer;
    }

    /** Starts the turn that ends the actor. */
    private void end() {
        setExitReason(Reason.POISON_PILL);
        if (starts.compareAndSet(false, true)) {
            startAway(opening);
        }
    }

    @Override
    public void closeMailbox(@Nullable Node last, Consumer<Node> leftOver) {
        ended = true;
        assert Interleave.here();
        super.closeMailbox(last, leftOver);
        for (var node = returned.poll(); node != null; node = returned.poll()) {
            leftOver.accept(node);
        }
    }

    @Override
    public boolean closeIfIdle() {
        if (!isIdle() || !closeIfLast(null)) {
            return false;
        }
        ended = true;
        assert Interleave.here();
        loseReturned(); // a message may have come and been taken after the look
        return true;
    }

    /** Each node that leaves the mailbox counts, as one that an actor has handled: a drain then looks again. */
    @Override
    public long finishedSoFar() {
        return super.finishedSoFar() + (hands.get() >>> IN_HAND_BITS);
    }

    /**
     * Reads {@code hands} before and after the mailbox. Equal values with a lower half of zero mean that no node was
     * in hand while the mailbox was read.
     */
    @Override
    public boolean isIdle() {
        var before = hands.get();
        return (int) before == 0 && mailboxSize() == 0 && hands.get() == before;
    }

    @Override
    public int mailboxSize() {
        var waiting = super.mailboxSize();
        return returned.isEmpty() ? waiting : waiting + returned.size();
    }
}
