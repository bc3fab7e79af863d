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
 * The watchdog of a scope: a platform thread that looks at the actors of the scope and of its inner scopes from time
 * to time. A timer of the scope's time source starts each look, so the thread needs neither a timed park nor a
 * carrier. It sleeps without a timer as long as there is no actor.
 *
 * <pre>
 *   asleep: false -> true    the thread, after a look that found no actor
 *           true  -> false   the thread, if a second look after that found an actor; or a thread that has listed one
 *   isDue:  false -> true    the timer; a thread that wakes the watchdog
 *           true  -> false   the thread, before it looks
 * </pre>
 *
 * <p>The maker of an actor first lists it and then reads {@code asleep}. The thread first sets {@code asleep} and
 * then reads the list. So one of them sees the other, and no wake-up is lost.
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
    /** Writes a dump of the scope, if that is wanted. It throws nothing. */
    private final Runnable dump;
    private final CarrierProbe carriers;
    /** The scopes whose actors it looks at. */
    private final Set<Host> scopes = ConcurrentHashMap.newKeySet();
    /** Set by the timer and by makers of actors, before they unpark; cleared by the sampler before it looks. */
    private volatile boolean isDue = true;
    /** Set by the sampler; cleared by the sampler and by makers of actors. */
    private volatile boolean asleep;
    /** Set by the thread that ends the scope. */
    private volatile boolean ended;

    private WatchdogThread(Host scope, Watchdog limits, Runnable dump) {
        this.scope = scope;
        this.dump = dump;
        stuckNanos = nanos(limits.stuckAfter());
        laggingNanos = nanos(limits.laggingAfter());
        starvedNanos = nanos(limits.starvedAfter());
        intervalNanos = Math.max(SHORTEST_NANOS,
                Math.min(stuckNanos, Math.min(laggingNanos, starvedNanos)) / LOOKS);
        carriers = new CarrierProbe(scope.name());
        thread = Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false)
                .name("fibry-watchdog-" + scope.name()).unstarted(this::work);
    }

    /** Returns whether the watchdog reports nothing. */
    public static boolean isNone(Watchdog limits) {
        return limits.stuckAfter().isEmpty() && limits.laggingAfter().isEmpty()
                && limits.starvedAfter().isEmpty();
    }

    /**
     * Returns the watchdog of a scope, or else that of the scope around it; null if there is none.
     *
     * @param dump what to do after a look that has reported something
     */
    public static @Nullable WatchdogThread of(Host scope, Watchdog limits, @Nullable WatchdogThread around,
            Runnable dump) {
        return isNone(limits) ? around : new WatchdogThread(scope, limits, dump);
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

    /** Returns the number of scopes at which the watchdog looks. */
    public int covered() {
        return scopes.size();
    }

    public void cover(Host another) {
        scopes.add(another);
    }

    /** Removes a scope that has ended. The watchdog ends with the scope to which it belongs. */
    public void uncover(Host one) {
        scopes.remove(one);
        if (one == scope) {
            ended = true;
            LockSupport.unpark(thread);
        }
    }

    /** Wakes the watchdog if it is asleep, since there is an actor to look at. Called by the maker of the actor. */
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
            Thread.interrupted(); // a listener may have set the flag: with it the thread would not park
            if (isDue) {
                isDue = false;
                timer.cancel(); // else there may be two timers: the maker of an actor may wake a thread that is awake
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

    /**
     * Marks the thread as asleep after a look that found no actor, and looks again; returns false if there still is
     * none.
     */
    private boolean staysAwake() {
        asleep = true;
        if (!look()) {
            return false;
        }
        asleep = false;
        return true;
    }

    /** Looks at all actors once; returns false if there is none. */
    private boolean look() {
        var cells = new ArrayList<Cell>();
        for (var one : scopes) {
            cells.addAll(one.cells());
        }
        var now = scope.time().nanoTime();
        var reported = false;
        for (var cell : cells) {
            var watched = cell.extendedState().feature(WatchedActor.class);
            if (watched != null) {
                reported |= watched.look(cell, now, stuckNanos, laggingNanos);
            }
        }
        if (starvedNanos != Long.MAX_VALUE && !cells.isEmpty()) {
            var starved = carriers.look(cells, now, starvedNanos);
            if (starved != null) {
                scope.events().report(starved);
                reported = true;
            }
        }
        if (reported) {
            dump.run();
        }
        return !cells.isEmpty();
    }
}
