package io.fibry.internal.limit;

import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.internal.actor.Reservation;
import io.fibry.internal.run.Quota;
import io.fibry.internal.run.QuotaWaiters;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What may wait for the actors of a scope and of the scopes around it. Only scopes with limits, or in such, have one. How
 * a message gets past it is {@link Reservation}'s.
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

    /** An actor has stopped: who waits in order to send to it is to see that. */
    public void wakeSendersTo(Object actor) {
        for (var each = this; each != null; each = each.around) {
            each.lines(line -> line.wakeFor(actor));
        }
    }

    /** The scope is being closed: who waits is to see that. */
    public void wakeSenders() {
        lines(QuotaWaiters::wakeAll);
    }

    private void lines(Consumer<QuotaWaiters> action) {
        for (var quota : new Quota[]{waiting, asks}) {
            var line = quota == null ? null : quota.line();
            if (line != null) {
                action.accept(line);
            }
        }
    }

    /** How many places are taken in all. */
    public int taken() {
        return (waiting == null ? 0 : waiting.taken()) + (asks == null ? 0 : asks.taken());
    }

    @Override
    public String toString() {
        return "scope '" + scope + "' has " + of(waiting) + " messages waiting and " + of(asks)
                + " asks without an answer"
                + (around == null ? "" : "; " + around);
    }

    private static String of(@Nullable Quota quota) {
        return quota == null ? "any number of" : quota.taken() + " of " + quota.most();
    }
}
