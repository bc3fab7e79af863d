package io.fibry.internal.run;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Names the threads of lanes whose handlers are stuck. It runs on a thread of its own: {@code Thread.setName} waits for
 * whoever has locked the thread, and the monitor, which finds those lanes, must wait for nobody.
 *
 * <pre>
 *   isRunning: false -> true    the monitor, which then hands this to the executor
 *              true  -> false   the executor's thread, at the end of a run; the monitor, if the executor has failed
 * </pre>
 */
final class LaneNamer implements Runnable {
    /** More lanes than these do not wait for a name: a run is held up by a locked thread then. */
    private static final int MAX_FOUND = 1024;

    /** A lane with the progress that the monitor has seen twice. */
    private record Stuck(Lane lane, long progress) {
    }

    private final Executor executor;
    /** The monitor's. */
    private final ArrayDeque<Stuck> found = new ArrayDeque<>();
    private volatile boolean isRunning;

    // The monitor's while isRunning is false, else the run's.
    private final ArrayDeque<Stuck> unnamed = new ArrayDeque<>();
    private final ArrayDeque<Lane> named = new ArrayDeque<>();

    /** A namer whose runs are this executor's, one at a time. */
    LaneNamer(Executor executor) {
        this.executor = executor;
    }

    /** Loads what a run needs. */
    void rehearse() {
        executor.execute(() -> {
        });
    }

    /** Has the thread of a lane named in the next run. By the monitor. */
    void add(Lane lane, long progress) {
        if (found.size() < MAX_FOUND) {
            found.add(new Stuck(lane, progress));
        }
    }

    /** Starts a run, if there is something to do and none is under way; false if there is nothing to do. By the monitor. */
    boolean start() {
        if (isRunning) {
            return true;
        }
        unnamed.addAll(found);
        found.clear();
        if (unnamed.isEmpty() && named.isEmpty()) {
            return false;
        }
        isRunning = true;
        try {
            executor.execute(this);
        } catch (RuntimeException | VirtualMachineError e) {
            isRunning = false; // no memory for a thread: the next look tries again
        }
        return true;
    }

    /** Looks at the lanes of the last run once more, see {@link NamedRunner}, and names those found since. */
    @Override
    public void run() {
        try {
            for (var lane = named.poll(); lane != null; lane = named.poll()) {
                lane.correctName();
            }
            for (var stuck = unnamed.poll(); stuck != null; stuck = unnamed.poll()) {
                named.add(stuck.lane);
                stuck.lane.nameStuck(stuck.progress);
            }
        } catch (VirtualMachineError e) {
            return; // no memory for a name: the next run goes on
        } finally {
            isRunning = false;
        }
    }
}
