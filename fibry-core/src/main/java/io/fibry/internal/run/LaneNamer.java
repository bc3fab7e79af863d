package io.fibry.internal.run;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Names the threads of lanes whose handlers are stuck. It runs on a thread of its own. {@code Thread.setName} waits for
 * the thread that holds the lock of the named thread, and the monitor, which finds those lanes, must not wait.
 *
 * <pre>
 *   isRunning: false -> true    the monitor, which then hands this to the executor
 *              true  -> false   the executor's thread, at the end of a run; the monitor, if the executor has failed
 * </pre>
 */
final class LaneNamer implements Runnable {
    /** The number of lanes that wait for a name at most. They pile up while a run waits for the lock of a thread. */
    private static final int MAX_STUCK = 1024;

    /** A lane, and the progress that the monitor has seen twice. */
    private record Stuck(Lane lane, long progress) {
    }

    private final Executor executor;
    /** The lanes that were found since the last run was started. Confined to the monitor. */
    private final ArrayDeque<Stuck> stuckLanes = new ArrayDeque<>();
    /**
     * Set by the monitor, cleared by the run: it owns {@code unnamed} and {@code named} while this is true, the
     * monitor otherwise.
     */
    private volatile boolean isRunning;

    // Confined to the monitor while isRunning is false, and to the run otherwise.
    private final ArrayDeque<Stuck> unnamed = new ArrayDeque<>();
    private final ArrayDeque<Lane> named = new ArrayDeque<>();

    /** Creates a namer. The executor has to run one task at a time. */
    LaneNamer(Executor executor) {
        this.executor = executor;
    }

    /** Loads the classes that a run needs. */
    void rehearse() {
        executor.execute(() -> {
        });
    }

    /** Lists a lane whose thread the next run is to name. Called by the monitor. */
    void add(Lane lane, long progress) {
        if (stuckLanes.size() < MAX_STUCK) {
            stuckLanes.add(new Stuck(lane, progress));
        }
    }

    /**
     * Starts a run, if there is something to do and no run is under way. Called by the monitor.
     *
     * @return false if there is nothing to do
     */
    boolean start() {
        if (isRunning) {
            return true;
        }
        unnamed.addAll(stuckLanes);
        stuckLanes.clear();
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

    /** Corrects the names that the last run has set, see {@link NamedRunner}, and names the lanes found since. */
    @Override
    public void run() {
        try {
            for (var lane = named.poll(); lane != null; lane = named.poll()) {
                lane.correctName();
            }
            for (var each = unnamed.poll(); each != null; each = unnamed.poll()) {
                named.add(each.lane);
                each.lane.nameStuck(each.progress);
            }
        } catch (VirtualMachineError e) {
            return; // no memory for a name: the next run goes on
        } finally {
            isRunning = false;
        }
    }
}
