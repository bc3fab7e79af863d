package io.fibry.internal.watchdog;

import io.fibry.Watchdog;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Host;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The watchdog of a scope: a platform thread that looks at the actors of the scope, and of those inside it, from time
 * to time. The scope's time source says when, so it needs neither a timed park nor a carrier. As long as there is no
 * actor it sleeps without a timer.
 *
 * <pre>
 *   asleep: false -> true    its thread, after a look that found no actor
 *           true  -> false   the same, if a second look after that found one; or whoever has listed an actor
 *   isDue:  false -> true    the timer; who wakes it or ends it
 *           true  -> false   its thread, before it looks
 * </pre>
 *
 * <p>An actor is listed first, then its maker looks whether the thread is asleep; that one first says so, then looks
 * at the list. So one of them sees the other.
 */
public final class WatchdogThread {
    private static final Logger LOG = Logs.of("io.fibry");
    private static final int LOOKS = 4;
    private static final Cancellable NO_TIMER = () -> false;
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Host scope;
    private final long stuckNanos;
    private final long laggingNanos;
    private final long starvedNanos;
    private final long intervalNanos;
    private final Thread thread;
    private final CarrierProbe carriers;
    /** The scopes whose actors it looks at. */
    private final Set<Host> scopes = ConcurrentHashMap.newKeySet();
    private volatile boolean isDue = true;
    private volatile boolean asleep;
    private volatile boolean ended;

    private WatchdogThread(Host scope, Watchdog limits) {
        this.scope = scope;
        stuckNanos = nanos(limits.stuckAfter());
        laggingNanos = nanos(limits.laggingAfter());
        starvedNanos = nanos(limits.starvedAfter());
        intervalNanos = Math.max(SHORTEST_NANOS,
                Math.min(stuckNanos, Math.min(laggingNanos, starvedNanos)) / LOOKS);
        carriers = new CarrierProbe(scope.name());
        thread = Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false)
                .name("fibry-watchdog-" + scope.name()).unstarted(this::work);
    }

    /** The one of this scope, or else that of the scope around; null if nobody wants any. */
    public static @Nullable WatchdogThread of(Host scope, Watchdog limits, @Nullable WatchdogThread around) {
        return limits.equals(Watchdog.none()) ? around : new WatchdogThread(scope, limits);
    }

    private static long nanos(Optional<Duration> limit) {
        return limit.map(time -> Durations.nanos(time, "limit")).orElse(Long.MAX_VALUE);
    }

    public void start() {
        thread.start();
    }

    public boolean isOf(Host other) {
        return scope == other;
    }

    /** At how many scopes it looks. */
    public int covered() {
        return scopes.size();
    }

    public void cover(Host another) {
        scopes.add(another);
    }

    /** A scope has ended; if it is the one that this belongs to, this ends as well. */
    public void uncover(Host one) {
        scopes.remove(one);
        if (one == scope) {
            ended = true;
            LockSupport.unpark(thread);
        }
    }

    /** There is an actor to look at. By its maker. */
    public void wakeForActor() {
        if (asleep) {
            asleep = false;
            wake();
        }
    }

    private void wake() {
        isDue = true;
        LockSupport.unpark(thread);
    }

    // ---- The thread. ----

    private void work() {
        var timer = NO_TIMER;
        while (!ended) {
            Thread.interrupted(); // by a listener: with the flag set it would not park
            if (isDue) {
                isDue = false;
                timer.cancel(); // else there may be two: one who has listed an actor may wake a thread that is awake
                timer = next();
            } else {
                LockSupport.park(this);
            }
        }
        timer.cancel();
    }

    /** Looks, and sets the timer for the next look. */
    private Cancellable next() {
        try {
            if (!look() && !staysAwake()) {
                return NO_TIMER;
            }
        } catch (Throwable failure) {
            LOG.error("the watchdog of scope '{}' could not look at all actors; it will look again",
                    scope.name(), failure);
        }
        try {
            return scope.time().schedule(intervalNanos, this::wake);
        } catch (Throwable failure) {
            asleep = true;
            LOG.error("the watchdog of scope '{}' could not set its timer; it sleeps until an actor is made",
                    scope.name(), failure);
            return NO_TIMER;
        }
    }

    /** It has seen no actor and says that it sleeps; false if there still is none. */
    private boolean staysAwake() {
        asleep = true;
        if (!look()) {
            return false;
        }
        asleep = false;
        return true;
    }

    /** Looks at all actors once; false if there is none. */
    private boolean look() {
        var cells = new ArrayList<Cell>();
        for (var one : scopes) {
            cells.addAll(one.cells());
        }
        var now = scope.time().nanoTime();
        for (var cell : cells) {
            var observer = cell.extendedState().observer;
            if (observer instanceof WatchedActor watched) {
                watched.look(cell, now, stuckNanos, laggingNanos);
            }
        }
        if (starvedNanos != Long.MAX_VALUE && !cells.isEmpty()) {
            var starved = carriers.look(cells, now, starvedNanos);
            if (starved != null) {
                scope.events().report(starved);
            }
        }
        return !cells.isEmpty();
    }
}
