package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait for a lane because a newer job has taken their slot, in backlogs. A lane takes what it has put
 * into its own backlog. If that is empty, the lane takes over a backlog that another lane has released, or takes some
 * of the oldest jobs of another lane. Helpers, which are fresh lanes without a job, do the same. So many short jobs
 * share few threads, and a job that blocks delays no other.
 *
 * <p>As long as there is overflow, a helper is starting or a lane is about to look. A thread that adds to the overflow
 * adds first and then sends a helper ({@link HelperDispatch#send}). A helper first arrives and then looks. A lane that
 * takes a job which is not its own and leaves more sends another helper, before it runs what it took. In the other
 * places where a helper is sent, it replaces helpers for which there was no memory.
 *
 * <p>A job from outside that the thread which waits for its answer may run is shared. It waits in a queue of its own,
 * and its helper yields before it looks. The thread that takes the token of such a job runs it; a job whose token was
 * taken is passed over.
 *
 * <p>A lane takes its newest job first. A tree of actors is then walked depth first, so few are active at a time, and
 * their data is still in the cache. Others take the oldest job, which is the root of the largest part of such a tree,
 * so they do not come again soon. An old job has to start whatever overflows after it. Therefore one in 64 of the jobs
 * that a lane takes is an old one, and so is the first after the lane has given its carrier away; not more, as each one
 * opens a tree of its own.
 */
final class Overflow {
    private static final int BACKLOGS = Long.SIZE;
    /** Coprime to {@link #BACKLOGS}. Not 1, since neighbours in the array share a cache line. */
    private static final int STRIDE = 9;
    /** Steps of the golden ratio visit all places evenly, even if other threads step in between. */
    private static final int GOLDEN = 0x9E3779B9;
    /**
     * The number of jobs at most that a lane moves to its own backlog. An empty backlog holds them without more memory.
     */
    private static final int MAX_AT_ONCE = Backlog.SIZE / 2 - 1;
    /**
     * The number of yields before a helper for shared jobs looks. Meanwhile the threads that wait for those jobs run
     * them, and do not contend with another processor for what both would write.
     */
    private static final int PATIENCE = 2;
    private static final VarHandle NON_EMPTY = FieldAccess.of(MethodHandles.lookup(), "nonEmpty", long.class);

    private final Lanes lanes;
    /** Sends the helpers. */
    final HelperDispatch dispatch;
    private final Backlog[] backlogs = new Backlog[BACKLOGS];
    /** The jobs for which there was no free backlog or no memory. */
    private final ConcurrentLinkedDeque<Job> common = new ConcurrentLinkedDeque<>();
    /**
     * The jobs from outside. Each is most likely to be run by the thread that waits for its answer, before a lane takes
     * it.
     */
    private final ConcurrentLinkedQueue<Job> shared = new ConcurrentLinkedQueue<>();
    /**
     * A bit for each backlog. A backlog is empty if its bit is not set. A lane that adds first adds and then
     * checks the bit. A lane that finds a backlog empty first clears the bit and then checks the backlog once
     * more. Written by lanes, by an atomic {@code or} and {@code and}.
     */
    private volatile long nonEmpty;
    /** The backlog to try first when a lane needs one. An estimate. */
    private int nextFree;
    /** Where to look for an old job first. An estimate. */
    private int nextOld;

    Overflow(Lanes lanes, Executor starter, int processors) {
        this.lanes = lanes;
        dispatch = new HelperDispatch(chain -> new Lane(lanes, chain), starter, processors);
        for (int i = 0; i < BACKLOGS; i++) {
            backlogs[i] = new Backlog(1L << i);
        }
    }

    // ---- Adding. ----

    /**
     * Adds a job that was displaced from the slot of a lane. Called by the lane. If this throws, the job is nowhere.
     */
    void add(Job job, Lane from) {
        var backlog = from.backlog != null ? from.backlog : acquire(from);
        if (backlog == null) {
            common.add(job);
        } else {
            backlog.push(job);
            markNonEmpty(backlog);
        }
        assert Interleave.here();
        try {
            // mutant: nobody-comes-for-the-overflow
            dispatch.send(from.chain + 1, 0);
        } catch (StackOverflowError e) {
            return; // the job was added, and waits for the next helper
        }
    }

    /** Adds a job for which there is no memory to start a thread. It waits for a lane that has no more work. */
    void addWithoutHelper(Job job) {
        common.add(job);
    }

    /**
     * Adds a job that the thread which waits for its answer may run. Called by a thread that is not a lane. If this
     * throws, the job is nowhere.
     */
    void addShared(Job job) {
        shared.add(job);
        assert Interleave.here();
        boolean sent;
        try {
            sent = dispatch.send(0, PATIENCE);
        } catch (StackOverflowError e) {
            return; // the job was added, and waits for the thread that asked, or for the next helper
        }
        if (!sent) {
            startShared(job);
        }
    }

    /**
     * Starts the shared jobs, since no helper could be started. Other threads may have relied on that helper. So each
     * job gets a thread. If there is none for the caller's own job, the caller gets the exception.
     */
    private void startShared(Job added) {
        var found = false;
        for (var left = pollShared(); left != null; left = pollShared()) {
            if (left == added) {
                found = true;
            } else {
                lanes.startElsewhere(left);
            }
        }
        if (found) {
            lanes.startFresh(added);
        }
    }

    private void markNonEmpty(Backlog backlog) {
        if ((nonEmpty & backlog.bit) == 0) {
            NON_EMPTY.getAndBitwiseOr(this, backlog.bit);
        }
    }

    // ---- Owning a backlog. ----

    /** Acquires a free backlog, preferably an empty one, for a lane; returns null if all are owned. */
    private @Nullable Backlog acquire(Lane lane) {
        nextFree += STRIDE;
        var start = nextFree;
        for (int i = 0; i < 2 * BACKLOGS; i++) {
            var backlog = backlogs[start + i & BACKLOGS - 1];
            if ((i >= BACKLOGS || backlog.isEmpty()) && backlog.acquire()) {
                lane.backlog = backlog;
                return backlog;
            }
        }
        return null;
    }

    /**
     * Releases the backlog of a lane, with the jobs that wait there. Called when the lane is about to wait, or to end.
     */
    void release(Lane lane) {
        var backlog = lane.backlog;
        if (backlog != null) {
            backlog.release();
            lane.backlog = null;
            assert Interleave.here();
            if (!backlog.isEmpty()) {
                dispatch.send(lane.chain + 1, 0);
            }
        }
    }

    /**
     * Makes a lane the owner of a backlog again that it has released.
     *
     * @param ownerNumber the number that the lane had as the owner
     * @return false if there has been another owner since
     */
    boolean resume(Lane lane, Backlog left, int ownerNumber) {
        if (left.acquire()) {
            if (left.ownerNumber() == ownerNumber + 1) {
                lane.backlog = left;
                return true;
            }
            left.release();
        }
        if (isAnythingLeft()) {
            dispatch.send(lane.chain + 1, 0);
        }
        return false;
    }

    // ---- Taking. ----

    /** Returns the next job for a lane whose slot is empty; null if there is none. */
    @Nullable Job take(Lane lane) {
        var own = lane.backlog;
        if (own != null && !own.countTake()) {
            var newest = own.pop();
            if (newest != null) {
                if (!own.isEmpty()) {
                    dispatch.send(lane.chain + 1, 0);
                }
                return newest;
            }
        }
        var old = takeOld(lane);
        // mutant: helper-does-not-send-another
        if (old != null && isAnythingLeft()) {
            dispatch.send(lane.chain + 1, 0);
        }
        return old;
    }

    private @Nullable Job takeOld(Lane lane) {
        if (nonEmpty == 0 && common.isEmpty() && shared.isEmpty()) {
            return null; // as most lanes find; nothing is written, since all of them would write the same cache line
        }
        nextOld += GOLDEN;
        var seed = nextOld;
        var job = (seed & 1 << 23) == 0 ? null : pollShared();
        if (job == null && (seed & 1 << 24) != 0) {
            job = common.pollFirst();
        }
        var start = seed >>> 26;
        for (var left = Long.rotateRight(nonEmpty, start); job == null && left != 0; left &= left - 1) {
            job = takeFrom(backlogs[start + Long.numberOfTrailingZeros(left) & BACKLOGS - 1], lane);
        }
        if (job == null) {
            job = (seed & 1 << 25) == 0 ? common.pollFirst() : common.pollLast();
        }
        return job == null ? pollShared() : job;
    }

    /** Returns a shared job that has not been claimed; null if there is none. */
    private @Nullable Job pollShared() {
        var job = shared.poll();
        while (job != null && !job.isPending()) {
            job = shared.poll();
        }
        return job;
    }

    private @Nullable Job takeFrom(Backlog backlog, Lane lane) {
        if (backlog.isEmpty()) {
            assert Interleave.here();
            NON_EMPTY.getAndBitwiseAnd(this, ~backlog.bit);
            if (backlog.isEmpty()) {
                return null;
            }
            markNonEmpty(backlog);
        }
        if (takeOver(backlog, lane)) {
            return backlog.countTake() ? backlog.steal() : backlog.pop();
        }
        var first = backlog.steal();
        if (first != null) {
            takeSome(backlog, lane);
        }
        return first;
    }

    /**
     * Moves some more old jobs to the backlog of a lane that has nothing else. Otherwise the lane and the owner would
     * pass the cache lines of the backlog's ends to and fro for each job. The jobs wait like those that were displaced
     * from the lane's own slot.
     */
    private void takeSome(Backlog from, Lane lane) {
        var left = Math.min(from.size() / 2, MAX_AT_ONCE);
        if (left == 0) {
            return; // a lane that moves no job needs no backlog
        }
        var own = lane.backlog != null ? lane.backlog : acquire(lane);
        if (own == null || !own.isEmpty()) {
            return; // its own jobs are to be taken first, the newest before the old
        }
        for (; left > 0; left--) {
            var job = from.steal();
            if (job == null) {
                return;
            }
            own.push(job);
            // mutant: nobody-sees-what-a-lane-has-taken-along
            markNonEmpty(own);
        }
    }

    /**
     * Makes a lane the owner of this backlog, if nothing waits in its own and this one has no owner; returns false
     * otherwise.
     */
    private boolean takeOver(Backlog backlog, Lane lane) {
        var own = lane.backlog;
        if ((own != null && !own.isEmpty()) || !backlog.acquire()) {
            return false;
        }
        if (own != null) {
            own.release();
        }
        lane.backlog = backlog;
        return true;
    }

    private boolean isAnythingLeft() {
        for (var left = nonEmpty; left != 0; left &= left - 1) {
            if (!backlogs[Long.numberOfTrailingZeros(left)].isEmpty()) {
                return true;
            }
        }
        return !common.isEmpty() || !shared.isEmpty();
    }
}
