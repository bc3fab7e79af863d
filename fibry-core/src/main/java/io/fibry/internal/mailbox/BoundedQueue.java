package io.fibry.internal.mailbox;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Node;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The bound of a bounded mailbox. The depth is the difference of two numbers, that of the newest entry and that of the
 * entry that was taken last, plus the number of entries that a receive has passed over.
 *
 * <p>A sender may add an entry if the depth is less than the capacity. It first reads the newest number and then looks
 * at the head, and adds its entry by a CAS that fails if another entry was added meanwhile. The head only moves on: so
 * the depth may be less by then, and never more.
 *
 * <p>So that senders need not look each time, and do not read what the turn writes for each entry, the lower half of
 * {@code gate} is a limit: up to this number a sender has found space. It stays true when entries are taken. It would not
 * if more entries are passed over, or if the next sender to reach the mark is to report it, and so has to look. Then
 * the turn first makes the change, and then withdraws the limit and changes the upper half of {@code gate}. A sender
 * sets a limit by a CAS from the value that it has read before its look; the CAS fails if the limit was withdrawn.
 *
 * <pre>
 *   gate:  limit -> higher limit           a sender that has looked, by CAS
 *          armed -> not armed              a sender that has reached the mark, by CAS, which reports that; the thread that has
 *                                          armed the gate when the mark was reached meanwhile, which leaves the report to the next sender
 *          not armed -> armed, no limit    the thread that has taken an entry, or has made the gate not armed, when the depth
 *                                          is at most half the mark, by CAS
 *          limit -> no limit               the turn that has passed an entry over, by CAS; a sender past the bound, when the
 *                                          limit is far behind, by CAS
 * </pre>
 *
 * <p>A thread that has changed whether the gate is armed looks at the depth once more, since others may have found the
 * gate as it was. The gate is armed if its upper half is even. Threads that take entries look at the depth only if it
 * is not armed, and from entry {@code lookAt} on: before, the entries known to be behind are more than half the mark.
 */
abstract class BoundedQueue<M, R extends @Nullable Object> extends BoundedEntries<M, R> {
    /** A limit is set if it lets more senders than this do without a look. */
    private static final int FEW = 1;
    /** A limit that is so far behind is set again, since numbers are compared modulo 2^32. */
    private static final int FAR = 1 << 30;
    private static final VarHandle GATE =
            FieldAccess.of(MethodHandles.lookup(), "gate", long.class);

    /** The lower half of {@code gate}. */
    private static final long LIMIT = 0xffff_ffffL;

    // What a look of a sender can find, other than a depth.
    private static final int SPACE = 0;
    private static final int NO_SPACE = -1;
    private static final int CHANGED = -2;

    final Bounded policy;
    final SpaceWaiters waiters = new SpaceWaiters();
    /**
     * In the lower half, the number up to which senders need not look; in the upper half, how often it was withdrawn.
     * Written by senders, and by threads that take entries, by CAS.
     */
    private volatile long gate;
    /**
     * Twice the number of nodes that a selective receive has passed over: they are taken from the list, but still wait. One
     * more while the receive is about to take a node: that one may be counted here and in the list. Written by the turn.
     */
    private volatile int passedOver;
    /**
     * When the entry with this number is taken, and not before, the depth may have fallen to half the mark. A
     * value that is too low only costs a look.
     */
    private int lookAt;

    BoundedQueue(ActorSpec spec, Behavior behavior, Bounded policy) {
        super(spec, behavior);
        this.policy = policy;
    }

    // ---- Called by senders. ----

    /** Notes that the depth has reached the mark, which is to be reported. */
    abstract void reached(int depth);

    @Override
    public Offer offer(Node node, boolean hasReserve) {
        return put(node, node.isControl(), hasReserve);
    }

    @Override
    public Offer offerPastBound(Node node) {
        return put(node, true, true);
    }

    private Offer put(Node node, boolean pastBound, boolean hasReserve) {
        if (!hasReserve) {
            StackReserve.require(); // the consumer waits for the link, and an idle actor for its start
        }
        var takesPlace = !pastBound || node.takesPlace();
        while (true) {
            var newest = tail;
            if (newest == CLOSED) {
                return Offer.CLOSED;
            }
            var chunk = newest instanceof BoundedChunk many ? many : null;
            var claimed = chunk == null ? 0 : chunk.claimed();
            var number = chunk == null ? newest.seq : chunk.newest(claimed);
            assert Interleave.here();
            var depth = pastBound ? passing(number) : look(number);
            if (depth == NO_SPACE) {
                return Offer.FULL;
            } else if (depth == CHANGED) {
                continue;
            }
            // mutant: nodes-are-not-numbered
            node.seq = number + (takesPlace ? 1 : 0); // the depth is the difference of two numbers
            if (chunk != null && chunk.hasSlot(claimed)) {
                if (!takesPlace) {
                    chunk.seal(claimed); // each slot is a place
                } else if (fill(chunk, claimed, node)) {
                    admit(depth);
                    return Offer.QUEUED;
                }
            } else if (append(newest, takesPlace && isChunkDue(newest, claimed)
                    ? BoundedChunk.behind(newest, number, policy.capacity(), node) : node)) {
                admit(depth);
                return newest instanceof Idle ? Offer.WAKE : Offer.QUEUED;
            }
        }
    }

    /** Puts a message in without a node; returns false if it needs one, or if there is no space. */
    final boolean put(Object message) {
        StackReserve.require(); // as above
        while (tail instanceof BoundedChunk chunk) {
            var claimed = chunk.claimed();
            if (BoundedChunk.isSealed(claimed)) {
                return false;
            }
            var number = chunk.newest(claimed);
            assert Interleave.here();
            var depth = look(number);
            if (depth == NO_SPACE) {
                return false;
            }
            if (depth != CHANGED && (chunk.hasSlot(claimed) ? fill(chunk, claimed, message)
                    : append(chunk, BoundedChunk.behind(chunk, number, policy.capacity(), message)))) {
                admit(depth);
                return true;
            }
        }
        return false;
    }

    /**
     * Looks whether there is space behind the entry with this number. Returns how many entries then wait, one more included; or
     * {@link #SPACE}, {@link #NO_SPACE}, or {@link #CHANGED}.
     */
    private int look(int newest) {
        var seen = gate;
        if (newest + 1 - (int) seen <= 0) {
            return SPACE;
        }
        var at = head;
        var taken = takenAt(at);
        var beside = passedOver;
        var aside = most(beside);
        var depth = newest - taken + aside;
        if (newest - taken < 0) {
            return CHANGED; // that entry was taken, and others that came after it
        }
        // mutant: bound-is-off-by-one
        if (depth >= policy.capacity()) {
            // A receive may have passed nodes over meanwhile, which were counted twice. If it is about to take one, and that
            // one makes the difference, the sender looks again: the receive waits for nothing before it says what it has taken.
            // mutant: message-is-refused-for-one-that-counts-twice
            var isFull = newest - taken + least(beside) >= policy.capacity();
            return isFull && at == head && taken == takenAt(at) && !returnPlaces() ? NO_SPACE : CHANGED;
        }
        var most = isArmed(seen) ? Math.min(policy.capacity(), policy.highWater() - 1) : policy.capacity();
        var limit = taken + most - aside;
        if (limit - newest > FEW || newest - (int) seen > FAR) {
            assert Interleave.here();
            GATE.compareAndSet(this, seen, (seen & ~LIMIT) | (limit & LIMIT));
        }
        return depth + 1;
    }

    /** As {@link #look}, for an entry that ignores the bound. */
    private int passing(int newest) {
        if (newest - (int) gate > FAR) {
            letLook();
        }
        return SPACE;
    }

    /** Looks whether the sender of an entry has reached the mark. */
    private void admit(int depth) {
        if (depth < policy.highWater()) {
            return;
        }
        assert Interleave.here();
        if (disarm(depth)) {
            arm(); // threads that took entries just before have found the gate armed, and did not look
        }
    }

    /** Notes that the mark was reached, if that is to be reported; returns false if it is not. */
    private boolean disarm(int depth) {
        for (var seen = gate; isArmed(seen); seen = gate) {
            lookAt = takenNumber(); // from now on the turn has to look
            if (GATE.compareAndSet(this, seen, seen + (1L << Integer.SIZE))) {
                reached(depth);
                return true;
            }
        }
        return false;
    }

    private static boolean isArmed(long gate) {
        return ((gate >>> Integer.SIZE) & 1) == 0;
    }

    /**
     * Removes the nodes at the front that are over, so that they give their places back; returns true if there were any.
     * Called by any thread. A node that is over keeps its place while a node before it is still wanted: the depth is the
     * difference of two numbers, and what limits the memory is the number of nodes, empty ones included.
     */
    final boolean returnPlaces() {
        for (var any = false;; any = true) {
            var over = (Node) take(OVER, false);
            if (over == null) {
                return any;
            }
            // mutant: ask-taken-back-is-not-counted
            lose(over, Cause.DROPPED_OLDEST, null);
        }
    }

    @Override
    final void freed(int number) {
        if (!isArmed(gate) && number - lookAt >= 0) {
            arm();
        }
        // mutant: nobody-is-woken-when-there-is-room
        waiters.wakeOne();
    }

    @Override
    final void closed() {
        waiters.wakeAll();
    }

    /** Lets the next time that the mark is reached be reported, if the depth has fallen to half of it. */
    private void arm() {
        for (var seen = gate; !isArmed(seen); seen = gate) {
            var newest = numberAt(tail);
            if (depth() > policy.highWater() / 2) {
                lookAt = newest - policy.highWater() / 2;
                return;
            }
            // The scenarios, whose mark is the capacity, take it that a message begins as soon as it is taken.
            assert policy.highWater() == policy.capacity() || Interleave.here();
            if (withdraw(seen, 1)) {
                var depth = depth(); // senders that came after the look have found the gate not armed
                if (depth >= policy.highWater()) {
                    disarm(depth);
                }
            }
        }
    }

    /**
     * Lets senders look again; {@code change} is odd if that also changes whether the mark is to be reported. Returns false if
     * another thread has done so since the gate was read. Senders that raise the limit do no harm.
     */
    private boolean withdraw(long seen, int change) {
        var before = seen >>> Integer.SIZE;
        for (var now = seen; now >>> Integer.SIZE == before; now = gate) {
            if (GATE.compareAndSet(this, now,
                    ((before + change) << Integer.SIZE) | (takenNumber() & LIMIT))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public final void passedOver(int waiting, boolean isTaking) {
        var before = most(passedOver);
        var now = isTaking ? waiting + 1 : waiting;
        passedOver = 2 * waiting + (isTaking ? 1 : 0);
        if (now < before) {
            arm();
            waiters.wakeOne();
        } else if (now > before) {
            assert Interleave.here();
            letLook();
        }
    }

    /** Returns how many nodes wait beside the list, if the receive takes the one that it is about to take. */
    private static int most(int passedOver) {
        return (passedOver + 1) >> 1;
    }

    /** Returns how many nodes were taken from the list for certain, and wait beside it. */
    private static int least(int passedOver) {
        return passedOver >> 1;
    }

    /** Lets senders look again, also those that have looked before and are about to set a limit. */
    private void letLook() {
        while (!withdraw(gate, 2)) {
            Thread.onSpinWait();
        }
    }

    /** Returns how many entries take a place. */
    final int depth() {
        while (true) {
            var at = head;
            var taken = takenAt(at);
            var newest = tail;
            if (newest == CLOSED) {
                return 0;
            }
            var depth = numberAt(newest) - taken + most(passedOver);
            if (at == head && taken == takenAt(at)) {
                return depth;
            }
        }
    }

    /** Returns how many nodes were taken and still wait. */
    final int aside() {
        return least(passedOver);
    }

    @Override
    public int before(Node node) {
        var waiting = node.seq - 1 - takenNumber();
        return waiting < 0 ? waiting : waiting + most(passedOver) + (isAtWork() ? 1 : 0);
    }
}
