package io.fibry.internal.mailbox;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Growth;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An actor with an unbounded mailbox: a linked list with many producers and one consumer.
 *
 * <p>{@code tail} alone says what state the mailbox is in:
 *
 * <pre>
 *   null     idle       nobody runs the actor
 *   node     busy       a turn runs, or is about to; node is the newest
 *   CLOSED   closed     the actor has stopped
 *
 *   null   -> node      a sender, by CAS; it starts the turn
 *   node   -> newer     a sender, by CAS; it links node to newer
 *   node   -> null      the consumer, by CAS, when node is the last one it has taken
 *   any    -> CLOSED    the consumer, by exchange; it gets what is left over
 *   null   -> CLOSED    a stopper, by CAS
 *   node   -> CLOSED    the consumer of an actor that was idle for long, by CAS, when node is the last one
 *   null   -> dummy     a consumer that had gone idle to wait in a selective receive, by CAS
 * </pre>
 *
 * <p>No wake-up is lost: a sender's CAS either replaces a node, then the consumer has not yet succeeded in
 * making that node idle and will not, since tail has moved, so it finds the successor; or replaces null, then
 * the sender starts the turn itself. A node is put in once, so the CAS from it cannot succeed for a later one.
 *
 * <p>Between a sender's CAS and its link the list has a gap. The consumer that reaches it waits: the sender is
 * running and has one store to do.
 */
public final class UnboundedCell<M, R extends @Nullable Object> extends Handle<M, R> {
    private static final Node CLOSED = new StopNode(Reason.EXIT);
    /** So often a sender that meets others pauses; then it just tries again. Found idle, it was its turn that it met. */
    private static final int PAUSES = 4;
    /** For one or two microseconds; on processors that take their time for each, about five. */
    private static final int SPINS = 128;
    private static final VarHandle TAIL =
            FieldAccess.of(MethodHandles.lookup(), "tail", Node.class);

    private volatile @Nullable Node tail;

    public UnboundedCell(ActorSpec spec, Behavior behavior) {
        super(spec, behavior);
    }

    @Override
    public Offer offer(Node node, boolean hasReserve) {
        for (int tries = 1;; tries++) {
            var newest = tail;
            // mutant: late-sender-opens-the-mailbox-again
            if (newest == CLOSED) {
                return Offer.CLOSED;
            }
            if (newest == null && !hasReserve) {
                StackReserve.require(); // else the actor would be busy, and nobody start it
            }
            Interleave.here();
            // mutant: sender-overwrites-the-node-of-another
            var found = (Node) TAIL.compareAndExchange(this, newest, node);
            if (found == newest) {
                try {
                    return follows(newest, node);
                } catch (StackOverflowError e) {
                    if (newest == null) {
                        throw e; // there was a reserve, so this comes from a test
                    }
                    newest.next = node; // needs no stack, and the exchange before is a fence: the consumer waits for it
                    return Offer.QUEUED;
                }
            }
            if (found != null && found != CLOSED && tries <= PAUSES) {
                pause(tries);
            }
        }
    }

    /**
     * Leaves the mailbox to another sender for a moment. While two send at the same time, the line that {@code tail} is
     * in goes from one processor to the other and back for each message, which takes several times as long as sending
     * it. One that is alone for a while sends dozens. The moment is of most use to a thread that has no processor, the
     * consumer most of all: so a platform thread yields, and spins only if it then meets somebody again.
     */
    private static void pause(int tries) {
        if (tries % 2 == 1 && mayYield()) {
            Thread.yield();
            return;
        }
        for (int spin = 0; spin < SPINS; spin++) {
            Thread.onSpinWait();
        }
    }

    /** Who knows when those that its carrier runs first would let a virtual thread go on; and timers come on time. */
    private static boolean mayYield() {
        return !Thread.currentThread().isVirtual() && !SystemTime.INSTANCE.firesHere();
    }

    /** A node has taken the place of the newest one. */
    private Offer follows(@Nullable Node newest, Node node) {
        if (newest == null) {
            node.seq = firstNumber();
            return Offer.WAKE;
        }
        var number = newest.seq;
        if ((number & Growth.INTERVAL - 1) == 0) {
            return followsSeldom(newest, number, node);
        }
        node.seq = number + 1;
        Interleave.here();
        newest.linkRelease(node);
        return Offer.QUEUED;
    }

    /**
     * The same where the newest one has no number yet, or a round one: then somebody looks how many there are. One branch
     * is for both, so that no message pays for it.
     */
    private Offer followsSeldom(Node newest, int number, Node node) {
        var mine = (number == 0 ? numberOf(newest) : number) + 1;
        node.seq = mine;
        var content = number == 0 || node.isControl() ? null : node.content(); // later it is the consumer's
        Interleave.here();
        newest.linkRelease(node);
        if (content == null || mine - taken() < Growth.LONG) {
            return Offer.QUEUED;
        }
        extendedState().growth().note(content.getClass(), mine);
        return Offer.GROWN;
    }

    /**
     * The number of a node whose sender is just about to write it. If that one has no processor a long mailbox must not
     * seem short again: its number is then at least one that was seen there.
     */
    private int numberOf(Node newest) {
        for (int spin = 0; spin < SPINS; spin++) {
            VarHandle.acquireFence(); // looks again
            var number = newest.seq;
            if (number != 0) {
                return number;
            }
            Thread.onSpinWait();
        }
        var known = extendedStateIfAny();
        var growth = known == null ? null : known.growthIfAny();
        return growth != null && growth.highest() - taken() > 0 ? growth.highest() : firstNumber();
    }

    @Override
    public void grows() {
        var newest = newest();
        var taken = taken();
        extendedState().growth().look(this, newest - taken, newest, taken);
    }

    /** Those are in no mailbox, but wait as well; when they came nobody knows. */
    @Override
    public void passedOver(int now) {
        if (now >= Growth.LONG && now % Growth.INTERVAL == 0) {
            extendedState().growth().look(this, now, 0, 0);
        }
    }

    /** Of a node that finds the mailbox idle. Zero is for nodes that have no number yet. */
    private int firstNumber() {
        return (int) finishedSoFar() + 1;
    }

    @Override
    public void begin(Node node) {
        offer(node);
    }

    @Override
    public Node handedOver(Node node) {
        return node;
    }

    @Override
    public Node first(Node token) {
        return token;
    }

    @Override
    public boolean followsLinks() {
        return true;
    }

    @Override
    public @Nullable Node poll(@Nullable Node last) {
        return present(last).pollNext();
    }

    @Override
    public boolean hasNext(@Nullable Node last) {
        return present(last).nextAcquire() != null;
    }

    @Override
    public void awaitLink(@Nullable Node last) {
        PendingLink.await(present(last));
    }

    @Override
    public boolean becomeIdle(@Nullable Node last) {
        // mutant: actor-goes-idle-without-a-look
        return TAIL.compareAndSet(this, last, null);
    }

    @Override
    public @Nullable Node reclaim(@Nullable Node last) {
        var dummy = new StopNode(Reason.EXIT);
        dummy.seq = present(last).seq;
        return TAIL.compareAndSet(this, (Node) null, dummy) ? dummy : null;
    }

    @Override
    public void closeMailbox(@Nullable Node last, Consumer<Node> leftOver) {
        var newest = (Node) TAIL.getAndSet(this, CLOSED);
        Interleave.here();
        var node = present(last);
        while (node != newest) {
            var next = PendingLink.await(node);
            node.unlink();
            // mutant: message-left-over-is-lost
            leftOver.accept(next);
            node = next;
        }
    }

    @Override
    public boolean closeIfIdle() {
        // mutant: idle-mailbox-is-closed-without-a-look
        return TAIL.compareAndSet(this, (Node) null, CLOSED);
    }

    @Override
    public boolean closeIfLast(@Nullable Node last) {
        // mutant: idle-stop-overtakes-messages
        return TAIL.compareAndSet(this, last, CLOSED);
    }

    @Override
    public boolean overflow(Node node, long limitNanos) {
        throw new AssertionError("an unbounded mailbox is never full");
    }

    @Override
    public boolean isIdle() {
        return tail == null;
    }

    /** A message is counted before its answer is there. */
    @Override
    public boolean mayBecomeIdle() {
        var newest = tail;
        return newest != null && newest != CLOSED && newest.seq == (int) finishedSoFar();
    }

    /** An estimate: a sender may not have numbered its node yet. */
    @Override
    public int mailboxSize() {
        var newest = tail;
        if (newest == null || newest == CLOSED) {
            return 0;
        }
        var notFinished = newest.seq - (int) finishedSoFar();
        return Math.max(0, thread() == null ? notFinished : notFinished - 1);
    }

    @Override
    public int before(Node node) {
        var before = node.seq - 1 - (int) finishedSoFar();
        return before == 0 && isAtWork() ? -1 : before;
    }

    /** What a receiving handler has taken is not finished before the next; what was taken last says more then. */
    @Override
    public int taken() {
        var working = turn();
        var begun = (int) finishedSoFar() + (isAtWork() ? 1 : 0);
        var last = working == null ? null : working.last();
        return last != null && last.seq - begun > 0 ? last.seq : begun;
    }

    @Override
    public int newest() {
        var newest = tail;
        return newest == null || newest == CLOSED || newest.seq == 0 ? taken() : newest.seq;
    }

    /** The consumer always has a last node: its turn began with one. */
    private static Node present(@Nullable Node last) {
        if (last == null) {
            throw new AssertionError("a turn without a node");
        }
        return last;
    }
}
