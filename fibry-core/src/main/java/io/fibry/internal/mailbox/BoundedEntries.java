package io.fibry.internal.mailbox;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.signal.OpeningNode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a bounded mailbox: a linked list whose entries are numbered, so that the depth is the difference of
 * two numbers, and exact without a counter that threads would have to share. The list consists of nodes, each of which
 * is an entry, of {@link BoundedChunk}s, which hold many entries, and of marks, which hold none.
 *
 * <p>{@code head} is the position from which an entry was taken last. {@code tail} holds the state of the mailbox:
 *
 * <pre>
 *   Idle     idle       no turn runs the actor; carries the number of the newest entry
 *   other    busy       a turn runs, or is about to run; this is the newest position
 *   CLOSED   closed     the actor has stopped
 *
 *   Idle   -> node      a sender, by CAS; it moves head to the Idle, links that to node and starts the turn
 *   node   -> newer     a sender, by CAS; it links node to newer, which is a node or a chunk
 *   chunk  -> newer     a sender, by CAS, when no slot of chunk can be claimed any more; it links chunk to newer
 *   node   -> Idle      the consumer, by CAS, when node is head; it then moves head to the Idle, by CAS
 *   chunk  -> Idle      the same, when the consumer has sealed the chunk
 *   Idle   -> mark      a consumer that had become idle in a selective receive, by CAS; it links the Idle to mark
 *   any    -> CLOSED    the consumer, by exchange; or a stopper, by CAS from Idle
 *   last   -> CLOSED    the consumer of an actor that was idle for long, by CAS, when it may become idle
 * </pre>
 *
 * <p>No value returns to {@code tail}. So a CAS that succeeds shows that {@code tail} was the same since it was read,
 * and if the value is a chunk whose slots cannot be claimed any more, or no chunk, that no entry was added; the number
 * that a sender gives its node is then right. The Idle that all unused mailboxes share is in no list: who replaces it
 * makes another one for {@code head}. While there are slots, the CAS of a claim shows the same, and writes to no mailbox.
 *
 * <p>Other threads than the consumer take entries, too: a sender when the policy is to drop the oldest, and any thread when
 * the node at the front is over. So an entry is taken by a CAS: of {@code head} from one position to the next, or of the next
 * slot to read of a chunk. While a mailbox becomes idle, in two steps, nothing is behind {@code head}; so only the two
 * threads that set it to the Idle can move it, and to the same value. An idle mailbox therefore keeps no chunk.
 */
abstract class BoundedEntries<M, R extends @Nullable Object> extends Handle<M, R> {
    static final Node CLOSED = new Idle();
    /** The value of {@code head} and {@code tail} of all mailboxes that were never used. It is not linked to anything. */
    private static final Node UNUSED = new Idle();
    /** A chunk follows a node whose number is one less than a multiple of this. A power of two. */
    private static final int CHUNK_INTERVAL = 16;
    private static final VarHandle HEAD =
            FieldAccess.of(MethodHandles.lookup(), "head", Node.class);
    private static final VarHandle TAIL =
            FieldAccess.of(MethodHandles.lookup(), "tail", Node.class);

    // Which entries a thread takes.
    static final int ANY = 0;
    static final int CONTROL = 1;
    static final int OVER = 2;

    /** A position of the list that is no entry. */
    static class Mark extends Node {
    }

    /** The value of {@code tail} while the mailbox is idle. */
    static final class Idle extends Mark {
    }

    /**
     * Written by CAS: by the consumer, senders that drop the oldest or begin anew, and threads that find a node
     * over. The winner owns the node.
     */
    volatile Node head = UNUSED;
    /** The state of the mailbox. Written by senders and the consumer, by CAS; to close, by an exchange. */
    volatile Node tail = UNUSED;

    BoundedEntries(ActorSpec spec, Behavior behavior) {
        super(spec, behavior);
    }

    // ---- What the bound adds. ----

    /** Notes that the entry with this number was taken. Called by the thread that has taken it. */
    abstract void freed(int number);

    /** Notes that the mailbox was closed. */
    abstract void closed();

    // ---- The back. ----

    /** Puts the node where the node taken last would be: it does not wait, and no sender can drop it. */
    @Override
    public void begin(Node node) {
        head = node;
        tail = node;
    }

    static boolean isChunkDue(Node newest, long claimed) {
        return newest instanceof BoundedChunk ? !BoundedChunk.isSealed(claimed)
                : !(newest instanceof Idle) && (newest.seq & CHUNK_INTERVAL - 1) == CHUNK_INTERVAL - 1;
    }

    /** Puts an entry into the next slot; returns false if the mailbox has changed. */
    static boolean fill(BoundedChunk chunk, long claimed, Object entry) {
        if (!chunk.claim(claimed)) {
            return false;
        }
        assert Interleave.here();
        if (entry instanceof Node node) {
            chunk.fillWith((int) claimed, node);
        } else {
            chunk.fill((int) claimed, entry);
        }
        return true;
    }

    /** Puts a node or a chunk behind the newest position; returns false if the mailbox has changed. */
    final boolean append(Node newest, Node added) {
        var before = newest == UNUSED ? new Idle() : newest;
        // mutant: link-is-set-before-the-cas-is-won
        if (!TAIL.compareAndSet(this, newest, added)) {
            return false;
        }
        assert Interleave.here();
        if (newest instanceof Idle) {
            var last = head;
            if (last != before) {
                HEAD.compareAndSet(this, last, before); // unless the consumer does it at this moment
            }
        }
        before.linkRelease(added);
        return true;
    }

    // ---- The front. ----

    /** Takes the oldest entry if it is wanted; returns null if it is not, or if there is none. Called by any thread. */
    final @Nullable Object take(int wanted, boolean asNode) {
        while (true) {
            var at = head;
            if (at instanceof BoundedChunk chunk) {
                var slot = chunk.nextSlot();
                var entry = chunk.peek(slot);
                assert wanted != ANY || Interleave.here();
                if (entry != null) {
                    if (!isWanted(entry, wanted)) {
                        return null;
                    }
                    assert wanted == ANY || Interleave.here();
                    var taken = asNode && !(entry instanceof Node) ? new MessageNode(entry) : entry;
                    if (chunk.take(slot)) {
                        freed(chunk.seq + slot);
                        return taken;
                    }
                    continue;
                }
                if (!chunk.isExhausted()) {
                    if (slot == chunk.nextSlot()) {
                        return null;
                    }
                    continue;
                }
            }
            var next = at.nextAcquire();
            assert wanted != ANY || Interleave.here();
            if (next == null) {
                if (at == head) {
                    return null;
                }
                continue;
            }
            var isEntry = !(next instanceof BoundedChunk || next instanceof Mark);
            if (isEntry && !isWanted(next, wanted)) {
                return null;
            }
            assert wanted == ANY || Interleave.here();
            // mutant: ask-taken-back-is-taken-twice
            if (HEAD.compareAndSet(this, at, next)) {
                at.unlink();
                if (isEntry) {
                    freed(next.seq);
                    return next;
                }
            }
        }
    }

    private static boolean isWanted(Object entry, int wanted) {
        // mutant: ask-not-taken-back-gives-its-place-back
        return wanted == ANY
                || (entry instanceof Node node && (wanted == OVER ? node.isOver() : node.isControl()));
    }

    @Override
    public final @Nullable Node poll(@Nullable Node last) {
        return (Node) take(ANY, true);
    }

    @Override
    public final @Nullable Object pollEntry() {
        return take(ANY, false);
    }

    /** Takes the oldest node if it is one of the engine; returns null if it is not, or if there is none. */
    final @Nullable Node pollControl() {
        return (Node) take(CONTROL, true);
    }

    @Override
    public @Nullable Node first(Node token) {
        return token instanceof OpeningNode ? token : poll(null);
    }

    @Override
    public boolean followsLinks() {
        // mutant: turn-takes-from-a-bounded-mailbox-directly
        return false;
    }

    @Override
    public @Nullable Node handedOver(Node node) {
        return null;
    }

    @Override
    public boolean hasNext(@Nullable Node last) {
        var at = head;
        return (at instanceof BoundedChunk chunk && !chunk.isExhausted())
                ? chunk.peek(chunk.nextSlot()) != null
                : at.nextAcquire() != null;
    }

    @Override
    public boolean isNewest(@Nullable Node last) {
        var newest = tail;
        return newest == head && (!(newest instanceof BoundedChunk chunk) || chunk.isEmpty());
    }

    @Override
    public void awaitLink(@Nullable Node last) {
        var backoff = new Backoff();
        while (true) {
            var at = head;
            if (hasNext(last) || at != head || isNewest(last)) {
                return;
            }
            backoff.pause();
        }
    }

    // ---- The state. ----

    @Override
    public boolean becomeIdle(@Nullable Node last) {
        var newest = tail;
        var idle = new Idle(); // before the seal, which must not be left without its end for want of memory
        assert Interleave.here();
        // mutant: bounded-actor-goes-idle-without-a-look
        if (newest == head && seal(newest) && TAIL.compareAndSet(this, newest, numbered(idle, newest))) {
            assert Interleave.here();
            HEAD.compareAndSet(this, newest, idle); // unless a sender has done so
            return true;
        }
        return false;
    }

    /** Called after the seal. Before it, other threads may have added entries to the chunk, and have taken them, too. */
    private static Idle numbered(Idle idle, Node newest) {
        idle.seq = numberAt(newest);
        return idle;
    }

    /** Lets no sender put an entry into the chunk that the consumer is about to leave; returns false if one has come. */
    private static boolean seal(Node newest) {
        // mutant: actor-leaves-a-bounded-chunk-that-is-not-sealed
        if (newest instanceof BoundedChunk chunk && !chunk.seal()) {
            return false;
        }
        assert Interleave.here();
        return true;
    }

    @Override
    public Node newMark() {
        return new Mark();
    }

    @Override
    public @Nullable Node reclaim(@Nullable Node last, Node mark) {
        var idle = tail;
        if (!(idle instanceof Idle) || idle == CLOSED) {
            return null;
        }
        mark.seq = idle.seq;
        if (!append(idle, mark)) {
            return null;
        }
        HEAD.compareAndSet(this, idle, mark); // unless a sender that takes entries has done so
        return mark;
    }

    @Override
    public void closeMailbox(@Nullable Node last, Consumer<Node> leftOver) {
        var newest = (Node) TAIL.getAndSet(this, CLOSED);
        assert Interleave.here();
        // mutant: closed-bounded-chunk-takes-messages
        if (newest instanceof BoundedChunk chunk) {
            chunk.close();
        }
        var backoff = new Backoff();
        while (head != newest || (newest instanceof BoundedChunk chunk && !chunk.isExhausted())) {
            var next = poll(null);
            if (next == null) {
                backoff.pause(); // the sender of the next entry is about to link it, or to fill its slot
            } else {
                // mutant: message-left-over-in-a-bounded-mailbox-is-lost
                leftOver.accept(next);
            }
        }
        closed();
    }

    @Override
    public boolean closeIfIdle() {
        var idle = tail;
        if (idle instanceof Idle && idle != CLOSED && TAIL.compareAndSet(this, idle, CLOSED)) {
            closed();
            return true;
        }
        return false;
    }

    @Override
    public boolean closeIfLast(@Nullable Node last) {
        var newest = tail;
        // mutant: idle-stop-overtakes-messages-in-a-bounded-mailbox
        if (newest == head && seal(newest) && TAIL.compareAndSet(this, newest, CLOSED)) {
            closed();
            return true;
        }
        return false;
    }

    @Override
    public boolean isIdle() {
        return tail instanceof Idle;
    }

    // ---- Numbers. ----

    static int takenAt(Node at) {
        return at instanceof BoundedChunk chunk ? chunk.takenNumber() : at.seq;
    }

    static int numberAt(Node newest) {
        return newest instanceof BoundedChunk chunk ? chunk.newest(chunk.claimed()) : newest.seq;
    }

    final int takenNumber() {
        return takenAt(head);
    }

    /** Returns whether messages may be put in without nodes. */
    final boolean hasChunk() {
        return tail instanceof BoundedChunk;
    }

    final boolean hasClosedTail() {
        return tail == CLOSED;
    }

    @Override
    public int taken() {
        return takenNumber();
    }

    @Override
    public int newest() {
        var newest = tail;
        return newest == CLOSED ? takenNumber() : numberAt(newest);
    }
}
