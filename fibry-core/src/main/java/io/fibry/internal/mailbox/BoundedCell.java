package io.fibry.internal.mailbox;

import io.fibry.MailboxPolicy.Bounded;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.run.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * An actor with a bounded mailbox, which is a {@link BoundedQueue}: what becomes of a message for which there is no space, and
 * what is reported.
 */
public class BoundedCell<M, R extends @Nullable Object> extends BoundedQueue<M, R> {
    private static final VarHandle HIGH_WATER =
            FieldAccess.of(MethodHandles.lookup(), "highWater", int.class);

    /**
     * The depth that has to be reported, or zero. Set by the sender that reaches the mark; the thread that
     * reports it takes it by an exchange.
     */
    private volatile int highWater;

    public BoundedCell(ActorSpec spec, Behavior behavior, Bounded policy) {
        super(spec, behavior, policy);
    }

    @Override
    protected boolean putMessage(Object message) {
        if (!hasChunk() || !takesMessagesAlone()) {
            return false;
        }
        if (!put(message)) {
            return needsNode();
        }
        admitted();
        return true;
    }

    @Override
    void reached(int depth) {
        highWater = depth;
    }

    /**
     * Reports that the depth has reached the mark. The turn was started before, since listeners may take their time. A full
     * mailbox whose senders wait is what its user wants: that is told to listeners, and is no line of the log.
     */
    @Override
    protected void admitted() {
        if (highWater != 0) {
            var depth = (int) HIGH_WATER.getAndSet(this, 0);
            if (depth != 0) {
                var reached = new HighWater(name(), depth, OptionalInt.of(policy.capacity()),
                        Optional.empty(), Optional.empty(), List.of());
                if (policy.overflow() instanceof OverflowPolicy.Block
                        && policy.highWater() == policy.capacity()) {
                    tell(reached);
                } else {
                    report(reached);
                }
            }
        }
    }

    @Override
    public void tookBack() {
        // mutant: ask-taken-back-keeps-its-place
        returnPlaces();
    }

    @Override
    public boolean mayBecomeIdle() {
        return !isIdle() && mailboxSize() == 0;
    }

    @Override
    public int mailboxSize() {
        return hasClosedTail() ? 0 : depth() + waitingBeside();
    }

    boolean hasSpace() {
        return depth() < policy.capacity() || returnPlaces();
    }

    // ---- A mailbox without space. ----

    @Override
    public boolean overflow(MessageNode node, long limitNanos) {
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

    private boolean lost(MessageNode node, Cause cause) {
        lose(node, cause, null);
        return false;
    }

    private void lost(Object oldest) {
        if (oldest instanceof Node entry) {
            lose(entry, Cause.DROPPED_OLDEST, null);
        } else {
            loses(oldest, Cause.DROPPED_OLDEST);
        }
    }

    private boolean block(MessageNode node, long limitNanos) {
        var outcome = waiters.await(this, node, limitNanos);
        return switch (outcome) {
            case ADMITTED -> true;
            case CLOSED -> lost(node, Cause.STOPPED);
            case TIMED_OUT -> lost(node, Cause.BLOCK_TIMEOUT);
            case CYCLE -> lost(node, Cause.BLOCK_CYCLE);
            case INTERRUPTED -> lost(node, Cause.SENDER_INTERRUPTED);
        };
    }

    private boolean dropOldest(MessageNode node) {
        var putBack = 0;
        var backoff = new Backoff();
        while (true) {
            var oldest = pollEntry();
            var again = oldest instanceof Signal signal ? signal.again() : null;
            if (oldest == null) {
                // The node was passed over by a selective receive, or is about to be linked.
                if (aside() >= policy.capacity()) {
                    return lost(node, Cause.DROPPED_NEWEST);
                }
                backoff.pause();
            } else if (oldest instanceof StopNode) {
                // What was queued before the poison pill is gone: it is time to stop, and what comes after the pill is not
                // handled any more. The pill that was taken away cannot wake the actor, so another one is sent.
                setExitReason(Reason.POISON_PILL);
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
                lost(oldest);
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
