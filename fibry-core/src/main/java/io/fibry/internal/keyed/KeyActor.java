package io.fibry.internal.keyed;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.OpeningNode;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.timer.IdleStop;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The actor that a key has, or the last one that it had.
 *
 * <pre>
 *   senders:  n -> n + 1 -> n      senders, while they send
 *             0 -> RETIRING        a thread that finds the actor idle: no sender begins to send from here on
 *             RETIRING -> 0        the same thread, if the actor was not idle after all
 *             RETIRING -> RETIRED  the same thread, if it was idle: its mailbox has no node and gets none but the stop
 *
 *   next:     null -> the next     the maker of the next actor of the key, which waits for the end of this one
 *             any -> this          this actor, at its end; it then starts the next one
 * </pre>
 *
 * <p>A thread leaves RETIRING after a few steps without a wait, so a sender that reads RETIRING spins until then.
 */
final class KeyActor extends IdleStop {
    private static final int RETIRING = -1;
    private static final int RETIRED = -2;

    final Object key;
    private final Keyed<?, ?, ?, ?> owner;
    private final AtomicInteger senders = new AtomicInteger();
    private final AtomicReference<@Nullable KeyActor> next = new AtomicReference<>();
    private final AtomicReference<@Nullable Node> start;
    /** Whether the actor has one of the limited number of places. */
    private final AtomicBoolean counts = new AtomicBoolean(true);

    /** Makes the record of an actor. If {@code waits} is true the actor does not begin before {@link #release}. */
    KeyActor(Keyed<?, ?, ?, ?> owner, Object key, Cell cell, long quietNanos, boolean waits) {
        super(cell, quietNanos);
        this.owner = owner;
        this.key = key;
        start = new AtomicReference<>(waits ? new OpeningNode() : null);
    }

    /** Lets a scope admit the actor. If the actor waits, its mailbox stays busy and no thread runs it. */
    void admitTo(Scope scope) {
        var first = start.get();
        if (first == null) {
            scope.admit(cell, null);
        } else {
            scope.admitWaiting(cell, first);
        }
    }

    // ---- Sending. ----

    /** Counts a sender that begins to send; returns false if this actor takes no more messages. */
    boolean enter() {
        var backoff = new Backoff();
        while (true) {
            var count = senders.get();
            if (count == RETIRED) {
                return false;
            }
            if (count == RETIRING) {
                backoff.pause();
            } else if (senders.compareAndSet(count, count + 1)) {
                assert Interleave.here();
                if (!cell.exitRequested() && !cell.hasClosed()) {
                    return true;
                }
                leave(); // the actor ends, since its handler has failed for example
                return false;
            }
        }
    }

    void leave() {
        senders.decrementAndGet();
    }

    // ---- Its end. ----

    /** Does nothing: the idle time begins when senders can find the actor by its key. */
    @Override
    public void onMaking() {
    }

    @Override
    public void stop(long finished) {
        retireIfIdle(finished);
    }

    /** Ends the actor if it is idle; returns whether it does. */
    boolean retireIfIdle() {
        return retireIfIdle(cell.finishedSoFar());
    }

    private boolean retireIfIdle(long finished) {
        // mutant: actor-of-a-key-retires-while-a-sender-has-it
        if (!senders.compareAndSet(0, RETIRING)) {
            return false;
        }
        assert Interleave.here();
        var idle = cell.isAtRest() && cell.finishedSoFar() == finished && !cell.hasClosed()
                && !cell.extendedState().owesReplies();
        senders.set(idle ? RETIRED : 0);
        if (idle) {
            givePlaceBack();
            cell.sendControlAway(new StopNode(Reason.IDLE));
        }
        return idle;
    }

    /** Gives the place of the actor back, once. */
    void givePlaceBack() {
        if (counts.compareAndSet(true, false)) {
            owner.releasePlace();
        }
    }

    /** Registers the next actor of the same key, which waits for the end of this one. */
    void chain(KeyActor other) {
        assert Interleave.here();
        // mutant: late-next-actor-of-a-key-is-not-started
        if (!next.compareAndSet(null, other)) {
            other.release();
        }
    }

    @Override
    public void onStopping() {
        super.onStopping();
        givePlaceBack();
    }

    @Override
    public void onStopped() {
        var other = next.getAndSet(this);
        owner.remove(this);
        // mutant: next-actor-of-a-key-is-not-started
        if (other != null) {
            other.release();
        }
    }

    /** Lets the actor begin. The first call does it, others do nothing. */
    void release() {
        var first = start.getAndSet(null);
        if (first != null) {
            cell.startAway(first);
        }
    }
}
