package io.fibry.internal;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Turns that wait for a lane: those that have overflown, which means that a newer one took their slot, and those that
 * came from outside while enough fresh lanes for such were on their way. Lanes that have nothing else to do take them,
 * and helpers: fresh lanes without a turn. So many short turns share few threads, and blocked ones hold nobody up.
 *
 * <p>As long as there is overflow, a helper is on its way or a lane is just about to look: who adds to the overflow
 * does so first and then looks how many helpers are on their way; a helper arrives first and then looks; who
 * takes something and leaves more sends for another helper, before it runs what it took. No more are on their way
 * than there are processors.
 *
 * <p>The same goes for arrivals, which have no lane behind them that comes to look some day, so no lane counts
 * until its thread has been started: who brings a turn along adds it first and then looks whether a fresh lane is
 * on its way. If so, that one will look; if not, the turn gets one of its own, unless somebody has taken it.
 *
 * <p>Of the overflow the newest is taken first: a tree of actors is then walked down before it is walked across, so
 * few are under way at a time, and their data is still in the cache. So that an old one comes to its turn
 * whatever overflows after it, one of 64 that are taken is the oldest; not more of them, as each of those opens
 * a tree of its own. Arrivals are taken in order, and every other time before the overflow.
 */
final class Backlog {
    private static final int OLDEST_INTERVAL = 64;

    private final Lanes lanes;
    private final Executor starter;
    private final int processors;
    private final ConcurrentLinkedDeque<Turn> overflow = new ConcurrentLinkedDeque<>();
    private final ConcurrentLinkedQueue<Turn> arrivals = new ConcurrentLinkedQueue<>();
    private final AtomicInteger helpersOnTheirWay = new AtomicInteger();
    /**
     * How many fresh lanes for turns from outside have been started and have not arrived. Each adds one after its start
     * and takes one away when it arrives, which may come first: above zero there is one that has not arrived.
     */
    private final AtomicInteger freshOnTheirWay = new AtomicInteger();
    /** How often something was taken; a guess. */
    private int polls;

    Backlog(Lanes lanes, Executor starter, int processors) {
        this.lanes = lanes;
        this.starter = starter;
        this.processors = processors;
    }

    // ---- What waits. ----

    /** Takes a turn that no lane has started. If this throws, no thread could be started for it, and it is nowhere. */
    void arrive(Turn turn) {
        if (freshOnTheirWay.get() >= processors && wasLeft(turn)) {
            return;
        }
        starter.execute(new Lane(lanes, turn, 0, true));
        Interleave.here();
        freshOnTheirWay.incrementAndGet();
    }

    /** Leaves a turn to a fresh lane that is on its way, or to whoever takes it first; false if there is nobody. */
    private boolean wasLeft(Turn turn) {
        Interleave.here();
        arrivals.add(turn);
        Interleave.here();
        if (freshOnTheirWay.get() > 0) {
            return true;
        }
        Interleave.here();
        return !arrivals.remove(turn);
    }

    /** Takes a turn out of a lane's slot. */
    void overflow(Turn turn, Lane from) {
        overflow.add(turn);
        Interleave.here();
        sendForHelp(from);
    }

    /** The same when there is no memory for a thread: it waits for a lane that is done. */
    void wait(Turn turn) {
        overflow.add(turn);
    }

    // ---- Who takes it. ----

    /** A fresh lane for a turn from outside has arrived, and is about to run that. */
    void freshArrives(Lane lane) {
        freshOnTheirWay.decrementAndGet();
        Interleave.here();
        if (!arrivals.isEmpty()) {
            sendForHelp(lane);
        }
    }

    /** A helper has arrived. */
    @Nullable Turn helperArrives(Lane lane) {
        helpersOnTheirWay.decrementAndGet();
        Interleave.here();
        return poll(lane);
    }

    /** What a lane runs next that has nothing in its slot. */
    @Nullable Turn poll(Lane lane) {
        var turn = next(++polls);
        if (turn != null && !(overflow.isEmpty() && arrivals.isEmpty())) {
            sendForHelp(lane);
        }
        return turn;
    }

    private @Nullable Turn next(int count) {
        var first = count % 2 == 0 ? null : arrivals.poll();
        if (first != null) {
            return first;
        }
        var turn = count % OLDEST_INTERVAL == 0 ? overflow.pollFirst() : overflow.pollLast();
        return turn != null ? turn : arrivals.poll();
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
            starter.execute(new Lane(lanes, null, from.chain + 1, false));
            started = true;
        } catch (RuntimeException | VirtualMachineError e) {
            // No memory for a thread: what waits here waits for a lane that is done, or for the next helper.
            return;
        } finally {
            if (!started) {
                helpersOnTheirWay.decrementAndGet();
            }
        }
    }
}
