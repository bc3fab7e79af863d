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
 * The actor that a key has, or had last.
 *
 * <pre>
 *   senders:  n -> n + 1 -> n      senders, while they send
 *             0 -> RETIRING        whoever finds it idle: from here on nobody begins to send
 *             RETIRING -> 0        it was not idle after all
 *             RETIRING -> RETIRED  it was, so nothing is and nothing will be in its mailbox but its end
 *
 *   next:     null -> the next     who has made the next actor of the key, which waits for this one's end
 *             any -> this          this actor has ended; it starts the next one
 * </pre>
 *
 * <p>RETIRING is left after a few steps without a wait, so senders that meet it wait for that.
 */
final class KeyActor extends IdleStop {
    private static final int RETIRING = -1;
    private static final int RETIRED = -2;

    final Object key;
    private final Keyed<?, ?, ?> owner;
    private final AtomicInteger senders = new AtomicInteger();
    private final AtomicReference<@Nullable KeyActor> next = new AtomicReference<>();
    private final AtomicReference<@Nullable Node> start;
    /** Whether it is one of those that there may be only so many of. */
    private final AtomicBoolean counts = new AtomicBoolean(true);

    /** An actor; if {@code waits}, it does not begin before {@link #release}. */
    KeyActor(Keyed<?, ?, ?> owner, Object key, Cell cell, long quietNanos, boolean waits) {
        super(cell, quietNanos);
        this.owner = owner;
        this.key = key;
        start = new AtomicReference<>(waits ? new OpeningNode() : null);
    }

    /** Has it taken in by its scope. If it waits its mailbox stays busy, and nobody runs it. */
    void admitTo(Scope scope) {
        var first = start.get();
        if (first == null) {
            scope.admit(cell, null);
        } else {
            scope.admitWaiting(cell, first);
        }
    }

    // ---- Sending. ----

    /** A sender begins to send; false if this actor takes no more messages. */
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
                Interleave.here();
                if (!cell.exitRequested() && !cell.hasClosed()) {
                    return true;
                }
                leave(); // its handler has failed, say
                return false;
            }
        }
    }

    void leave() {
        senders.decrementAndGet();
    }

    // ---- Its end. ----

    /** Does nothing yet: it begins when others can find the actor by its key. */
    @Override
    public void onMaking() {
    }

    @Override
    public void stop(long finished) {
        retires(finished);
    }

    /** Ends it if it is idle. */
    boolean retires() {
        return retires(cell.finishedSoFar());
    }

    private boolean retires(long finished) {
        // mutant: actor-of-a-key-retires-while-a-sender-has-it
        if (!senders.compareAndSet(0, RETIRING)) {
            return false;
        }
        Interleave.here();
        var idle = cell.isIdle() && cell.finishedSoFar() == finished && !cell.hasClosed();
        senders.set(idle ? RETIRED : 0);
        if (idle) {
            givesPlaceBack();
            cell.sendControlAway(new StopNode(Reason.IDLE));
        }
        return idle;
    }

    /** It is not one of the living any more. */
    void givesPlaceBack() {
        if (counts.compareAndSet(true, false)) {
            owner.placeIsFree();
        }
    }

    /** Another actor of the same key comes after it. */
    void chain(KeyActor other) {
        Interleave.here();
        // mutant: late-next-actor-of-a-key-is-not-started
        if (!next.compareAndSet(null, other)) {
            other.release();
        }
    }

    @Override
    public void onStopping() {
        super.onStopping();
        givesPlaceBack();
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

    /** Nothing stands in its way any more. Once. */
    void release() {
        var first = start.getAndSet(null);
        if (first != null) {
            cell.startAway(first);
        }
    }
}
