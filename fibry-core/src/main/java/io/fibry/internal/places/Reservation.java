package io.fibry.internal.places;

import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Services.Places;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.limit.Budget;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes the places that one message needs: one in each limit that it counts for, or none at all, before the
 * message is in the mailbox and any turn is started for it. Where there is no place, the policy of the scope
 * of that limit applies. Accessed by the sender only.
 */
public final class Reservation implements Places {
    private final Cell cell;
    private final ExtendedState extended;
    private final MessageNode node;
    private final boolean asks;
    private final long limitNanos;
    private final long since;
    /** The places that were taken; null as long as the message has none. */
    private @Nullable Permit taken;
    /**
     * The limit that had no place at the last try, and its budget; the budget is null if it was the actor's
     * own limit.
     */
    private @Nullable Quota lacking;
    private @Nullable Budget full;
    private boolean waits;
    private long waitsSince;

    public Reservation(Cell cell, MessageNode node, long limitNanos) {
        this.cell = cell;
        this.extended = cell.extendedState();
        this.node = node;
        this.asks = node instanceof AskNode;
        this.limitNanos = limitNanos;
        this.since = limitNanos == Long.MAX_VALUE ? 0 : now();
    }

    private long now() {
        return cell.spec.scope.time().nanoTime();
    }

    @Override
    public boolean pass() {
        while (taken == null && !takeAll()) {
            var overflow = overflow(); // no switch on its class: see StackReserve
            var lostBy = overflow instanceof OverflowPolicy.Block block ? await(block)
                    : overflow instanceof OverflowPolicy.DropNewest ? Cause.DROPPED_NEWEST
                    : Cause.OVERLOAD;
            if (lostBy != null) {
                lose(lostBy);
                return false;
            }
        }
        return true;
    }

    @Override
    public void giveBack() {
        var places = taken;
        if (places != null) {
            places.giveBack();
        }
    }

    @Override
    public long nanosLeft() {
        return limitNanos == Long.MAX_VALUE ? limitNanos : Math.max(0, limitNanos - (now() - since));
    }

    private OverflowPolicy overflow() {
        return full == null ? OverflowPolicy.reject() : full.overflow();
    }

    /** Takes all places; if one is lacking, gives back those taken, and returns false. */
    private boolean takeAll() {
        var waiting = new ArrayList<Quota>(2);
        var others = new ArrayList<Quota>(2);
        full = null;
        var admitted = true;
        for (var each = cell.spec.scope.budget(); each != null && admitted; each = each.around()) {
            full = each;
            admitted = take(each.waiting(), waiting) && (!asks || take(each.asks(), others));
        }
        var permit = new Permit(waiting, others);
        if (admitted) {
            taken = permit;
            node.hold(permit);
        } else {
            // mutant: refused-message-keeps-its-places
            permit.giveBack();
        }
        return admitted;
    }

    private boolean take(@Nullable Quota quota, List<Quota> taken) {
        if (quota == null) {
            return true;
        }
        if (!quota.take()) {
            lacking = quota;
            return false;
        }
        taken.add(quota);
        return true;
    }

    /**
     * Waits for a place in the limit that had none. Returns null if the node has its places, or lacks one of
     * another limit now; otherwise the cause of its loss. The sender holds no places while it waits. An actor
     * that the limit counts never waits: it might be the one that has to make space.
     */
    private @Nullable Cause await(OverflowPolicy.Block block) {
        var places = Objects.requireNonNull(lacking);
        var waiters = Objects.requireNonNull(places.waiters());
        // mutant: actor-waits-for-room-in-its-own-scope
        if (Current.isWithin(Objects.requireNonNull(full))) {
            return Cause.BLOCK_CYCLE;
        }
        var nanos = Math.min(nanosLeft(), nanosToWait(block));
        // mutant: sender-that-joins-does-not-look-again
        var waiter = waiters.join(cell);
        try (var alarm = new Alarm(cell.spec.scope.time(), nanos)) {
            while (true) {
                assert Interleave.here();
                if (takeAll() || lacking != places) {
                    return null;
                }
                var refusal = cell.spec.scope.refusal(extended);
                if (refusal != null) {
                    return refusal;
                }
                if (alarm.hasRung() || node.isOver()) {
                    return Cause.BLOCK_TIMEOUT;
                }
                if (Thread.currentThread().isInterrupted()) {
                    return Cause.SENDER_INTERRUPTED;
                }
                assert Interleave.here();
                Parking.park(this);
            }
        } finally {
            assert Interleave.here();
            waiters.leave(waiter, places);
        }
    }

    /**
     * Returns how much longer the sender may wait: all its waits together last no longer than each policy
     * allows.
     */
    private long nanosToWait(OverflowPolicy.Block block) {
        if (!waits) {
            waits = true;
            waitsSince = now();
        }
        var most = Durations.nanos(block.timeout().orElseThrow(), "timeout");
        return most == Long.MAX_VALUE ? most : most - (now() - waitsSince);
    }

    private void lose(Cause cause) {
        var content = node.content();
        var fails = cause == Cause.OVERLOAD && overflow() instanceof OverflowPolicy.Fail;
        var noRoom = switch (cause) {
            case OVERLOAD, DROPPED_NEWEST, BLOCK_TIMEOUT, BLOCK_CYCLE -> asks || fails;
            default -> false; // for example because the actor has stopped
        };
        var why = content != null && noRoom ? Losses.overload(cell, content, cause) : null;
        cell.lose(node, cause, why);
        if (fails && why != null) {
            throw why;
        }
    }
}
