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
 * <p>{@code tail} alone holds the state of the mailbox:
 *
 * <pre>
 *   null     idle       no turn runs the actor
 *   node     busy       a turn runs, or is about to run; node is the newest
 *   CLOSED   closed     the actor has stopped
 *
 *   null   -> node      a sender, by CAS; it starts the turn
 *   node   -> newer     a sender, by CAS; it links node to newer
 *   node   -> null      the consumer, by CAS, when node is the last one it has taken
 *   any    -> CLOSED    the consumer, by exchange; it gets what is left over
 *   null   -> CLOSED    a stopper, by CAS
 *   node   -> CLOSED    the consumer of an actor that was idle for long, by CAS, when node is the last one
 *   null   -> dummy     a consumer that had become idle to wait in a selective receive, by CAS
 * </pre>
 *
 * <p>No wake-up is lost. A sender's CAS replaces either a node or null. If it replaces a node, the consumer
 * has not yet succeeded in making the mailbox idle from that node, and it will not, since {@code tail} has
 * moved; so the consumer finds the successor. If it replaces null, the sender starts the turn itself. A node
 * is put in once, so the CAS from it cannot succeed for a later state.
 *
 * <p>Between a sender's CAS and its link the list has a gap. A consumer that reaches the gap waits: the
 * sender is running and has one store left to do.
 */
public final class UnboundedCell<M, R extends @Nullable Object> extends Handle<M, R> {
    private static final Node CLOSED = new StopNode(Reason.EXIT);
    /**
     * How many times a sender pauses after it has met another sender; after that it only tries again. A
     * sender whose CAS fails because the mailbox has become idle has met the turn, and does not pause.
     */
    private static final int PAUSES = 4;
    /**
     * The length of one pause: one or two microseconds, or about five on processors with a slow {@code
     * onSpinWait}.
     */
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
                StackReserve.require(); // otherwise the actor would be busy, and no thread would start it
            }
            assert Interleave.here();
            // mutant: sender-overwrites-the-node-of-another
            var found = (Node) TAIL.compareAndExchange(this, newest, node);
            if (found == newest) {
                try {
                    return link(newest, node);
                } catch (StackOverflowError e) {
                    if (newest == null) {
                        throw e; // a reserve was required before, so only a test throws this
                    }
                    newest.next = node; // needs no stack; the exchange was a fence, and the consumer waits for this
                    return Offer.QUEUED;
                }
            }
            if (found != null && found != CLOSED && tries <= PAUSES) {
                pause(tries);
            }
        }
    }

    /**
     * Leaves the mailbox to another sender for a moment. While two threads send at the same time, the cache
     * line of {@code tail} moves from one processor to the other and back for each message, which takes
     * several times as long as sending the message. A sender that is alone for a moment sends dozens. The
     * pause helps most if it lets a thread run that has no processor, above all the consumer. A platform
     * thread therefore yields first, and spins only if it then meets another sender again.
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

    /**
     * Returns whether the calling thread may yield. A virtual thread may not, since it is unknown when the
     * threads that its carrier runs first would let it go on. The timer thread may not, since timers have to
     * fire in time.
     */
    private static boolean mayYield() {
        return !Thread.currentThread().isVirtual() && !SystemTime.INSTANCE.firesHere();
    }

    /** Numbers and links a node that has taken the place of {@code newest}. */
    private Offer link(@Nullable Node newest, Node node) {
        if (newest == null) {
            node.seq = firstNumber();
            return Offer.WAKE;
        }
        var number = newest.seq;
        assert number < Growth.LONG || Interleave.here();
        if ((number & Growth.INTERVAL - 1) == 0) {
            return linkRarely(newest, number, node);
        }
        node.seq = number + 1;
        assert Interleave.here();
        newest.linkRelease(node);
        return Offer.QUEUED;
    }

    /**
     * As {@link #link}, where {@code newest} has no number yet, or a round number, at which the sender
     * looks how many nodes there are. Both cases share one branch, so that an ordinary message pays for
     * neither.
     */
    private Offer linkRarely(Node newest, int number, Node node) {
        // mutant: number-of-another-is-not-awaited
        var mine = (number == 0 ? numberOf(newest) : number) + 1;
        node.seq = mine;
        var content = number == 0 || node.isControl() ? null : node.content(); // the consumer owns it after the link
        assert Interleave.here();
        newest.linkRelease(node);
        if (content == null || mine - taken() < Growth.LONG) {
            return Offer.QUEUED;
        }
        extendedState().growth().note(content.getClass(), mine);
        return Offer.GROWN;
    }

    /**
     * Returns the number of a node whose sender is about to write it. If that sender has no processor, a long
     * mailbox must not seem short again: the result is then at least a number that was seen in this mailbox.
     */
    private int numberOf(Node newest) {
        for (int spin = 0; spin < SPINS; spin++) {
            VarHandle.acquireFence(); // makes the loop read the field again
            var number = newest.seq;
            if (number != 0) {
                return number;
            }
            Thread.onSpinWait();
        }
        var known = extendedStateIfAny();
        var growth = known == null ? null : known.growthIfAny();
        // mutant: long-mailbox-seems-short-again
        return growth != null && growth.highest() - taken() > 0 ? growth.highest() : firstNumber();
    }

    @Override
    public void grows() {
        var newest = newest();
        var taken = taken();
        extendedState().growth().look(this, newest - taken, newest, taken);
    }

    /**
     * Nodes that were passed over are not in the mailbox, but wait as well. It is not known when they came.
     */
    @Override
    public void passedOver(int now) {
        if (now >= Growth.LONG && now % Growth.INTERVAL == 0) {
            extendedState().growth().look(this, now, 0, 0);
        }
    }

    /**
     * Returns the number of a node that finds the mailbox idle. Zero is kept for nodes that have no number
     * yet.
     */
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
        assert Interleave.here();
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

    /** This works because a message is counted before its answer is complete. */
    @Override
    public boolean mayBecomeIdle() {
        var newest = tail;
        return newest != null && newest != CLOSED && newest.seq == (int) finishedSoFar();
    }

    /** Returns an estimate: the sender of the newest node may not have numbered it yet. */
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

    /**
     * What a receiving handler has taken is not finished before it takes the next message; the number of the
     * node taken last is then the better estimate.
     */
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

    /** Returns {@code last}, which the consumer always has: its turn began with a node. */
    private static Node present(@Nullable Node last) {
        if (last == null) {
            throw new AssertionError("a turn without a node");
        }
        return last;
    }
}
