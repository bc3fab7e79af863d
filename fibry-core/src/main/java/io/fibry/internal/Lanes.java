package io.fibry.internal;

import io.fibry.internal.Placement.Fairness;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Runs turns on lanes. A turn that is started from outside gets a fresh virtual thread; one that is started
 * by a handler on a lane goes to that lane's slot; one that is displaced there overflows.
 *
 * <p>Overflow is taken by lanes that have nothing else to do and by helpers: fresh lanes without a turn. As
 * long as there is overflow, a helper is on its way or a lane is just about to look: who adds to the overflow
 * does so first and then looks how many helpers are on their way; a helper arrives first and then looks at
 * the overflow; who takes something and leaves more sends for another helper. No more are on their way than
 * there are processors, so many short turns share few threads, and blocked ones do not hold up the rest.
 *
 * <p>The newest is taken first: a tree of actors is then walked down before it is walked across, so few are
 * under way at a time, and their data is still in the cache. So that an old one comes to its turn whatever
 * overflows after it, one of 64 that are taken is the oldest; not more of them, as each of those opens
 * a tree of its own.
 */
final class Lanes implements Executor {
    private static final int PLACES = 64;
    private static final int OLDEST_INTERVAL = 64;
    /** A lane that runs on and on gives its carrier away after so many looks. */
    private static final int LOOKS_BEFORE_PASS = 2;

    private final Executor starter;
    private volatile Runnable watcher = () -> {
    };
    private final TimeSource time;
    private final boolean enabled;
    private final Fairness fairness;
    private final int processors;
    private final AtomicReferenceArray<@Nullable Lane> register = new AtomicReferenceArray<>(PLACES);
    private final ConcurrentLinkedDeque<Turn> overflow = new ConcurrentLinkedDeque<>();
    private final Eagerness eagerness = new Eagerness();
    /** Where to look for a free place first; a guess. */
    private int nextPlace;
    /** How often something was taken from the overflow; a guess. */
    private int polls;
    private final AtomicInteger helpersOnTheirWay = new AtomicInteger();
    /** Taken off the register at the last look; the monitor's own. */
    private final ArrayDeque<Lane> evicted = new ArrayDeque<>();

    /**
     * Makes lanes.
     *
     * @param starter starts a lane on a fresh virtual thread
     * @param time the clock
     * @param enabled whether slots are used at all
     * @param fairness how a lane that runs on and on lets others run
     * @param processors how many helpers may be on their way
     */
    Lanes(Executor starter, TimeSource time, boolean enabled, Fairness fairness, int processors) {
        this.starter = starter;
        this.time = time;
        this.enabled = enabled;
        this.fairness = fairness;
        this.processors = processors;
    }

    @Override
    public void execute(Runnable task) {
        if (!(Current.strand() instanceof Lane lane)) {
            startFresh(task);
        } else if (enabled && task instanceof Turn turn && lane.turn != null
                && !eagerness.startsAtOnce(lane.turn.behavior)) {
            lane.put(turn);
        } else {
            starter.execute(new Lane(this, task, lane.chain + 1));
        }
    }

    /** Runs a task on a lane of its own. */
    void startFresh(Runnable task) {
        starter.execute(new Lane(this, task, 0));
    }

    // ---- Overflow. ----

    void overflow(Turn turn, Lane from) {
        overflow.add(turn);
        Interleave.here();
        sendForHelp(from);
    }

    private void sendForHelp(Lane from) {
        for (var seen = helpersOnTheirWay.get(); seen < processors; seen = helpersOnTheirWay.get()) {
            if (helpersOnTheirWay.compareAndSet(seen, seen + 1)) {
                startHelper(from);
                return;
            }
        }
    }

    private void startHelper(Lane from) {
        var started = false;
        try {
            starter.execute(new Lane(this, null, from.chain + 1));
            started = true;
        } catch (RuntimeException | VirtualMachineError e) {
            // No memory for a thread: what has overflown waits for a lane that is done, or for the next helper.
            return;
        } finally {
            if (!started) {
                helpersOnTheirWay.decrementAndGet();
            }
        }
    }

    /** A helper has arrived. */
    @Nullable Turn helps(Lane lane) {
        helpersOnTheirWay.decrementAndGet();
        Interleave.here();
        return pollOverflow(lane);
    }

    /** Takes what has overflown last, but now and then the oldest. */
    @Nullable Turn pollOverflow(Lane lane) {
        var turn = ++polls % OLDEST_INTERVAL == 0 ? overflow.pollFirst() : overflow.pollLast();
        if (turn != null && !overflow.isEmpty()) {
            sendForHelp(lane);
        }
        return turn;
    }

    TimeSource time() {
        return time;
    }

    /** Lets others run. */
    void giveWay(Lane lane) {
        if (fairness == Fairness.RELAYS) {
            lane.passes = true;
            try {
                lane.pass();
            } finally {
                lane.passes = false;
            }
        } else {
            Thread.yield();
        }
    }

    // ---- Watching. ----

    /** Puts a lane where the monitor sees it; false if there is no place. */
    boolean register(Lane lane) {
        var start = nextPlace++;
        for (int i = 0; i < PLACES; i++) {
            var place = start + i & PLACES - 1;
            if (register.get(place) == null && register.compareAndSet(place, null, lane)) {
                lane.place = place;
                return true;
            }
        }
        return false;
    }

    void unregister(Lane lane) {
        var place = lane.place;
        if (place >= 0) {
            lane.place = -1;
            register.compareAndSet(place, lane, null);
        }
    }

    /** Says whom to tell that there is something to look at. */
    Lanes watchedBy(Runnable newWatcher) {
        watcher = newWatcher;
        return this;
    }

    void watch() {
        watcher.run();
    }

    /**
     * Looks at all lanes once. A handler that was there at the last look has had its time: its lane loses the
     * slot, and leaves the register. If it was blocked at both looks, those of its class are not trusted with
     * a slot again for a while.
     *
     * @return whether there was anything to see
     */
    boolean look() {
        var busy = !evicted.isEmpty();
        for (var lane = evicted.poll(); lane != null; lane = evicted.poll()) {
            if (lane.place < 0) {
                lane.empty();
            }
        }
        for (int place = 0; place < PLACES; place++) {
            var lane = register.get(place);
            if (lane != null) {
                look(lane);
                busy = true;
            }
        }
        return busy;
    }

    private void look(Lane lane) {
        var progress = lane.progress();
        var waiting = lane.slot();
        var blocked = waiting != null && lane.isBlocked();
        if (progress != lane.seenProgress) {
            if (waiting != null && waiting == lane.seenSlot && lane.takeSlot(waiting)) {
                startElsewhere(waiting); // the lane has much to do before it would come to this one
            }
            lane.seenSlot = waiting;
            lane.seenProgress = progress;
            lane.seenBlocked = blocked;
            if (++lane.looks % LOOKS_BEFORE_PASS == 0) {
                lane.shouldPass = true;
            }
            return;
        }
        var stuck = lane.turn;
        unregister(lane);
        lane.seenSlot = null;
        lane.seenProgress = -1;
        evicted.add(lane);
        Interleave.here();
        var turn = lane.takeSlot();
        if (turn != null) {
            if (blocked && lane.seenBlocked && stuck != null) {
                eagerness.mark(stuck.behavior);
            }
            startElsewhere(turn);
        }
    }

    /** Starts a turn that was taken out of a slot. If there is no memory for a thread, a lane that is done runs it. */
    void startElsewhere(Turn turn) {
        try {
            startFresh(turn);
        } catch (RuntimeException | VirtualMachineError e) {
            overflow.add(turn);
        }
    }
}
