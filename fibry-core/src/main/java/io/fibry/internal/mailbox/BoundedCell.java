package io.fibry.internal.mailbox;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.FirstNode;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.UrgentLane;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An actor with a bounded mailbox. The mailbox is a linked list whose nodes are numbered: the depth is the difference of two
 * numbers, and exact without a counter that threads would have to share.
 *
 * <p>{@code head} is the node that was taken last. {@code tail} holds the state of the mailbox:
 *
 * <pre>
 *   Idle     idle       no turn runs the actor; carries the number of the newest node
 *   node     busy       a turn runs, or is about to run; node is the newest
 *   CLOSED   closed     the actor has stopped
 *
 *   Idle   -> node      a sender, by CAS; it links head to node and starts the turn
 *   node   -> newer     a sender, by CAS; it links node to newer
 *   node   -> Idle      the consumer, by CAS, when node is head
 *   Idle   -> node      a consumer that had become idle in a selective receive, back to the node before, by CAS
 *   any    -> CLOSED    the consumer, by exchange; or a stopper, by CAS from Idle
 *   node   -> CLOSED    the consumer of an actor that was idle for long, by CAS, when node is head
 * </pre>
 *
 * <p>Every {@code Idle} is a new object. A sender's CAS from an {@code Idle} therefore succeeds only if nothing has happened
 * since the sender read it, and the number that the sender gives its node is right. {@code head} moves by CAS because other
 * threads than the consumer take nodes from it, too: a sender when the policy is to drop the oldest, and any thread when the
 * node at the front is over. A sender reads {@code tail} before {@code head}. The head may have moved on in between; the
 * depth is then too small, but at most for a CAS that fails.
 */
public class BoundedCell<M, R extends @Nullable Object> extends Handle<M, R> {
    private static final Node CLOSED = new Idle(0);
    private static final VarHandle HEAD =
            FieldAccess.of(MethodHandles.lookup(), "head", Node.class);
    private static final VarHandle TAIL =
            FieldAccess.of(MethodHandles.lookup(), "tail", Node.class);
    private static final VarHandle ARMED =
            FieldAccess.of(MethodHandles.lookup(), "armed", boolean.class);
    private static final VarHandle HIGH_WATER =
            FieldAccess.of(MethodHandles.lookup(), "highWater", int.class);

    /** The value of {@code tail} while the mailbox is idle. */
    private static final class Idle extends Node {
        Idle(int seq) {
            this.seq = seq;
        }

        @Override
        public void handle(Turn turn) {
            throw new AssertionError("an idle mark is not to be handled");
        }

        @Override
        public boolean isControl() {
            return true;
        }
    }

    private final Bounded policy;
    private final SpaceWaiters waiters = new SpaceWaiters();
    private volatile Node head = new Idle(0);
    private volatile Node tail = head;
    /** How many nodes a selective receive has passed over: they are taken from the list, but still wait. */
    private volatile int passedOver;
    /** Whether the next time that the depth reaches the high-water mark is reported. */
    private volatile boolean armed = true;
    /** The depth that has to be reported, or zero. */
    private volatile int highWater;

    public BoundedCell(ActorSpec spec, Behavior behavior, Bounded policy) {
        super(spec, behavior);
        this.policy = policy;
    }

    @Override
    public Offer offer(Node node, boolean hasReserve) {
        return put(node, node.isControl(), hasReserve);
    }

    /** Puts the node where the node taken last would be: it does not wait, and no sender can drop it. */
    @Override
    public void begin(Node node) {
        head = node;
        tail = node;
    }

    @Override
    public @Nullable Node handedOver(Node node) {
        return null;
    }

    @Override
    public Offer offerPastBound(Node node) {
        return put(node, true, true);
    }

    private Offer put(Node node, boolean pastBound, boolean hasReserve) {
        if (!hasReserve) {
            StackReserve.require(); // the consumer waits for the link, and an idle actor for its start
        }
        while (true) {
            var newest = tail;
            if (newest == CLOSED) {
                return Offer.CLOSED;
            }
            assert Interleave.here();
            var taken = head;
            var depth = newest.seq - taken.seq + passedOver;
            // mutant: bound-is-off-by-one
            if (depth >= policy.capacity() && !pastBound) {
                if (taken == head && !returnPlaces()) {
                    return Offer.FULL;
                }
                continue; // a receive may have passed nodes over in between, which were then counted twice
            }
            // mutant: nodes-are-not-numbered
            node.seq = newest.seq + (pastBound && !node.takesPlace() ? 0 : 1); // the depth is the difference of two numbers
            // mutant: link-is-set-before-the-cas-is-won
            if (TAIL.compareAndSet(this, newest, node)) {
                assert Interleave.here();
                var idle = newest instanceof Idle;
                // No thread could move head while the mailbox was idle, and none can before the link is set.
                (idle ? head : newest).linkRelease(node);
                if (depth + 1 >= policy.highWater() && !pastBound && ARMED.compareAndSet(this, true, false)) {
                    highWater = depth + 1;
                }
                return idle ? Offer.WAKE : Offer.QUEUED;
            }
        }
    }

    /** Reports that the depth has reached the mark. The turn was started before, since listeners may take their time. */
    @Override
    protected void admitted() {
        if (highWater != 0) {
            var depth = (int) HIGH_WATER.getAndSet(this, 0);
            if (depth != 0) {
                report(new HighWater(name(), depth, policy.capacity()));
            }
        }
    }

    @Override
    public @Nullable Node first(Node token) {
        return token instanceof FirstNode ? token : poll(null);
    }

    @Override
    public boolean followsLinks() {
        // mutant: turn-takes-from-a-bounded-mailbox-directly
        return false;
    }

    /** Takes the oldest node. Called by the consumer, and by senders that drop the oldest node. */
    @Override
    public @Nullable Node poll(@Nullable Node last) {
        while (true) {
            var taken = head;
            var next = taken.nextAcquire();
            assert Interleave.here();
            if (next == null) {
                if (taken == head) {
                    return null;
                }
            } else if (HEAD.compareAndSet(this, taken, next)) {
                taken.unlink();
                freed();
                return next;
            }
        }
    }

    /** Takes the oldest node if it is one of the engine; returns null if it is not, or if there is none. */
    final @Nullable Node pollControl() {
        while (true) {
            var taken = head;
            var next = taken.nextAcquire();
            if (next == null || !next.isControl()) {
                return null;
            }
            assert Interleave.here();
            if (HEAD.compareAndSet(this, taken, next)) {
                taken.unlink();
                freed();
                return next;
            }
        }
    }

    /**
     * Removes the nodes at the front that are over, so that they give their places back; returns true if there were any.
     * Called by any thread. A node that is over keeps its place while a node before it is still wanted: the depth is the
     * difference of two numbers, and what limits the memory is the number of nodes, empty ones included.
     */
    private boolean returnPlaces() {
        for (var any = false;; any = true) {
            var taken = head;
            var next = taken.nextAcquire();
            // mutant: ask-not-taken-back-gives-its-place-back
            if (next == null || !next.isOver()) {
                return any;
            }
            assert Interleave.here();
            // mutant: ask-taken-back-is-taken-twice
            if (HEAD.compareAndSet(this, taken, next)) {
                taken.unlink();
                freed();
                // mutant: ask-taken-back-is-not-counted
                lose(next, Cause.DROPPED_OLDEST, null);
            }
        }
    }

    @Override
    public void tookBack() {
        // mutant: ask-taken-back-keeps-its-place
        returnPlaces();
    }

    private void freed() {
        if (!armed && depth() <= policy.highWater() / 2) {
            armed = true;
        }
        // mutant: nobody-is-woken-when-there-is-room
        waiters.wakeOne();
    }

    @Override
    public boolean hasNext(@Nullable Node last) {
        return head.nextAcquire() != null;
    }

    @Override
    public boolean isNewest(@Nullable Node last) {
        return tail == head;
    }

    @Override
    public void awaitLink(@Nullable Node last) {
        var backoff = new Backoff();
        while (true) {
            var taken = head;
            if (taken.nextAcquire() != null || tail == taken || taken != head) {
                return;
            }
            backoff.pause();
        }
    }

    @Override
    public boolean becomeIdle(@Nullable Node last) {
        var newest = tail;
        // mutant: bounded-actor-goes-idle-without-a-look
        return newest == head && TAIL.compareAndSet(this, newest, new Idle(newest.seq));
    }

    @Override
    public @Nullable Node reclaim(@Nullable Node last) {
        var idle = tail;
        return idle instanceof Idle && idle != CLOSED && TAIL.compareAndSet(this, idle, head) ? head : null;
    }

    @Override
    public void closeMailbox(@Nullable Node last, Consumer<Node> leftOver) {
        var newest = (Node) TAIL.getAndSet(this, CLOSED);
        var backoff = new Backoff();
        while (head != newest) {
            var next = poll(null);
            if (next == null) {
                backoff.pause(); // the sender of the next node is about to link it
            } else {
                // mutant: message-left-over-in-a-bounded-mailbox-is-lost
                leftOver.accept(next);
            }
        }
        waiters.wakeAll();
    }

    @Override
    public boolean closeIfIdle() {
        var idle = tail;
        if (idle instanceof Idle && idle != CLOSED && TAIL.compareAndSet(this, idle, CLOSED)) {
            waiters.wakeAll();
            return true;
        }
        return false;
    }

    @Override
    public boolean closeIfLast(@Nullable Node last) {
        var newest = tail;
        // mutant: idle-stop-overtakes-messages-in-a-bounded-mailbox
        if (newest == head && TAIL.compareAndSet(this, newest, CLOSED)) {
            waiters.wakeAll();
            return true;
        }
        return false;
    }

    @Override
    public boolean isIdle() {
        return tail instanceof Idle;
    }

    @Override
    public boolean mayBecomeIdle() {
        return !isIdle() && mailboxSize() == 0;
    }

    /** Returns how many nodes take a place. */
    private int depth() {
        while (true) {
            var taken = head;
            var newest = tail;
            if (newest == CLOSED) {
                return 0;
            }
            var depth = newest.seq - taken.seq + passedOver;
            if (taken == head) {
                return depth;
            }
        }
    }

    @Override
    public int mailboxSize() {
        return tail == CLOSED ? 0 : depth() + UrgentLane.waiting(this);
    }

    @Override
    public int before(Node node) {
        var waiting = node.seq - 1 - head.seq;
        return waiting < 0 ? waiting : waiting + passedOver + (isAtWork() ? 1 : 0);
    }

    @Override
    public int taken() {
        return head.seq;
    }

    @Override
    public int newest() {
        var newest = tail;
        return newest == CLOSED ? head.seq : newest.seq;
    }

    boolean hasSpace() {
        return depth() < policy.capacity() || returnPlaces();
    }

    @Override
    public void passedOver(int now) {
        var before = passedOver;
        passedOver = now;
        if (now < before) {
            freed();
        }
    }

    // ---- A mailbox without space. ----

    @Override
    public boolean overflow(Node node, long limitNanos) {
        var overflow = policy.overflow(); // no switch on its class: see StackReserve
        if (overflow instanceof OverflowPolicy.Block block) {
            return block(node, block.timeout().isEmpty()
                    ? limitNanos
                    : Math.min(limitNanos, Durations.nanos(block.timeout().get(), "timeout")));
        } else if (overflow instanceof OverflowPolicy.DropNewest) {
            return lost(node, Cause.DROPPED_NEWEST);
        } else if (overflow instanceof OverflowPolicy.DropOldest) {
            return dropOldest(node);
        }
        var content = node.content();
        lost(node, Cause.FULL);
        if (overflow instanceof OverflowPolicy.Reject || content == null) {
            return false; // without content, its time was over before it was sent
        }
        throw Losses.exception(this, content, Cause.FULL, null);
    }

    private boolean lost(Node node, Cause cause) {
        lose(node, cause, null);
        return false;
    }

    private boolean block(Node node, long limitNanos) {
        var outcome = waiters.await(this, node, limitNanos);
        return switch (outcome) {
            case ADMITTED -> true;
            case CLOSED -> lost(node, Cause.STOPPED);
            case TIMED_OUT -> lost(node, Cause.BLOCK_TIMEOUT);
            case CYCLE -> lost(node, Cause.BLOCK_CYCLE);
            case INTERRUPTED -> lost(node, Cause.SENDER_INTERRUPTED);
        };
    }

    private boolean dropOldest(Node node) {
        var putBack = 0;
        var backoff = new Backoff();
        while (true) {
            var oldest = poll(null);
            var again = oldest == null ? null : oldest.again();
            if (oldest == null) {
                // The node was passed over by a selective receive, or is about to be linked.
                if (passedOver >= policy.capacity()) {
                    return lost(node, Cause.DROPPED_NEWEST);
                }
                backoff.pause();
            } else if (oldest instanceof StopNode) {
                // What was queued before the poison pill is gone: it is time to stop, and what comes after the pill is not
                // handled any more. The pill that was taken away cannot wake the actor, so another one is sent.
                exit(Reason.POISON_PILL);
                sendControl(new StopNode(Reason.POISON_PILL));
                return lost(node, Cause.STOPPED);
            } else if (again != null) {
                // The node is no sender's message: it moves to the back. If there is nothing else, the new node is lost.
                sendControl(again);
                if (++putBack > policy.capacity()) {
                    return lost(node, Cause.DROPPED_NEWEST);
                }
            } else {
                // mutant: dropped-oldest-is-not-reported
                lose(oldest, Cause.DROPPED_OLDEST, null);
            }
            switch (offer(node)) {
                case WAKE -> {
                    start(node);
                    return true;
                }
                case QUEUED, GROWN -> {
                    return true;
                }
                case CLOSED -> {
                    return lost(node, Cause.STOPPED);
                }
                case FULL -> {
                }
            }
        }
    }
}
