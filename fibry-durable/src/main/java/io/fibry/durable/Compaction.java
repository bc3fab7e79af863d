package io.fibry.durable;

import java.time.Duration;
import java.time.Instant;

/**
 * Deletes old turns that snapshots cover, of the groups that the store serves. Turns of other groups stay, since the store does not
 * know for how long those groups keep their history. The runs come one after another.
 *
 * <p>To find the old turns of a group, a journal reads all turns that its snapshots cover, which are many if the group keeps a
 * history. So such a group is compacted in the first run, and then each time a hundredth of the time of its history is over.
 */
final class Compaction {
    private static final int PARTS = 100;

    private final Groups groups;
    private final Duration least;
    private final Task task;
    private long runs;

    /** @param least the shortest time for which turns are kept; also the time between two runs */
    Compaction(Groups groups, Duration least, Task task) {
        this.groups = groups;
        this.least = least;
        this.task = task;
    }

    /** Compacts the groups whose time has come. */
    void run() throws InterruptedException {
        for (var group : groups.histories().entrySet()) {
            long every = Math.max(1, group.getValue().dividedBy(least.multipliedBy(PARTS)));
            if (runs % every == 0) {
                compact(group.getKey(), group.getValue(), least);
            }
        }
        runs++;
    }

    /** Compacts all groups at once, with this as the shortest time for which turns are kept. Any thread may do so. */
    void run(Duration age) throws InterruptedException {
        for (var group : groups.histories().entrySet()) {
            compact(group.getKey(), group.getValue(), age);
        }
    }

    private void compact(String group, Duration history, Duration age) throws InterruptedException {
        // mutant: history-is-not-kept
        var kept = history.isZero() || history.compareTo(age) < 0 ? age : history;
        task.compact(group, Instant.now().minus(kept));
    }

    /** Deletes turns of a group that were written before a time. */
    @FunctionalInterface
    interface Task {
        void compact(String group, Instant before) throws InterruptedException;
    }
}
