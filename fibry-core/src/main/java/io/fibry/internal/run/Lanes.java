package io.fibry.internal.run;

import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Placement.Fairness;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Runs turns on lanes. A turn that is started from outside gets a fresh virtual thread, or a lane that stays at a
 * {@link AskRendezvous}; one that is started by a handler on a lane goes to that lane's slot; one that is displaced there
 * overflows, see {@link Overflow}.
 */
public final class Lanes implements Executor {
    private static final int PLACES = 64;
    private static final int POSTS = 64;
    /** Has no divisor in common with their number; neighbours share a cache line. */
    private static final int STRIDE = 9;
    /** A lane that runs on and on gives its carrier away after so many looks. */
    private static final int LOOKS_BEFORE_PASS = 2;

    /** Has the lanes looked at. */
    public interface Watcher {
        /** Sees to it that somebody looks at the lanes. */
        void watch();

        /** Whether that would be soon enough. */
        default boolean isReady() {
            return true;
        }

        /** Makes it so, in a while. */
        default void getReady(Job some) {
        }
    }

    private final Executor starter;
    private volatile Watcher watcher = () -> {
    };
    private final TimeSource time;
    private final boolean enabled;
    private final Fairness fairness;
    private final Overflow overflow;
    private final AskRendezvous[] posts;
    private final AtomicReferenceArray<@Nullable Lane> register = new AtomicReferenceArray<>(PLACES);
    private final BlockingHandlers eagerness = new BlockingHandlers();
    private LaneNamer namer = new LaneNamer(Runnable::run);
    /** Where to look for a free place first; a guess. */
    private int nextPlace;
    /** Taken off the register at the last look; the monitor's own. */
    private final ArrayDeque<Lane> evicted = new ArrayDeque<>();

    /**
     * Makes lanes.
     *
     * @param starter starts a lane on a fresh virtual thread
     * @param time the clock
     * @param enabled whether a lane goes on with what its handlers start, or a thread asks from outside
     * @param fairness how a lane that runs on and on lets others run
     * @param processors how many helpers may be on their way
     */
    public Lanes(Executor starter, TimeSource time, boolean enabled, Fairness fairness, int processors) {
        this(starter, time, enabled, fairness, processors, POSTS);
    }

    /** Makes lanes for which threads that are no actors have so many posts, a power of two. */
    public Lanes(Executor starter, TimeSource time, boolean enabled, Fairness fairness, int processors,
            int posts) {
        this.starter = starter;
        this.time = time;
        this.enabled = enabled;
        this.fairness = fairness;
        overflow = new Overflow(this, starter, processors);
        this.posts = new AskRendezvous[posts];
        Arrays.setAll(this.posts, number -> new AskRendezvous());
    }

    @Override
    public void execute(Runnable task) {
        var strand = Runner.current();
        if (!(strand instanceof Lane lane)) {
            if (enabled && task instanceof Job turn) {
                startFromOutside(turn, strand);
            } else {
                startFresh(task);
            }
        } else if (enabled && task instanceof Job turn && lane.job != null
                && !blocksAfterwards(lane.job)) {
            lane.put(turn);
        } else {
            starter.execute(new Lane(this, task, lane.chain + 1));
        }
    }

    private boolean blocksAfterwards(Job sender) {
        return eagerness.isAnyMarked() && eagerness.startsAtOnce(sender.handlerClass());
    }

    private void startFromOutside(Job turn, @Nullable Runner strand) {
        if (turn.mayBeRunByOthers()) {
            overflow.addShared(turn);
        } else if (strand == null && turn.isAsked() && Thread.currentThread().isVirtual()) {
            var post = post();
            // mutant: turn-left-to-a-lane-starts-elsewhere-too
            if (!post.takes(turn)) {
                starter.execute(new Lane(this, turn, post));
            }
        } else {
            startFresh(turn);
        }
    }

    /** An answer that a virtual thread, which is no actor's, has to wait for may come at once. */
    public void awaitForAMoment(Future<?> answer) {
        if (enabled) {
            post().await(answer);
        }
    }

    /** Where the calling thread finds the lane that has just answered it. */
    private AskRendezvous post() {
        return posts[(int) Thread.currentThread().threadId() * STRIDE & posts.length - 1];
    }

    /** Runs a task on a lane of its own. */
    void startFresh(Runnable task) {
        starter.execute(new Lane(this, task, 0));
    }

    /** What lanes have not come to. */
    Overflow overflow() {
        return overflow;
    }

    TimeSource time() {
        return time;
    }

    /** Lets others run. */
    void giveWay(Lane lane) {
        if (fairness == Fairness.RELAYS) {
            lane.passes = true;
            try {
                lane.pass();
            } finally {
                lane.passes = false;
            }
        } else {
            Thread.yield();
        }
    }

    // ---- Watching. ----

    /** Puts a lane where the monitor sees it; false if there is no place. */
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

    /** Says whom to tell that there is something to look at. */
    public Lanes watchedBy(Watcher newWatcher) {
        watcher = newWatcher;
        return this;
    }

    /** Says where threads of stuck lanes are named; by the monitor otherwise. Before anything runs. */
    Lanes namedOn(Executor executor) {
        namer = new LaneNamer(executor);
        return this;
    }

    Watcher watcher() {
        return watcher;
    }

    /** Does once all that a look may come to, on lanes that run nothing. By the monitor. */
    void rehearse(Job some) {
        var stage = new Lanes(lane -> {
        }, time, true, fairness, 1, 1);
        var stuck = new Lane(stage, 0);
        stage.register(stuck);
        var name = Thread.currentThread().getName();
        try {
            stuck.rehearse(some.rehearsal());
            stage.look();
            stage.look();
            stage.look();
            stuck.dropName(null);
        } finally {
            Thread.currentThread().setName(name); // it was the lane's for a moment
        }
        stage.eagerness.mark(some.handlerClass());
        namer.rehearse();
    }

    /**
     * Looks at all lanes once. A handler that was there at the last look has had its time: its lane loses the
     * slot, and leaves the register. If it was blocked at both looks, those of its class are not trusted with
     * a slot again for a while.
     *
     * @return whether there was anything to see
     */
    boolean look() {
        var busy = !evicted.isEmpty();
        for (var lane = evicted.poll(); lane != null; lane = evicted.poll()) {
            var turn = lane.place < 0 ? lane.slot() : null;
            if (turn != null && lane.steal(turn)) {
                startElsewhere(turn);
            }
        }
        for (int place = 0; place < PLACES; place++) {
            var lane = register.get(place);
            if (lane != null) {
                look(lane);
                busy = true;
            }
        }
        return namer.start() || busy;
    }

    private void look(Lane lane) {
        var progress = lane.progress();
        var waiting = lane.slot();
        var blocked = waiting != null && lane.isBlocked();
        // mutant: slot-is-never-rescued
        if (progress != lane.seenProgress) {
            if (waiting != null && waiting == lane.seenSlot && lane.steal(waiting)) {
                startElsewhere(waiting); // the lane has much to do before it would come to this one
            }
            lane.seenSlot = waiting;
            lane.seenProgress = progress;
            lane.seenBlocked = blocked;
            if (++lane.looks % LOOKS_BEFORE_PASS == 0) {
                lane.shouldPass = true;
            }
            return;
        }
        var stuck = lane.job;
        unregister(lane);
        lane.seenSlot = null;
        lane.seenProgress = -1;
        evicted.add(lane);
        Interleave.here();
        var turn = lane.slot();
        if (turn != null && lane.steal(turn)) {
            if (blocked && lane.seenBlocked && stuck != null) {
                // mutant: no-handler-is-known-to-block
                eagerness.mark(stuck.handlerClass());
            }
            startElsewhere(turn);
        }
        namer.add(lane, progress);
    }

    /** Starts a turn that was taken out of a slot. If there is no memory for a thread, a lane that is done runs it. */
    void startElsewhere(Job turn) {
        try {
            startFresh(turn);
        } catch (RuntimeException | VirtualMachineError e) {
            overflow.addWithoutHelp(turn);
        }
    }
}
