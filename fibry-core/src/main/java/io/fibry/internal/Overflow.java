package io.fibry.internal;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Turns that wait for a lane since a newer one took their slot. Lanes that have nothing else to do take them, and
 * helpers: fresh lanes without a turn. So many short turns share few threads, and blocked ones hold nobody up.
 *
 * <p>As long as there is overflow, a helper is on its way or a lane is just about to look: who adds to the overflow
 * does so first and then looks how many helpers are on their way; a helper arrives first and then looks; who
 * takes something and leaves more sends for another helper, before it runs what it took. No more are on their way
 * than there are processors.
 *
 * <p>The newest is taken first: a tree of actors is then walked down before it is walked across, so few are
 * under way at a time, and their data is still in the cache. So that an old one comes to its turn whatever
 * overflows after it, one of 64 that are taken is the oldest; not more of them, as each of those opens
 * a tree of its own.
 */
final class Overflow {
    private static final int OLDEST_INTERVAL = 64;

    private final Lanes lanes;
    private final Executor starter;
    private final int processors;
    private final ConcurrentLinkedDeque<Turn> turns = new ConcurrentLinkedDeque<>();
    private final AtomicInteger helpersOnTheirWay = new AtomicInteger();
    /** How often something was taken; a guess. */
    private int polls;

    Overflow(Lanes lanes, Executor starter, int processors) {
        this.lanes = lanes;
        this.starter = starter;
        this.processors = processors;
    }

    /** Takes a turn out of a lane's slot. */
    void add(Turn turn, Lane from) {
        turns.add(turn);
        Interleave.here();
        sendForHelp(from);
    }

    /** The same when there is no memory for a thread: it waits for a lane that is done. */
    void addWithoutHelp(Turn turn) {
        turns.add(turn);
    }

    /** A helper has arrived, and is about to look. */
    void helperArrives() {
        helpersOnTheirWay.decrementAndGet();
        Interleave.here();
    }

    /** What a lane runs next that has nothing in its slot. */
    @Nullable Turn poll(Lane lane) {
        var turn = ++polls % OLDEST_INTERVAL == 0 ? turns.pollFirst() : turns.pollLast();
        if (turn != null && !turns.isEmpty()) {
            sendForHelp(lane);
        }
        return turn;
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
            starter.execute(new Lane(lanes, null, from.chain + 1));
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
