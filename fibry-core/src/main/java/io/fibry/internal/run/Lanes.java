package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on lanes. A job that is started from outside gets a fresh virtual thread, or a lane that waits at an {@link
 * AskRendezvous}. A job that is started by a handler on a lane goes to the slot of that lane. A job that is displaced
 * from the slot overflows, see {@link Overflow}.
 */
public final class Lanes implements Executor {
    private static final int PLACES = 64;
    private static final int RENDEZVOUS = 64;
    /** Coprime to {@link #RENDEZVOUS}. Not 1, since neighbours in the array share a cache line. */
    private static final int STRIDE = 9;
    /** After this many looks that find the lane running, it is to give its carrier away. */
    private static final int LOOKS_BEFORE_PASS = 2;

    /** Causes the lanes to be looked at. */
    public interface Watcher {
        /** Ensures that the lanes are being watched. */
        void watch();

        /** Tells whether a look would come soon enough. */
        default boolean isReady() {
            return true;
        }

        /**
         * Makes this ready, in a while.
         *
         * @param example a job for a rehearsal; it is not run
         */
        default void prepare(Job example) {
        }
    }

    private final Executor starter;
    /** Set by the maker of the lanes before the first lane starts, or by tests. */
    private volatile Watcher watcher = () -> {
    };
    private final TimeSource time;
    private final boolean enabled;
    private final Handoff handoff;
    /** The jobs that have overflowed. */
    final Overflow overflow;
    private final AskRendezvous[] rendezvous;
    /** The rests of jobs whose budget is spent, the oldest first. */
    private final Queue<Job> rests = new ConcurrentLinkedQueue<>();
    /** Changed by lanes and the monitor, by CAS. */
    private final AtomicReferenceArray<@Nullable Lane> register = new AtomicReferenceArray<>(PLACES);
    private final BlockingHandlers blockingHandlers = new BlockingHandlers();
    private LaneNamer namer = new LaneNamer(Runnable::run);
    /** The place of the register to try first. An estimate. */
    private int nextPlace;
    /** Hears of rescues; null if nobody asked for that. Set once, by the thread that loads the events of recordings. */
    private volatile @Nullable LaneRecorder recorder;
    /** How many jobs the monitor has started elsewhere. Written by the monitor. */
    private volatile long rescued;
    /** The lanes that were unregistered at the last look. Confined to the monitor. */
    private final ArrayDeque<Lane> evicted = new ArrayDeque<>();

    /**
     * Creates lanes.
     *
     * @param starter starts a lane on a fresh virtual thread
     * @param time the clock
     * @param enabled whether lanes use their slots, and go on with what threads ask from outside
     * @param handoff how a lane that runs for long gives its carrier away
     * @param processors how many helpers may be starting at a time
     */
    public Lanes(Executor starter, TimeSource time, boolean enabled, Handoff handoff, int processors) {
        this(starter, time, enabled, handoff, processors, RENDEZVOUS);
    }

    /** Creates lanes with this many rendezvous, a power of two, for threads without a runner. */
    public Lanes(Executor starter, TimeSource time, boolean enabled, Handoff handoff, int processors,
            int rendezvous) {
        this.starter = starter;
        this.time = time;
        this.enabled = enabled;
        this.handoff = handoff;
        overflow = new Overflow(this, starter, processors);
        this.rendezvous = new AskRendezvous[rendezvous];
        Arrays.setAll(this.rendezvous, number -> new AskRendezvous());
    }

    @Override
    public void execute(Runnable task) {
        var runner = Runner.CURRENT.get();
        if (!(runner instanceof Lane lane)) {
            startRest();
            if (enabled && task instanceof Job job) {
                startFromOutside(job, runner);
            } else {
                startFresh(task);
            }
        } else if (enabled && task instanceof Job job && lane.job != null
                && !blocksAfterwards(lane.job)) {
            lane.put(job);
        } else {
            starter.execute(new Lane(this, task, lane.chain + 1));
        }
    }

    private boolean blocksAfterwards(Job sender) {
        return blockingHandlers.isAnyMarked() && blockingHandlers.startsAtOnce(sender.handlerClass());
    }

    private void startFromOutside(Job job, @Nullable Runner runner) {
        if (job.mayBeRunByOthers()) {
            overflow.addShared(job);
        } else if (runner == null && Thread.currentThread().isVirtual() && job.isAsked()) {
            var place = rendezvousOfCaller();
            // mutant: turn-left-to-a-lane-starts-elsewhere-too
            if (!place.offer(job)) {
                starter.execute(new Lane(this, job, place));
            }
        } else {
            starter.execute(new Lane(this, job, 0));
        }
    }

    // ---- Rests. ----

    /**
     * Leaves the rest of a job, whose budget is spent, to the next thread that starts a job from outside, or to a lane that
     * the timer thread starts when there is a carrier for it.
     *
     * <p>A carrier takes threads from one queue until that queue is empty. So a thread that waits in another queue while
     * jobs come from outside is passed over, for seconds if there is no end of them. Therefore a rest is not bound to a
     * thread before that runs: it goes to the very queue that jobs come from, once for each of them. For each rest there
     * is one lane by the timer, so none is forgotten if no job comes; that lane ends at once if there is no rest any more.
     *
     * @return false if there is no memory for that
     */
    boolean leaveRest(Job rest) {
        try {
            rests.add(rest);
        } catch (VirtualMachineError e) {
            return false;
        }
        assert Interleave.here();
        try {
            var lane = Lane.forRest(this);
            // mutant: nobody-comes-for-a-rest
            handoff.start(lane, new StartForRest(this, lane));
            return true;
        } catch (RuntimeException | VirtualMachineError e) {
            return !rests.remove(rest); // if another thread has it, that is as well
        }
    }

    /** Returns the oldest rest; null if there is none. */
    @Nullable Job takeRest() {
        return rests.isEmpty() ? null : rests.poll();
    }

    /** Starts the oldest rest, if there is one. A thread that starts a job from outside calls this first. */
    private void startRest() {
        var rest = takeRest();
        if (rest != null) {
            startElsewhere(rest);
        }
    }

    /** Starts a lane that takes a rest. */
    private record StartForRest(Lanes lanes, Lane lane) implements Runnable {
        @Override
        public void run() {
            try {
                lanes.starter.execute(lane);
            } catch (RuntimeException | VirtualMachineError e) {
                lanes.startRest(); // it waits elsewhere if there is no memory for a thread
            }
        }
    }

    /** Waits for an answer for a moment, since it may come at once. Called by a virtual thread without a runner. */
    public void awaitForAMoment(Future<?> answer) {
        if (enabled) {
            rendezvousOfCaller().await(answer);
        }
    }

    /** Returns the rendezvous at which the calling thread finds the lane that has just answered it. */
    private AskRendezvous rendezvousOfCaller() {
        return rendezvous[(int) Thread.currentThread().threadId() * STRIDE & rendezvous.length - 1];
    }

    /** Runs a task on a fresh lane. */
    void startFresh(Runnable task) {
        starter.execute(new Lane(this, task, 0));
    }

    TimeSource time() {
        return time;
    }

    /** Lets others run. */
    void giveWay(Lane lane) {
        lane.isPassing = true;
        try {
            lane.pass(handoff);
        } finally {
            lane.isPassing = false;
        }
    }

    // ---- Watching. ----

    /** Registers a lane, so that the monitor sees it; returns false if there is no place. */
    boolean register(Lane lane) {
        var start = nextPlace++;
        for (int i = 0; i < PLACES; i++) {
            var place = start + i & PLACES - 1;
            if (register.get(place) == null && register.compareAndSet(place, null, lane)) {
                lane.place = place;
                return true;
            }
        }
        return false;
    }

    void unregister(Lane lane) {
        var place = lane.place;
        if (place >= 0) {
            lane.place = -1;
            register.compareAndSet(place, lane, null);
        }
    }

    /** Sets what watches the lanes. */
    public Lanes watchedBy(Watcher newWatcher) {
        watcher = newWatcher;
        return this;
    }

    /**
     * Sets the executor on which threads of stuck lanes are named; by default it is the monitor's thread. Called before
     * anything runs.
     */
    Lanes namedOn(Executor executor) {
        namer = new LaneNamer(executor);
        return this;
    }

    Watcher watcher() {
        return watcher;
    }

    /** Does once all that a look may lead to, on lanes that run nothing. Called by the monitor. */
    void rehearse(Job example) {
        var stage = new Lanes(lane -> ((Lane) lane).end(), time, true, handoff, 1, 1); // it has a ticket and never runs
        var stuck = new Lane(stage, 0);
        stage.register(stuck);
        var name = Thread.currentThread().getName();
        try {
            stuck.rehearse(example.rehearsal());
            stage.look();
            stage.look();
            stage.look();
            stuck.dropName(null);
        } finally {
            Thread.currentThread().setName(name); // the thread had the name of the lane for a moment
        }
        stage.blockingHandlers.mark(example.handlerClass());
        namer.rehearse();
    }

    /**
     * Looks at all lanes once. A handler that was there at the last look has had its time: the job in the slot of its
     * lane is started elsewhere, and the lane is unregistered. If the handler was blocked at both looks, its class is
     * marked: what its handlers start gets a thread of its own for a while.
     *
     * @return whether there was anything to see
     */
    boolean look() {
        var sawSomething = !evicted.isEmpty();
        for (var lane = evicted.poll(); lane != null; lane = evicted.poll()) {
            var job = lane.place < 0 ? lane.slot() : null;
            if (job != null && lane.steal(job)) {
                rescue(job, lane.job);
            }
        }
        for (int place = 0; place < PLACES; place++) {
            var lane = register.get(place);
            if (lane != null) {
                look(lane);
                sawSomething = true;
            }
        }
        return namer.start() || sawSomething;
    }

    private void look(Lane lane) {
        var progress = lane.progress();
        var next = lane.slot();
        var blocked = next != null && lane.isBlocked();
        // mutant: slot-is-never-rescued
        if (progress != lane.seenProgress) {
            if (next != null && next == lane.seenSlot && lane.steal(next)) {
                rescue(next, lane.job); // the lane is busy with other messages and would run this job late
            }
            lane.seenSlot = next;
            lane.seenProgress = progress;
            lane.seenBlocked = blocked;
            if (++lane.lookCount % LOOKS_BEFORE_PASS == 0) {
                lane.shouldPass = true;
            }
            return;
        }
        var stuck = lane.job;
        unregister(lane);
        lane.seenSlot = null;
        lane.seenProgress = -1;
        evicted.add(lane);
        assert Interleave.here();
        var job = lane.slot();
        if (job != null && lane.steal(job)) {
            if (blocked && lane.seenBlocked && stuck != null) {
                // mutant: no-handler-is-known-to-block
                blockingHandlers.mark(stuck.handlerClass());
            }
            rescue(job, stuck);
        }
        namer.add(lane, progress);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void rescue(Job job, @Nullable Job before) {
        try {
            var lane = new Lane(this, job, 0);
            handoff.start(lane, new Start(this, lane, job));
        } catch (RuntimeException | VirtualMachineError e) {
            overflow.addWithoutHelper(job); // if a lane has it as well, the token decides
        }
        rescued++;
        var told = recorder;
        if (told != null) {
            told.rescued(job, before);
        }
    }

    /** Starts a lane with the job that it begins with. */
    private record Start(Lanes lanes, Lane lane, Job job) implements Runnable {
        @Override
        public void run() {
            try {
                lanes.starter.execute(lane);
            } catch (RuntimeException | VirtualMachineError e) {
                lanes.overflow.addWithoutHelper(job);
            }
        }
    }

    /** Sets what is told of rescues. It throws nothing. */
    void tell(LaneRecorder told) {
        recorder = told;
    }

    /** Returns how many helpers were sent for jobs that have overflowed. */
    long helpers() {
        return overflow.dispatch.sent();
    }

    /** Returns how many jobs the monitor has started elsewhere. */
    long rescued() {
        return rescued;
    }

    /**
     * Starts a job that was taken out of a slot. If there is no memory for a thread, the job waits for a lane that has
     * no more work.
     */
    void startElsewhere(Job job) {
        try {
            startFresh(job);
        } catch (RuntimeException | VirtualMachineError e) {
            overflow.addWithoutHelper(job);
        }
    }
}
