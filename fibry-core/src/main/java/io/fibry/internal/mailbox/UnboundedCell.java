package io.fibry.internal.mailbox;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Chunk;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.handle.Handle;
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
 *   null     idle       no turn runs the actor, or its turn waits in a receive
 *   node     busy       a turn runs, or is about to run; node is the newest
 *   chunk    busy       the same; the newest messages are in the slots of the chunk, or about to be
 *   CLOSED   closed     the actor has stopped
 *
 *   null   -> node      a sender, by CAS; it starts the turn, or gives the node to the receive
 *   node   -> newer     a sender, by CAS; it links node to newer, which is a node or a chunk
 *   chunk  -> newer     a sender, by CAS, when no slot of chunk can be claimed any more; it links chunk to newer
 *   node   -> null      the consumer, by CAS, when node is the last one it has taken
 *   chunk  -> null      the consumer, by CAS, when it has sealed the chunk and has taken all that is in it
 *   any    -> CLOSED    the consumer, by exchange; it gets what is left over
 *   null   -> CLOSED    a stopper, by CAS
 *   last   -> CLOSED    the consumer of an actor that was idle for long, by CAS, when it may become idle
 *   null   -> dummy     a consumer that had become idle to wait in a selective receive, by CAS
 * </pre>
 *
 * <p>No wake-up is lost. A sender's CAS replaces either a node or null. If it replaces a node, the consumer
 * has not yet succeeded in making the mailbox idle from that node, and it will not, since {@code tail} has
 * moved; so the consumer finds the successor. If it replaces null, the sender starts the turn itself. A node
 * is put in once, so the CAS from it cannot succeed for a later state.
 *
 * <p>A chunk is a node in all this. A sender that claims a slot does not touch {@code tail}: {@link Chunk} argues that the
 * consumer does not leave the chunk before that entry. The message that wakes an idle actor always has a node, so an
 * actor that is idle most of the time has no chunk.
 *
 * <p>Between a sender's CAS and its link the list has a gap, and between a sender's claim and its entry the chunk has
 * one. A consumer that reaches the gap waits: the sender is running and has one store left to do. It has no call left to
 * make that could fail, see {@code StackOverflowError} below; what needs memory is made before.
 */
public class UnboundedCell<M, R extends @Nullable Object> extends Handle<M, R> {
    private static final Node CLOSED = new StopNode(Reason.EXIT);
    /** A chunk follows a node whose number is one less than a multiple of this. A power of two. */
    private static final int CHUNK_INTERVAL = 16;
    private static final VarHandle TAIL =
            FieldAccess.of(MethodHandles.lookup(), "tail", Node.class);

    /** The state of the mailbox. Written by senders and the consumer, by CAS; to close, by an exchange. */
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
            if (newest == null) {
                if (!hasReserve) {
                    StackReserve.require(); // otherwise the actor would be busy, and no thread would start it
                }
            } else if (newest instanceof Chunk || (newest.seq & CHUNK_INTERVAL - 1) == CHUNK_INTERVAL - 1) {
                var offer = offerToMany(newest, node, tries);
                if (offer != null) {
                    return offer;
                }
                continue;
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
            if (found != null && found != CLOSED && tries <= SenderPause.PAUSES) {
                SenderPause.pause(tries);
            }
        }
    }

    @Override
    protected boolean putMessage(Object message) {
        if (!(tail instanceof Chunk chunk) || !takesMessagesAlone()) {
            return false;
        }
        assert Interleave.here();
        var slot = chunk.claim();
        if (slot >= chunk.slots.length) {
            // The first sender that finds a chunk full adds the next one; the others leave that to it for a moment.
            return (slot == chunk.slots.length && added(addChunk(chunk, message))) || needsNode();
        }
        try { // no call comes between the claim and this
            assert Interleave.here();
            chunk.fill((int) slot, message);
        } catch (StackOverflowError e) {
            chunk.slots[(int) slot] = message; // needs no stack; the consumer waits for this
            return true;
        }
        try {
            if (Growth.isToLook((int) slot)
                    && look(message, chunk.seq + (int) slot) == Offer.GROWN) {
                grows();
            }
        } catch (StackOverflowError e) {
            return true; // the message is in, and a later sender looks again
        }
        return true;
    }

    /** Reports what a sender has to report; returns whether its message is in. */
    private boolean added(@Nullable Offer offer) {
        if (offer == Offer.GROWN) {
            grows();
        }
        return offer != null;
    }

    /**
     * Puts a node into the chunk that is the newest, or into a new one behind it; or behind a node after which it is time
     * for a chunk. Returns null if the mailbox has changed meanwhile.
     */
    private @Nullable Offer offerToMany(Node newest, Node node, int tries) {
        var content = Growth.contentOf(node); // the consumer owns the node once it is in
        if (!(newest instanceof Chunk chunk)) {
            return addChunk(newest, node);
        }
        var slot = chunk.claim();
        if (slot >= chunk.slots.length) {
            return offerBehind(chunk, node, slot == chunk.slots.length || tries > 1);
        }
        try { // no call comes between the claim and this
            node.seq = chunk.seq + (int) slot;
            assert Interleave.here();
            chunk.fillWith((int) slot, node);
        } catch (StackOverflowError e) {
            chunk.slots[(int) slot] = node; // needs no stack; the consumer waits for this
            return Offer.QUEUED;
        }
        try {
            return content != null && Growth.isToLook((int) slot) ? look(content, chunk.seq + (int) slot)
                    : Offer.QUEUED;
        } catch (StackOverflowError e) {
            return Offer.QUEUED; // the node is in, and a later sender looks again
        }
    }

    /** Puts a node behind a chunk of which no slot can be claimed any more. */
    private @Nullable Offer offerBehind(Chunk chunk, Node node, boolean isFirst) {
        if (tail != chunk) {
            return null;
        }
        if (chunk.isSealed()) {
            return addBehindSealed(chunk, node);
        }
        if (!isFirst) {
            SenderPause.pause(1); // another thread has found the chunk full before, and is about to add the next one
            return null;
        }
        return addChunk(chunk, node);
    }

    /** Adds a chunk that begins with this entry; returns null if the mailbox has changed meanwhile. */
    private @Nullable Offer addChunk(Node newest, Object entry) {
        var node = entry instanceof Node mine ? mine : null;
        var content = node == null ? entry : Growth.contentOf(node);
        Node chunk = Chunk.behind(newest, entry);
        if (node != null) {
            node.seq = chunk.seq;
        }
        assert Interleave.here();
        // mutant: chunk-takes-the-place-of-another-node
        if (!TAIL.compareAndSet(this, newest, chunk)) {
            if (node != null) {
                node.seq = 0; // it has no number again, and other senders must not see one before it is right
            }
            return null;
        }
        try {
            assert Interleave.here();
            newest.linkRelease(chunk);
        } catch (StackOverflowError e) {
            newest.next = chunk; // as in offer
            return Offer.QUEUED;
        }
        try {
            return content == null ? Offer.QUEUED : look(content, chunk.seq);
        } catch (StackOverflowError e) {
            return Offer.QUEUED; // the entry is in, and a later sender looks again
        }
    }

    /** Adds a node behind a chunk that the consumer has sealed and is about to leave. */
    private @Nullable Offer addBehindSealed(Node sealed, Node node) {
        node.seq = sealed.newest() + 1;
        assert Interleave.here();
        // mutant: node-takes-the-place-of-another-chunk
        if (!TAIL.compareAndSet(this, sealed, node)) {
            node.seq = 0;
            return null;
        }
        try {
            assert Interleave.here();
            sealed.linkRelease(node);
        } catch (StackOverflowError e) {
            sealed.next = node; // as in offer
        }
        return Offer.QUEUED;
    }

    /** Looks whether the mailbox has become long. Called by the sender of the message with this number. */
    private Offer look(Object content, int number) {
        if (number - taken() < Growth.LONG) {
            return Offer.QUEUED;
        }
        Growth.of(this).note(content);
        return Offer.GROWN;
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
        var mine = (number == 0 ? numberOf(newest) : number) + 1;
        node.seq = mine;
        var content = number == 0 ? null : Growth.contentOf(node); // the consumer owns it after the link
        assert Interleave.here();
        newest.linkRelease(node);
        return content == null ? Offer.QUEUED : look(content, mine);
    }

    /**
     * Returns the number of a node whose sender is about to write it. If that sender has no processor, the result is as
     * if the mailbox had been idle. It is then slightly too small: a long mailbox has chunks, whose numbers are exact.
     */
    private int numberOf(Node newest) {
        for (int spin = 0; spin < SenderPause.SPINS; spin++) {
            VarHandle.acquireFence(); // makes the loop read the field again
            var number = newest.seq;
            if (number != 0) {
                return number;
            }
            Thread.onSpinWait();
        }
        return firstNumber();
    }

    @Override
    public void grows() {
        var newest = newest();
        var taken = taken();
        Growth.of(this).look(this, newest - taken, newest, taken);
    }

    /** Nodes that were passed over are not in the mailbox, but wait as well. It is not known when they came. */
    @Override
    public void passedOver(int waiting, boolean isTaking) {
        if (waiting >= Growth.LONG && waiting % Growth.INTERVAL == 0) {
            Growth.of(this).look(this, waiting, 0, 0);
        }
    }

    /**
     * Returns the number of a node that finds the mailbox idle. Zero is kept for nodes that have no number
     * yet.
     */
    private int firstNumber() {
        return finishedOfMailbox() + 1;
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
        return present(last).advance();
    }

    @Override
    public boolean hasNext(@Nullable Node last) {
        return present(last).hasNext();
    }

    @Override
    public boolean isNewest(@Nullable Node last) {
        return tail == last && (!(last instanceof Chunk chunk) || chunk.newest() == chunk.taken());
    }

    @Override
    public void awaitLink(@Nullable Node last) {
        var at = present(last);
        if (at instanceof Chunk chunk && !chunk.isExhausted()) {
            PendingLink.awaitEntry(chunk);
        } else {
            PendingLink.await(at);
        }
    }

    /**
     * Lets no sender put a message into the chunk that the consumer is about to leave; returns false if an entry in
     * it was not taken yet, or is about to come.
     */
    private static boolean seal(@Nullable Node last) {
        if (last instanceof Chunk chunk) {
            if (!chunk.seal()) {
                return false;
            }
            assert Interleave.here();
        }
        return true;
    }

    @Override
    public boolean becomeIdle(@Nullable Node last) {
        // mutant: actor-leaves-a-chunk-that-is-not-sealed
        if (!seal(last)) {
            return false;
        }
        // mutant: actor-goes-idle-without-a-look
        return TAIL.compareAndSet(this, last, null);
    }

    @Override
    public @Nullable Node reclaim(@Nullable Node last, Node dummy) {
        dummy.seq = present(last).taken();
        return TAIL.compareAndSet(this, (Node) null, dummy) ? dummy : null;
    }

    @Override
    public void closeMailbox(@Nullable Node last, Consumer<Node> leftOver) {
        var newest = (Node) TAIL.getAndSet(this, CLOSED);
        assert Interleave.here();
        // mutant: closed-chunk-takes-messages
        if (newest instanceof Chunk chunk) {
            chunk.close();
        }
        for (var node = present(last);;) {
            if (node instanceof Chunk chunk) {
                takeAll(chunk, leftOver);
            }
            if (node == newest) {
                return;
            }
            var next = PendingLink.await(node);
            node.unlink();
            if (!(next instanceof Chunk)) {
                // mutant: message-left-over-is-lost
                leftOver.accept(next);
            }
            node = next;
        }
    }

    private static void takeAll(Chunk chunk, Consumer<Node> leftOver) {
        while (!chunk.isExhausted()) {
            // mutant: claimed-slot-is-not-awaited
            PendingLink.awaitEntry(chunk);
            // mutant: message-left-over-in-a-chunk-is-lost
            leftOver.accept(chunk.entryAsNode());
        }
    }

    @Override
    public boolean closeIfIdle() {
        // mutant: idle-mailbox-is-closed-without-a-look
        return TAIL.compareAndSet(this, (Node) null, CLOSED);
    }

    @Override
    public boolean closeIfLast(@Nullable Node last) {
        if (!seal(last)) {
            return false;
        }
        // mutant: idle-stop-overtakes-messages
        return TAIL.compareAndSet(this, last, CLOSED);
    }

    @Override
    public boolean overflow(MessageNode node, long limitNanos) {
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
        return newest != null && newest != CLOSED && newest.newest() == finishedOfMailbox();
    }

    /** Returns an estimate: the sender of the newest node may not have numbered it yet. */
    @Override
    public int mailboxSize() {
        var newest = tail;
        if (newest == null || newest == CLOSED) {
            return 0;
        }
        var notFinished = unfinished(newest.newest());
        return Math.max(0, isAtWork() ? notFinished - 1 : notFinished) + waitingBeside();
    }

    @Override
    public int before(Node node) {
        var before = node.seq - 1 - finishedOfMailbox();
        return before == 0 && isAtWork() ? -1 : before;
    }

    /** What a receiving handler has taken is finished when it takes the next: the node taken last is the better estimate. */
    @Override
    public int taken() {
        var working = turn();
        var begun = finishedOfMailbox() + (isAtWork() ? 1 : 0);
        var last = working == null ? null : working.last();
        var taken = last == null ? begun : last.taken();
        return taken - begun > 0 ? taken : begun;
    }

    @Override
    public int newest() {
        var newest = tail;
        var number = newest == null || newest == CLOSED ? 0 : newest.newest();
        return number == 0 ? taken() : number;
    }

    /** Returns {@code last}, which the consumer always has: its turn began with a node. */
    private static Node present(@Nullable Node last) {
        if (last == null) {
            throw new AssertionError("a turn without a node");
        }
        return last;
    }
}
