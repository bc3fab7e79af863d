package io.fibry.internal.limit;

import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.internal.run.Quota;
import io.fibry.internal.run.QuotaWaiters;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The limits of what may wait for the actors of a scope and of the scopes around it. Only a scope that has limits, or
 * is inside such a scope, has a budget. The class {@code Reservation} takes the places for a message.
 */
public final class Budget {
    private final String scope;
    private final @Nullable Budget around;
    private final @Nullable Quota waiting;
    private final @Nullable Quota asks;
    private final OverflowPolicy overflow;

    private Budget(String scope, ScopeLimits limits, @Nullable Budget around) {
        this.scope = scope;
        this.around = around;
        this.overflow = limits.overflow();
        this.waiting = quota(limits.waiting());
        this.asks = quota(limits.asks());
    }

    private @Nullable Quota quota(OptionalInt most) {
        return most.isEmpty()
                ? null
                : new Quota(most.getAsInt(),
                        overflow instanceof OverflowPolicy.Block ? new QuotaWaiters() : null);
    }

    public static @Nullable Budget of(String scope, ScopeLimits limits, @Nullable Budget around) {
        return limits.waiting().isEmpty() && limits.asks().isEmpty() ? around
                : new Budget(scope, limits, around);
    }

    public @Nullable Budget around() {
        return around;
    }

    public @Nullable Quota waiting() {
        return waiting;
    }

    public @Nullable Quota asks() {
        return asks;
    }

    public OverflowPolicy overflow() {
        return overflow;
    }

    /** Wakes the threads that wait in order to send to an actor that has stopped. */
    public void wakeSendersTo(Object actor) {
        for (var each = this; each != null; each = each.around) {
            for (var waiters : each.queues()) {
                waiters.wakeFor(actor);
            }
        }
    }

    /** Wakes the threads that wait in order to send, since the scope is being closed. */
    public void wakeSenders() {
        for (var waiters : queues()) {
            waiters.wakeAll();
        }
    }

    private List<QuotaWaiters> queues() {
        var queues = new ArrayList<QuotaWaiters>(2);
        for (var quota : new Quota[]{waiting, asks}) {
            var waiters = quota == null ? null : quota.waiters();
            if (waiters != null) {
                queues.add(waiters);
            }
        }
        return queues;
    }

    /** Returns the number of places that are taken. */
    public int taken() {
        return (waiting == null ? 0 : waiting.taken()) + (asks == null ? 0 : asks.taken());
    }

    @Override
    public String toString() {
        return "scope '" + scope + "' has " + text(waiting) + " messages waiting and " + text(asks)
                + " asks without an answer"
                + (around == null ? "" : "; " + around);
    }

    private static String text(@Nullable Quota quota) {
        return quota == null ? "any number of" : quota.taken() + " of " + quota.limit();
    }
}
