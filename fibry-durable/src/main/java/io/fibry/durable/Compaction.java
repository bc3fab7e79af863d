package io.fibry.durable;

import java.time.Duration;
import java.time.Instant;

/**
 * Deletes old turns that snapshots cover, of the groups that the store serves. What other groups have is left alone: the store does not know for how
 * long they keep their history. Used by one thread at a time.
 *
 * <p>To find the old turns of a group, a journal looks at all of them that its snapshots cover. These are many if the group keeps a history. So this is done
 * when the first run comes, and then when a hundredth of that time is over.
 */
final class Compaction {
    private static final int PARTS = 100;

    private final Groups groups;
    private final Duration least;
    private final Task task;
    private long runs;

    /** @param least for how long turns are kept at least, and the time between two runs */
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

    /** Compacts all groups, whose turns are kept for this time at least. */
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
