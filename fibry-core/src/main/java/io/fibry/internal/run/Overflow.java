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
 * Turns that wait for a lane since a newer one took their slot, in backlogs. A lane takes what it has put into its own
 * backlog; if there is nothing, it takes over what another has left, or some of the oldest of another's. Helpers do the
 * same: fresh lanes without a turn. So many short turns share few threads, and blocked ones hold nobody up.
 *
 * <p>As long as there is overflow, a helper is on its way or a lane is just about to look: who adds to the overflow
 * does so first and then sends for {@link HelperDispatch}; a helper arrives first and then looks; who takes what is not its own
 * and leaves more sends for another helper, before it runs what it took. Where else help is sent for, it is instead of
 * helpers for which there was no memory.
 *
 * <p>What comes from outside and may be run by whoever waits for its answer is shared: it waits in a queue of its own,
 * and the helper for it takes its time. Whoever runs such a turn takes its token; one without is passed over.
 *
 * <p>A lane takes its newest first: a tree of actors is then walked down before it is walked across, so few are
 * under way at a time, and their data is still in the cache. Others take the oldest: the largest part of such a tree,
 * so they do not come again soon. So that an old one comes to its turn whatever overflows after it, one of 64 that a
 * lane takes is an old one, and so is the first after the lane has given its carrier away; not more of them, as each
 * opens a tree of its own.
 */
final class Overflow {
    private static final int BACKLOGS = Long.SIZE;
    /** Has no divisor in common with their number; neighbours share a cache line. */
    private static final int STRIDE = 9;
    /** Steps of the golden ratio go round evenly, whoever else takes a step in between. */
    private static final int GOLDEN = 0x9E3779B9;
    /** How many a lane takes along; an empty backlog has room for them. */
    private static final int MOST_AT_ONCE = Backlog.SIZE / 2 - 1;
    /**
     * A helper for shared turns steps aside so often first. Who waits for them runs them meanwhile, and does not have to
     * fight with another processor for what both would write.
     */
    private static final int PATIENCE = 2;
    private static final VarHandle NON_EMPTY = FieldAccess.of(MethodHandles.lookup(), "nonEmpty", long.class);

    private final Lanes lanes;
    /** Whom it sends for. */
    final HelperDispatch help;
    private final Backlog[] backlogs = new Backlog[BACKLOGS];
    /** What there was no backlog for, or no memory. */
    private final ConcurrentLinkedDeque<Job> common = new ConcurrentLinkedDeque<>();
    /** From outside, each most likely to be run by whoever waits for its answer, before a lane comes to it. */
    private final ConcurrentLinkedQueue<Job> shared = new ConcurrentLinkedQueue<>();
    /**
     * A bit for each backlog; it is empty if that is not set. Who adds does so first and then sees to the bit; who finds
     * nothing clears the bit first and then looks once more.
     */
    private volatile long nonEmpty;
    /** Where to look for a free backlog first; a guess. */
    private int nextFree;
    /** Where to look for an old turn first; a guess. */
    private int nextOld;

    Overflow(Lanes lanes, Executor starter, int processors) {
        this.lanes = lanes;
        help = new HelperDispatch(chain -> new Lane(lanes, chain), starter, processors);
        for (int i = 0; i < BACKLOGS; i++) {
            backlogs[i] = new Backlog(1L << i);
        }
    }

    // ---- Adding. ----

    /** Takes a turn out of a lane's slot. By the lane. If this throws, the turn is nowhere. */
    void add(Job turn, Lane from) {
        var backlog = from.backlog != null ? from.backlog : acquire(from);
        if (backlog == null) {
            common.add(turn);
        } else {
            backlog.push(turn);
            markLaden(backlog);
        }
        Interleave.here();
        try {
            // mutant: nobody-comes-for-the-overflow
            help.send(from.chain + 1, 0);
        } catch (StackOverflowError e) {
            return; // it is in, and waits for the next helper
        }
    }

    /** Takes a turn for which there is no memory to start a thread: it waits for a lane that is done. */
    void addWithoutHelp(Job turn) {
        common.add(turn);
    }

    /**
     * Takes a turn that whoever waits for its answer may run. By a thread that is no lane. If this throws, the turn is
     * nowhere.
     */
    void addShared(Job turn) {
        shared.add(turn);
        Interleave.here();
        boolean helped;
        try {
            helped = help.send(0, PATIENCE);
        } catch (StackOverflowError e) {
            return; // it is in, and waits for who asked, or for the next helper
        }
        if (!helped) {
            startShared(turn);
        }
    }

    /**
     * No helper could be started. Others may have counted on it: each gets a thread, or the sender of this one hears why
     * not.
     */
    private void startShared(Job mine) {
        var isMine = false;
        for (var left = pollShared(); left != null; left = pollShared()) {
            if (left == mine) {
                isMine = true;
            } else {
                lanes.startElsewhere(left);
            }
        }
        if (isMine) {
            lanes.startFresh(mine);
        }
    }

    private void markLaden(Backlog backlog) {
        if ((nonEmpty & backlog.bit) == 0) {
            NON_EMPTY.getAndBitwiseOr(this, backlog.bit);
        }
    }

    // ---- Whose backlog it is. ----

    /** A free backlog, an empty one if there is one; null if there is none. */
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

    /** A lane leaves what waits in its backlog to whoever comes: it is about to wait, or to end. */
    void release(Lane lane) {
        var backlog = lane.backlog;
        if (backlog != null) {
            backlog.release();
            lane.backlog = null;
            Interleave.here();
            if (!backlog.isEmpty()) {
                help.send(lane.chain + 1, 0);
            }
        }
    }

    /** A lane has come back to a backlog that it had left as its so-manieth owner; false if there has been another one. */
    boolean resumes(Lane lane, Backlog left, int owner) {
        if (left.acquire()) {
            if (left.owner() == owner + 1) {
                lane.backlog = left;
                return true;
            }
            left.release();
        }
        if (isAnythingLeft()) {
            help.send(lane.chain + 1, 0);
        }
        return false;
    }

    // ---- Taking. ----

    /** What a lane runs next that has nothing in its slot. */
    @Nullable Job take(Lane lane) {
        var mine = lane.backlog;
        if (mine != null && !mine.isOldDue()) {
            var newest = mine.pop();
            if (newest != null) {
                if (!mine.isEmpty()) {
                    help.send(lane.chain + 1, 0);
                }
                return newest;
            }
        }
        var old = takeOld(lane);
        // mutant: helper-does-not-send-another
        if (old != null && isAnythingLeft()) {
            help.send(lane.chain + 1, 0);
        }
        return old;
    }

    private @Nullable Job takeOld(Lane lane) {
        if (nonEmpty == 0 && common.isEmpty() && shared.isEmpty()) {
            return null; // as most lanes find; what all of them write would go from processor to processor
        }
        nextOld += GOLDEN;
        var seed = nextOld;
        var turn = (seed & 1 << 23) == 0 ? null : pollShared();
        if (turn == null && (seed & 1 << 24) != 0) {
            turn = common.pollFirst();
        }
        var start = seed >>> 26;
        for (var left = Long.rotateRight(nonEmpty, start); turn == null && left != 0; left &= left - 1) {
            turn = takeFrom(backlogs[start + Long.numberOfTrailingZeros(left) & BACKLOGS - 1], lane);
        }
        if (turn == null) {
            turn = (seed & 1 << 25) == 0 ? common.pollFirst() : common.pollLast();
        }
        return turn == null ? pollShared() : turn;
    }

    /** One that nobody has run yet. */
    private @Nullable Job pollShared() {
        var turn = shared.poll();
        while (turn != null && !turn.isPending()) {
            turn = shared.poll();
        }
        return turn;
    }

    private @Nullable Job takeFrom(Backlog backlog, Lane lane) {
        if (backlog.isEmpty()) {
            Interleave.here();
            NON_EMPTY.getAndBitwiseAnd(this, ~backlog.bit);
            if (backlog.isEmpty()) {
                return null;
            }
            markLaden(backlog);
        }
        if (takesOver(backlog, lane)) {
            return backlog.isOldDue() ? backlog.steal() : backlog.pop();
        }
        var first = backlog.steal();
        if (first != null) {
            takeSome(backlog, lane);
        }
        return first;
    }

    /**
     * A lane that has nothing takes more of what is old while it is there: else it passes the backlog's ends to and fro
     * with the owner for each turn. They wait in the lane's own backlog, as what it has displaced does.
     */
    private void takeSome(Backlog from, Lane lane) {
        var left = Math.min(from.size() / 2, MOST_AT_ONCE);
        if (left == 0) {
            return; // a lane that takes nothing along needs no backlog
        }
        var mine = lane.backlog != null ? lane.backlog : acquire(lane);
        if (mine == null || !mine.isEmpty()) {
            return; // what it has is to be taken first, the newest before the old
        }
        for (; left > 0; left--) {
            var turn = from.steal();
            if (turn == null) {
                return;
            }
            mine.push(turn);
            // mutant: nobody-sees-what-a-lane-has-taken-along
            markLaden(mine);
        }
    }

    /** Whether the lane has nothing that waits, and this backlog, which has, is nobody's: it is the lane's now. */
    private boolean takesOver(Backlog backlog, Lane lane) {
        var mine = lane.backlog;
        if ((mine != null && !mine.isEmpty()) || !backlog.acquire()) {
            return false;
        }
        if (mine != null) {
            mine.release();
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
