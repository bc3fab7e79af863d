package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.Fates;
import io.fibry.internal.report.Tally;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread that runs one job after another. A job that is started from inside a handler on a lane goes to the
 * slot of that lane, and runs there next: going on with it costs no context switch.
 *
 * <pre>
 *   slot: null -> job      the lane's own thread, when a handler sends to an idle owner
 *         job  -> null     the lane's own thread, to run the job or to make room for a newer one, in which case the job
 *                          overflows; or the monitor, to run the job elsewhere
 * </pre>
 *
 * <p>Only the lane's own thread fills an empty slot, so a release is enough. The monitor marks a job as shared before
 * it takes it, by a CAS. The lane takes a job by an exchange; or by a release that is followed by the full fence by
 * which the job that ends makes its owner idle, and then reads the mark. If both have taken the job, the CAS of the
 * monitor came before the release of the lane. So the lane sees the mark, and both contend for the token of the job by
 * an exchange.
 *
 * <p>A job in the slot starts soon: when the handler ends; when the handler waits by a method of the library, which
 * empties the slot first; or when the monitor has found the same handler at two looks. For the last case the lane has
 * to be registered, and it registers after it has filled its slot. It does so without a fence, so a monitor that
 * unregisters a lane may miss what the lane has just put into the slot: it reads the slot once more at its next look.
 */
public final class Lane extends NamedRunner implements Runnable {
    private static final int CHAIN_BUDGET = 512;
    /** The clock is read after this many jobs. A power of two. */
    private static final int CLOCK_INTERVAL = 64;
    private static final int TALLY_INTERVAL = 64;
    /**
     * The time after which a lane gives its carrier away. Others are to run after a millisecond; this is less by the
     * time that may pass between two readings of the clock.
     */
    private static final long BUDGET_NANOS = 700_000;
    private static final VarHandle SLOT =
            FieldAccess.of(MethodHandles.lookup(), "slot", Job.class);

    private final Lanes lanes;
    /**
     * The length of the chain of lanes that have started one another up to this one; a lane that was started by a
     * thread that is not a lane begins a new chain.
     */
    final int chain;
    /**
     * Where this lane waits for a moment when it has no more work; null unless it was started for an ask from outside.
     */
    private final @Nullable AskRendezvous rendezvous;
    private int jobCount;
    private @Nullable Runnable first;
    /** Whether this lane begins with the rest of a job, if there is one. */
    private final boolean takesRest;
    /** The rest of the job that runs here, if that ends since its budget is spent. */
    private @Nullable Job rest;
    /**
     * Filled by the lane's thread alone. Written by the monitor by CAS; by the thread by a release if it is
     * empty, otherwise by an exchange, or a release before a full fence.
     */
    private volatile @Nullable Job slot;
    /** The job that was taken out of the slot to run next, while the present job makes its owner idle. */
    private @Nullable Job ahead;
    /** The backlog that this lane owns, with the jobs that were displaced from its slot; null if it owns none. */
    @Nullable Backlog backlog;
    /** The tally of the scope that this lane mostly works for; null if it has borrowed none. */
    private @Nullable Tally tally;
    /** The number of counts that went to no tally. */
    private int untallied;
    /** The place in the register, or -1. Set by the lane's thread; reset by the monitor or that thread. */
    volatile int place = -1;
    /**
     * Whether this lane is to give its carrier away. Set by the monitor when the lane has run for long without
     * doing so. Cleared by the lane.
     */
    volatile boolean shouldPass;
    /**
     * Whether this lane is giving its carrier away. Its handlers are not blocked then. Written by the lane's
     * thread.
     */
    volatile boolean isPassing;
    // What the monitor saw at its last look. Confined to the monitor.
    long seenProgress = -1;
    boolean seenBlocked;
    @Nullable Job seenSlot;
    int lookCount;

    /** Creates a lane that begins with a job that has overflowed. */
    Lane(Lanes lanes, int chain) {
        this(lanes, null, chain, null, false);
    }

    /** Creates a lane that begins with the oldest rest of a job. */
    static Lane forRest(Lanes lanes) {
        return new Lane(lanes, null, 0, null, true);
    }

    /** Creates a lane that begins with a task. */
    public Lane(Lanes lanes, Runnable first, int chain) {
        this(lanes, first, chain, null, false);
    }

    /** Creates a lane that begins with an ask from this rendezvous. */
    Lane(Lanes lanes, Job first, AskRendezvous rendezvous) {
        this(lanes, first, 0, rendezvous, false);
    }

    private Lane(Lanes lanes, @Nullable Runnable first, int chain, @Nullable AskRendezvous rendezvous,
            boolean takesRest) {
        this.lanes = lanes;
        this.first = first;
        this.chain = chain;
        this.rendezvous = rendezvous;
        this.takesRest = takesRest;
    }

    /**
     * Chooses the name with which the thread is to start: that of the owner that the lane begins with.
     *
     * @return the name; null if the owner has none, or if the lane does not begin with a job
     */
    @Nullable String chooseThreadName() {
        if (!(first instanceof Job begin) || begin.givenName() == null) {
            return null;
        }
        return startNamed(begin);
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        var begin = takesRest ? lanes.takeRest() : first;
        first = null;
        CURRENT.set(this);
        try {
            if (chain % CHAIN_BUDGET == CHAIN_BUDGET - 1) {
                lanes.giveWay(this); // threads that start one another may keep a carrier among themselves
            }
            runAll(begin != null ? begin : lanes.overflow.take(this));
        } finally {
            if (place >= 0) {
                lanes.unregister(this);
            }
            letGo(); // something is left only if there was too little stack or memory
            giveTallyBack();
            end();
        }
    }

    private void runAll(@Nullable Runnable begin) {
        var next = begin;
        while (next != null) {
            if (next instanceof Job current) {
                current.runOn(this);
            } else {
                next.run();
            }
            var left = rest;
            if (left != null) {
                rest = null;
                if (lanes.leaveRest(left)) {
                    return; // the turn has handed everything else over before
                }
                next = left; // no memory for a timer: it goes on
                continue;
            }
            if (shouldPass || countJob()) {
                cancelEnd();
                shouldPass = false;
                dropName(null);
                if (!giveWay()) {
                    return;
                }
                restartClock(lanes.time());
            }
            next = takeNext();
            if (next == null) {
                next = lanes.overflow.take(this);
            }
            if (next == null && rendezvous != null) {
                lanes.overflow.release(this); // a job there may have been missed while another lane took some
                next = rendezvous.await();
                // The monitor does not watch a lane that waits for asks: the clock is read after the next job.
                jobCount |= CLOCK_INTERVAL - 1;
            }
            if (next != null && hasLabel()) {
                dropName(next);
            }
        }
    }

    /**
     * Lets others run. The backlog is released meanwhile. If a helper takes it over, the helper goes on with it instead
     * of this lane, and this returns false. Otherwise there would be one more lane after each time, each with a part of
     * the work.
     */
    private boolean giveWay() {
        var left = backlog;
        if (left == null || left.isEmpty()) {
            lanes.giveWay(this);
            return true;
        }
        var next = takeSlot();
        if (next != null) {
            overflow(next);
        }
        var ownerNumber = left.ownerNumber();
        left.makeOldDue();
        lanes.overflow.release(this);
        lanes.giveWay(this);
        return lanes.overflow.resume(this, left, ownerNumber);
    }

    /** Leaves the rest of the job that is about to end, since its budget is spent, to a lane that starts later. */
    public void leaveRest(Job left) {
        rest = left;
    }

    /** Adds to the tally. Most lanes run few jobs and borrow no tally. */
    @Override
    public void countHandled(Fates fates, int messages) {
        var current = tally;
        if (current != null && current.of == fates) {
            current.add(messages);
        } else {
            fates.add(Fates.Kind.HANDLED, messages);
            if (++untallied % TALLY_INTERVAL == 0) {
                giveTallyBack();
                borrowTally(fates);
            }
        }
    }

    private void borrowTally(Fates fates) {
        try {
            tally = fates.borrowTally();
        } catch (VirtualMachineError e) {
            return; // no memory or stack for a tally: the job goes on without
        }
    }

    private void giveTallyBack() {
        var current = tally;
        if (current != null) {
            tally = null;
            current.giveBack();
        }
    }

    /**
     * Counts a job, and tells whether the lane has run for so long that it has to give its carrier away. The clock is
     * read after 1, 2, 4, ... jobs, then after each 64th, and after each one that follows a long one.
     */
    private boolean countJob() {
        var count = ++jobCount;
        var looks = count < CLOCK_INTERVAL ? (count & count - 1) == 0 : count % CLOCK_INTERVAL == 0;
        // The timer thread, which a lane needs to give its carrier away, has no part in a schedule of the test kit.
        return (looks || isLong()) && hasRunFor(BUDGET_NANOS, lanes.time()) && !Interleave.runsFibers();
    }

    /**
     * Puts a job into the slot, to run it next. Called by a handler on this lane. If this throws, the job is nowhere.
     */
    void put(Job next) {
        var displaced = takeSlot();
        if (displaced != null) {
            overflow(displaced);
        }
        // mutant: turn-in-the-slot-runs-elsewhere-too
        SLOT.setRelease(this, next); // no other thread fills an empty slot
        assert Interleave.here();
        // mutant: lane-does-not-register
        if (place < 0 && !startWatching()) {
            emptySlot(); // the monitor would not see it if the handler got stuck
            prepareMonitor(next);
        }
    }

    /**
     * Prepares the monitor. The job of the sender has been started elsewhere by now, so a failure here is not the
     * sender's.
     */
    private void prepareMonitor(Job example) {
        try {
            lanes.watcher().prepare(example);
        } catch (RuntimeException | VirtualMachineError e) {
            place = -1; // no memory or stack for a timer: the next lane tries again
        }
    }

    private void overflow(Job displaced) {
        try {
            // mutant: displaced-turn-is-lost
            lanes.overflow.add(displaced, this);
        } catch (Throwable failure) {
            SLOT.setRelease(this, displaced); // no memory to keep both: the newer one is refused
            throw failure;
        }
    }

    private boolean startWatching() {
        try {
            if (lanes.watcher().isReady() && lanes.register(this)) {
                lanes.watcher().watch();
                return true;
            }
        } catch (RuntimeException | VirtualMachineError e) {
            return false; // no timer can be set: if the start elsewhere fails as well, the sender gets that exception
        }
        return false;
    }

    /**
     * Puts a job that is never to run into the slot. Called by the monitor, whose thread is taken for that of the lane.
     */
    void rehearse(Job never) {
        thread = Thread.currentThread();
        job = never;
        SLOT.setRelease(this, never);
    }

    /** Takes the next job out of the slot ahead of time. The fence that follows saves an exchange. */
    @Override
    public void prepareEnd() {
        var ending = job;
        var next = slot;
        if (next != null && ending != null && ending.isLowest() && ahead == null) {
            assert Interleave.here();
            SLOT.setRelease(this, (Job) null);
            ahead = next;
        }
    }

    /**
     * Puts the job that was taken ahead back, where the monitor sees it. The monitor may have unregistered the lane
     * meanwhile.
     */
    @Override
    public void cancelEnd() {
        var next = ahead;
        if (next != null) {
            // mutant: next-turn-is-not-put-back
            ahead = null;
            put(next);
        }
    }

    private @Nullable Job takeNext() {
        var next = ahead;
        if (next != null) {
            ahead = null;
            return next;
        }
        return takeSlot();
    }

    public @Nullable Job takeSlot() {
        return slot == null ? null : (Job) SLOT.getAndSet(this, (Job) null);
    }

    /** Releases the backlog and starts the job in the slot elsewhere. Called before this thread waits. */
    public void letGo() {
        if (backlog != null) {
            lanes.overflow.release(this);
        }
        emptySlot();
    }

    /** Starts the next jobs elsewhere. */
    private void emptySlot() {
        for (var next = takeNext(); next != null; next = takeNext()) {
            lanes.startElsewhere(next);
        }
    }

    /** Returns the job in the slot. Called by the monitor. */
    public @Nullable Job slot() {
        return slot;
    }

    /**
     * Takes this job out of the slot, if it is still there, to run it elsewhere. The lane may have the job as well
     * then. Called by the monitor.
     */
    boolean steal(Job seen) {
        // mutant: monitor-shares-a-turn-silently
        seen.markShared(); // before the CAS
        assert Interleave.here();
        return SLOT.compareAndSet(this, seen, (Job) null);
    }

    /** Tells whether the handler that runs here is known to be blocked. */
    boolean isBlocked() {
        var runner = thread;
        return runner != null && !isPassing && Parking.isParked(runner);
    }
}
