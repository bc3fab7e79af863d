package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One stage for which actors of its own work, or some stages whose functions one actor calls one after another for each
 * value. The first section is the source and the stages that the actor of the source calls.
 *
 * <p>Guarded by the lock of the pipeline, except for {@link Run} and {@link #moves}: by these a value goes from stage to
 * stage without the lock. A value that goes through makes a move into each stage. So one number tells of all stages, at
 * one moment, how many values have come to them; what has left the last one is counted under the lock, where it comes to
 * the next section. The class is long since a run moves values by what the section counts, and the two check each other.
 */
final class FusedStages {
    private static final int LONGEST_RUN = 64;

    final List<StageState> stages = new ArrayList<>();
    final int capacity;
    private final boolean isFirst;
    /** How many actors take values from the queue. */
    final int actors;
    private final boolean isOrdered;
    /** Null for the last section. Set before the pipeline starts. */
    @Nullable FusedStages next;
    final ArrayDeque<Object> queue = new ArrayDeque<>();
    /** The runs with values that have not left, in the order in which they came. Only the last one may have values to begin. */
    private final ArrayDeque<Run> runs = new ArrayDeque<>();
    final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** Whether the values of the section before are wanted at once. Written under the lock. */
    volatile boolean isHungry;
    /** Places in the queue for values that the section before has taken. */
    int reserved;
    /** Written by the one actor of the section, without the lock as well as under it. Stays zero if there are several. */
    private final AtomicLong moves = new AtomicLong();

    /** One of the actors of a section. It is also the message of this actor: reports show the class of its value. */
    static final class Worker implements Envelope {
        final FusedStages section;
        private final String pipeline;
        // What it has begun last, for reports. Written by the actor.
        private final AtomicReference<Object> content = new AtomicReference<>("no value");
        private final AtomicReference<@Nullable StageState> stage = new AtomicReference<>();
        /** Set before the worker is idle for the first time. */
        @Nullable Actor<Object, Void> actor;
        /** Where it takes values; null before the first. Written by the actor, under the lock. */
        @Nullable Run run;
        /** Which value of the run it works on; negative if none. Written by the actor, and by the thread that ends it. */
        private final AtomicInteger at = new AtomicInteger(-1);
        /** Whether it took little time for the values of its last message. Written by the actor. */
        boolean isQuick;
        /** What it has thrown last, to be reported. */
        @Nullable Throwable reported;

        Worker(FusedStages section, String pipeline) {
            this.section = section;
            this.pipeline = pipeline;
        }

        /** Read by others only when the actor has not gone on for long. */
        int at() {
            return at.get();
        }

        void at(int number) {
            at.lazySet(number);
        }

        void works(StageState current, Object value) {
            stage.lazySet(current);
            content.lazySet(value);
        }

        void rests() {
            content.lazySet("no value");
        }

        @Override
        public Object content() {
            return content.get();
        }

        @Override
        public Optional<String> about() {
            var at = stage.get();
            return Optional.of((at == null ? "values" : at.name) + " of pipeline " + pipeline);
        }

        /** When the actor has ended, its values have the fates that the progress shows. */
        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            return Emission.isReported(cause);
        }
    }

    /**
     * Values that were taken from the queue at once. The actors of the section begin them one by one without the lock, so
     * no value waits behind a slow one while an actor is free, and each leaves beside the value what they have made of it.
     *
     * <pre>
     *   begun:  n -> n + 1           an actor, which works on value n if there is one
     *           n -> all             the thread that gives up what was not begun, under the lock
     *   made:   null -> result       the actor that has begun the value, by CAS
     *           null -> LOST         the same, or the thread that gives up, under the lock
     *           null -> ABANDONED    the thread that learns that the actor has gone on without the value, by CAS, under the lock
     * </pre>
     *
     * <p>Results go to the next section when a thread that has the lock finds them ({@link FusedStages#settle}). An actor
     * first leaves its result and then reads {@link #isHungry}; a thread that makes an actor of the next section idle, or
     * makes room behind that section, first sets {@code isHungry} and then looks for results. All are volatile: so the
     * actor takes the lock, or that thread finds the result. And each actor takes the lock when a run has no value left.
     */
    static final class Run {
        private static final Object LOST = new Object();
        private static final Object ABANDONED = new Object();
        private static final Object SETTLED = new Object();

        /** Nothing for the actor of the source, which brings the values. */
        private final Object[] values;
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicReferenceArray<@Nullable Object> made;
        // Guarded by the lock.
        /** How many were begun when a thread that has the lock looked last. */
        private int seen;
        /** The first value that has not left. */
        private int first;

        private Run(int size, Object... values) {
            this.values = values;
            this.made = new AtomicReferenceArray<>(size);
        }

        /** Begins the next value; returns its number, or -1 if there is none. */
        int begin() {
            var next = begun.get() < made.length() ? begun.getAndIncrement() : made.length();
            return next < made.length() ? next : -1;
        }

        /** Tells whether no value comes after the one with this number. */
        boolean endsWith(int number) {
            return number == made.length() - 1;
        }

        Object value(int number) {
            return values[number];
        }

        /** Leaves what was made of a value; returns false if the actor has gone on without this thread. */
        boolean finish(int number, Object result) {
            return made.compareAndSet(number, null, result);
        }

        /** Notes that a value does not go on; returns false if it has ended before. */
        boolean lose(int number, boolean isAbandoned) {
            return made.compareAndSet(number, null, isAbandoned ? ABANDONED : LOST);
        }

        boolean isAbandoned(int number) {
            return made.get(number) == ABANDONED;
        }

        private int look() {
            seen = Math.min(begun.get(), made.length());
            return seen;
        }

        private int waiting() {
            return values.length == 0 ? 0 : values.length - seen;
        }

        /** Gives up what was not begun; returns how many values that are. */
        private int giveUp() {
            var from = Math.min(begun.getAndSet(values.length), values.length);
            for (int i = from; i < values.length; i++) {
                made.set(i, LOST);
            }
            return values.length - from;
        }

        private boolean isAtRest() {
            for (int i = first; i < look(); i++) {
                if (made.get(i) == null) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Makes the first section. */
    private FusedStages(int ahead) {
        capacity = ahead;
        isFirst = true;
        actors = 0;
        isOrdered = false;
    }

    /** Makes a section that begins with a stage. */
    private FusedStages(StageState stage) {
        capacity = stage.options.places();
        isFirst = false;
        actors = stage.function == null ? 0 : stage.options.parallelism();
        isOrdered = stage.options.ordered();
        stages.add(stage);
    }

    /** Returns the sections of a pipeline: a stage begins one if it has actors of its own, or if several are before it. */
    static List<FusedStages> of(List<StageState> stages, int ahead) {
        var sections = new ArrayList<FusedStages>();
        var last = new FusedStages(ahead);
        sections.add(last);
        for (var stage : stages) {
            if (stage.function != null && !stage.options.hasOwnActors() && !last.isParallel()
                    && !last.hasOwnBuilder()) { // the actors of such a section call no further stage
                last.stages.add(stage);
            } else {
                var begun = new FusedStages(stage);
                last.next = begun;
                last = begun;
                sections.add(last);
            }
        }
        return sections;
    }

    boolean hasOwnBuilder() {
        return !isFirst && stages.getFirst().options.hasOwnBuilder();
    }

    private boolean isParallel() {
        return actors > 1;
    }

    /** Tells whether a worker may begin a value of the last run, or of a new one. */
    boolean mayBegin() {
        return waitingInRun() > 0 || (!queue.isEmpty() && (next == null || next.room() > 0));
    }

    /** Tells whether an actor is idle that could begin a value if one came. */
    boolean lacksValues() {
        return !idle.isEmpty() && (next == null || next.room() > 0);
    }

    /** Lets a worker begin a value: returns false if it may not. */
    boolean begin(Worker self) {
        if (isFirst) {
            self.run = open(new Run(LONGEST_RUN));
            self.at(self.run.begin());
            return true;
        }
        while (mayBegin()) {
            var run = waitingInRun() > 0 ? runs.getLast() : open();
            var at = run.begin();
            run.look();
            if (at >= 0) {
                self.run = run;
                self.at(at);
                return true;
            }
        }
        return false;
    }

    /** Takes a run from the queue, for which there is room behind. Half of the places remain for those that come meanwhile. */
    private Run open() {
        var most = Math.min(Math.min(queue.size(), LONGEST_RUN), (capacity + 1) / 2);
        if (next != null) {
            // mutant: run-takes-more-than-there-is-room-for
            most = Math.min(most, next.room());
            next.reserved += most;
        }
        var values = new Object[most];
        Arrays.setAll(values, i -> queue.remove());
        return open(new Run(most, values));
    }

    private Run open(Run run) {
        runs.add(run);
        return run;
    }

    /** Passes on what is done; values that are done wait for earlier ones if several actors keep the order. */
    void settle(boolean isRunning) {
        for (var each = runs.iterator(); each.hasNext();) {
            var run = each.next();
            var seen = run.look();
            for (int i = run.first; i < seen; i++) {
                var made = run.made.get(i);
                if (made == null && keepsOrder()) {
                    return;
                } else if (made != null && made != Run.SETTLED) {
                    run.made.set(i, Run.SETTLED);
                    leave(made, isRunning);
                }
                if (made != null && i == run.first) {
                    run.first++;
                }
            }
            if (run.first == run.made.length()) {
                each.remove();
            }
        }
    }

    private void leave(Object made, boolean isRunning) {
        if (next != null || isFirst) {
            places().reserved--;
        }
        if (made == Run.LOST || made == Run.ABANDONED) {
            return; // it is counted
        }
        var goesOn = next == null || isRunning;
        if (!stages.isEmpty()) {
            stages.getLast().out += goesOn ? 1 : 0;
            stages.getLast().cancelled += goesOn ? 0 : 1;
        }
        if (next != null && goesOn) {
            next.add(made);
        }
    }

    /** Returns the section whose places are taken before this one begins a value. */
    FusedStages places() {
        return next == null ? this : next;
    }

    /** Tells whether values that are done wait for earlier ones. The last section keeps no order, since nothing follows it. */
    private boolean keepsOrder() {
        return next != null && (isOrdered || !isParallel());
    }

    private int waitingInRun() {
        return runs.isEmpty() ? 0 : runs.getLast().waiting();
    }

    int room() {
        return capacity - queue.size() - waitingInRun() - reserved;
    }

    void add(Object value) {
        queue.add(value);
        stages.getFirst().in++;
    }

    /** Gives up what waits. In the first section nothing does. */
    void giveUp() {
        if (!isFirst) {
            stages.getFirst().cancelled += queue.size() + runs.stream().mapToInt(Run::giveUp).sum();
            queue.clear();
        }
    }

    /** Tells whether a value has come and not left. */
    boolean hasValues() {
        return runs.stream().anyMatch(run -> run.waiting() > 0 || run.first < run.look())
                || (actors > 0 && !queue.isEmpty());
    }

    /** Tells whether no actor works on a value. Asked when no further one is begun. */
    boolean isAtRest() {
        return runs.stream().allMatch(Run::isAtRest);
    }

    // ---- The moves of the values. ----

    /** Moves a value from one stage to the next one. */
    void moveOn() {
        moves.lazySet(moves.get() + 1);
    }

    /** Moves a value into the first stage, unless that is counted where it comes from the queue. */
    void moveIn() {
        if (stages.size() > (isFirst ? 0 : 1)) {
            moveOn();
        }
    }

    /** A value does not go through: it has failed in the stage in which it is, or is given up there. */
    void lose(boolean isGivenUp) {
        int at = 0;
        var made = moves.get();
        if (made > 0) {
            at = (int) ((made - 1) % stages.size());
            for (int i = 0; i < stages.size(); i++) {
                stages.get(i).in = in(i, made);
                stages.get(i).out = out(i, made);
            }
            moves.set(0);
        }
        stages.get(at).cancelled += isGivenUp ? 1 : 0;
        stages.get(at).failed += isGivenUp ? 0 : 1;
    }

    /** Returns how many values have made more moves than this. */
    private long moved(int number, long made) {
        return made / stages.size() + (made % stages.size() > number ? 1 : 0);
    }

    private long in(int stage, long made) {
        // What has come to a queue is counted there.
        return stages.get(stage).in + (stage == 0 && !isFirst ? 0 : moved(stage, made));
    }

    private long out(int stage, long made) {
        return stages.get(stage).out + (stage + 1 == stages.size() ? 0 : moved(stage + 1, made));
    }

    /** Looks until no value has moved meanwhile: at the latest when the actor of the section needs the lock for a run. */
    void addProgress(List<StageProgress> all, boolean isRunning) {
        long made;
        do {
            made = moves.get();
            settle(isRunning);
        } while (moves.get() != made);
        for (int i = 0; i < stages.size(); i++) {
            var stage = stages.get(i);
            var waiting = i == 0 ? queue.size() + waitingInRun() : 0;
            var at = in(i, made) - out(i, made) - stage.failed - stage.cancelled - waiting;
            all.add(new StageProgress(stage.name, in(i, made), out(i, made), stage.failed, stage.cancelled,
                    waiting, (int) at));
        }
    }
}
