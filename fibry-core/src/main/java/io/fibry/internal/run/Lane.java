package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.Fates;
import io.fibry.internal.report.Tally;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread that runs one fiber turn after another. A turn that is started from inside a handler goes
 * to the slot of that handler's lane, and runs there next: going on with it costs no context switch.
 *
 * <pre>
 *   slot: null -> turn     the lane's own thread, when a handler sends to an idle actor
 *         turn -> null     the lane's own thread, to run it, or to make room for a newer one: then this one
 *                          overflows; or the monitor, to run it elsewhere
 * </pre>
 *
 * <p>An empty slot is filled by the lane's own thread alone, so a release is enough. The monitor marks a turn as shared
 * before it takes it, by CAS. The lane takes it by an exchange, or by a release that is followed by the full fence by
 * which the turn that ends makes its actor idle; then it looks for the mark. If both have taken it, the monitor's CAS
 * came before the lane's release, so the lane sees the mark, and each goes for the turn's token by an exchange.
 *
 * <p>A turn in the slot starts soon: when the handler ends; when it waits in a way of ours, which empties the slot
 * first; else when the monitor has seen one handler twice. For that the lane has to be registered, and it registers
 * after it has filled its slot. It does so without a fence, so a monitor that takes a lane off the register may not
 * see what that one has just put there: it looks at the slot again one look later.
 */
public final class Lane extends NamedRunner implements Runnable {
    private static final int CHAIN_BUDGET = 512;
    /** The clock is looked at after so many turns. A power of two. */
    private static final int CLOCK_INTERVAL = 64;
    private static final int TALLY_INTERVAL = 64;
    /** Below the millisecond after which others are to have their turn, by what one look at the clock may miss. */
    private static final long BUDGET_NANOS = 700_000;
    private static final VarHandle SLOT =
            FieldAccess.of(MethodHandles.lookup(), "slot", Job.class);

    private final Lanes lanes;
    /** How many lanes before this one have started the next, none of them by a thread that was not a lane. */
    final int chain;
    /** Where it stays for a moment when it is done, if it was started for an ask from outside. */
    private final @Nullable AskRendezvous post;
    private int turns;
    private @Nullable Runnable first;
    private volatile @Nullable Job slot;
    /** Taken out of the slot to run next, while the turn before makes its actor idle. */
    private @Nullable Job ahead;
    /** What has been displaced from its slot and waits; its own, until it leaves it to others. */
    @Nullable Backlog backlog;
    /** Where it counts handled messages of the scope that it works for mostly. */
    private @Nullable Tally tally;
    /** How often it has counted without a tally. */
    private int untallied;
    /** Where it is registered, or -1. Set by its thread, unset by the monitor or its thread. */
    volatile int place = -1;
    /** Set by the monitor when the lane has run for long without giving its carrier away. */
    volatile boolean shouldPass;
    /** Whether it is just giving its carrier away. Its handlers are then not blocked. */
    volatile boolean passes;
    // What the monitor saw when it looked last; touched by the monitor only.
    long seenProgress = -1;
    boolean seenBlocked;
    @Nullable Job seenSlot;
    int looks;

    /** A lane that begins with what waits for one. */
    Lane(Lanes lanes, int chain) {
        this(lanes, null, chain, null);
    }

    /** A lane that begins with a task. */
    public Lane(Lanes lanes, Runnable first, int chain) {
        this(lanes, first, chain, null);
    }

    /** A lane that begins with an ask from this post. */
    Lane(Lanes lanes, Job first, AskRendezvous post) {
        this(lanes, first, 0, post);
    }

    private Lane(Lanes lanes, @Nullable Runnable first, int chain, @Nullable AskRendezvous post) {
        this.lanes = lanes;
        this.first = first;
        this.chain = chain;
        this.post = post;
    }

    /**
     * Chooses the name with which the thread is to start: that of the actor that the lane begins with.
     *
     * @return the name; null if that actor has none, or the lane begins with something else
     */
    @Nullable String chooseThreadName() {
        if (!(first instanceof Job turn) || turn.givenName() == null) {
            return null;
        }
        return startNamed(turn);
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        var begin = first;
        first = null;
        adopt();
        try {
            if (chain % CHAIN_BUDGET == CHAIN_BUDGET - 1) {
                lanes.giveWay(this); // threads that start each other may keep a carrier among themselves
            }
            runAll(begin != null ? begin : lanes.overflow().take(this));
        } finally {
            lanes.unregister(this);
            letGo(); // something is left only if the stack was too short for us, or the memory too small
            giveTallyBack();
            end();
        }
    }

    private void runAll(@Nullable Runnable begin) {
        var next = begin;
        while (next != null) {
            if (hasLabel()) {
                dropName(next);
            }
            if (next instanceof Job mine) {
                mine.runOn(this);
            } else {
                next.run();
            }
            if (shouldPass || isDueToPass()) {
                cancelEnd();
                shouldPass = false;
                dropName(null);
                restartClock();
                if (!givesWay()) {
                    return;
                }
            }
            next = takeNext();
            if (next == null) {
                next = lanes.overflow().take(this);
            }
            if (next == null && post != null) {
                lanes.overflow().release(this); // it may have missed something there while another took some
                next = post.await();
                turns |= CLOCK_INTERVAL - 1; // nobody watches a lane that is asked from outside
            }
        }
    }

    /**
     * Lets others run. What waits here is left to them meanwhile: if a helper takes it over, that goes on in the place
     * of this lane, and this is false. Else there would be one more lane after each time, each with a part of the work.
     */
    private boolean givesWay() {
        var left = backlog;
        if (left == null || left.isEmpty()) {
            lanes.giveWay(this);
            return true;
        }
        var next = takeSlot();
        if (next != null) {
            overflow(next);
        }
        var owner = left.owner();
        left.oldIsDue();
        lanes.overflow().release(this);
        lanes.giveWay(this);
        return lanes.overflow().resumes(this, left, owner);
    }

    /** Most lanes run few turns, and borrow no tally. */
    @Override
    public void countHandled(Fates fates, int messages) {
        var mine = tally;
        if (mine != null && mine.of == fates) {
            mine.add(messages);
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
            return; // no memory, or stack, for one: the turn is to go on, and can without
        }
    }

    private void giveTallyBack() {
        var mine = tally;
        if (mine != null) {
            tally = null;
            mine.giveBack();
        }
    }

    /** Short turns are counted; if each takes long, the monitor says when it is time. */
    private boolean isDueToPass() {
        return ++turns % CLOCK_INTERVAL == 0 && hasRunFor(BUDGET_NANOS, lanes.time());
    }

    /**
     * Takes a turn to run it next. By a handler on this lane. If this throws, the turn is nowhere.
     */
    void put(Job turn) {
        var displaced = takeSlot();
        if (displaced != null) {
            overflow(displaced);
        }
        // mutant: turn-in-the-slot-runs-elsewhere-too
        SLOT.setRelease(this, turn); // nobody else fills an empty slot
        Interleave.here();
        // mutant: lane-does-not-register
        if (place < 0 && !isWatched()) {
            emptySlot(); // nobody would see if it got stuck
            getReady(turn);
        }
    }

    /** The turn is on its way by now: whatever comes of this, it is not told to whoever has sent. */
    private void getReady(Job some) {
        try {
            lanes.watcher().getReady(some);
        } catch (RuntimeException | VirtualMachineError e) {
            place = -1; // no memory, or stack, for a timer: the next lane tries again
        }
    }

    private void overflow(Job displaced) {
        try {
            // mutant: displaced-turn-is-lost
            lanes.overflow().add(displaced, this);
        } catch (Throwable failure) {
            SLOT.setRelease(this, displaced); // no memory to keep two: the newer one is refused
            throw failure;
        }
    }

    private boolean isWatched() {
        try {
            if (lanes.watcher().isReady() && lanes.register(this)) {
                lanes.watcher().watch();
                return true;
            }
        } catch (RuntimeException | VirtualMachineError e) {
            return false; // no timer can be set: whoever then starts the turn elsewhere fails as well, and says so
        }
        return false;
    }

    /** Has a turn in its slot that is never to run, on the thread that looks at it. */
    void rehearse(Job never) {
        thread = Thread.currentThread();
        job = never;
        SLOT.setRelease(this, never);
    }

    /** Takes what is next here out of the slot: the fence that is about to come spares an exchange. */
    @Override
    public void prepareEnd() {
        var ending = job;
        var next = slot;
        if (next != null && ending != null && ending.isLowest() && ahead == null) {
            Interleave.here();
            SLOT.setRelease(this, (Job) null);
            ahead = next;
        }
    }

    /** Puts it back, for the monitor to see, which may have taken the lane off the register meanwhile. */
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

    /** Leaves what has overflown to others, and starts what is in the slot elsewhere: this thread is about to wait. */
    public void letGo() {
        lanes.overflow().release(this);
        emptySlot();
    }

    /** Starts what is next here elsewhere. */
    private void emptySlot() {
        for (var turn = takeNext(); turn != null; turn = takeNext()) {
            lanes.startElsewhere(turn);
        }
    }

    /** What is next here. By the monitor. */
    public @Nullable Job slot() {
        return slot;
    }

    /** Takes this one out of the slot, if it is still there, to run it elsewhere: the lane may have it as well. By the monitor. */
    boolean steal(Job turn) {
        // mutant: monitor-shares-a-turn-silently
        turn.markShared(); // first
        Interleave.here();
        return SLOT.compareAndSet(this, turn, (Job) null);
    }

    /** Whether the handler that runs here is known to be blocked. */
    boolean isBlocked() {
        var runner = thread;
        if (runner == null || passes) {
            return false;
        }
        return switch (runner.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }
}
