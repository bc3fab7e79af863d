package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One stage for which actors of its own work, or some stages whose functions one actor calls one after another for each value. The
 * first section is the source and the stages that the actor of the source calls.
 *
 * <p>Guarded by the lock of the pipeline, except for {@link #moves}: by these a value goes from stage to stage without the lock. A
 * value that goes through makes a move into each stage and one out of the last. So one number tells of all stages, at one moment,
 * how many values have come to them and left them.
 */
final class FusedStages {
    final List<StageState> stages = new ArrayList<>();
    final int capacity;
    private final boolean isFirst;
    /** How many actors take values from the queue. */
    final int actors;
    private final boolean isOrdered;
    /** Null for the last section. Set before the pipeline starts. */
    @Nullable FusedStages next;
    final ArrayDeque<Object> queue = new ArrayDeque<>();
    /** The values that were begun and have not left, in the order in which they came, if several actors keep it. */
    final ArrayDeque<Slot> started = new ArrayDeque<>();
    final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** Places in the queue for values that the section before works on. */
    int reserved;
    int running;
    int working;
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
        /** The value that it works on. */
        @Nullable Slot slot;
        /** What it has thrown last, to be reported. */
        @Nullable Throwable reported;

        Worker(FusedStages section, String pipeline) {
            this.section = section;
            this.pipeline = pipeline;
        }

        void works(StageState at, Object value) {
            stage.lazySet(at);
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

    /** A value that was begun, and what became of it. */
    static final class Slot {
        final Object value;
        @Nullable Object result;
        boolean isDone;
        boolean isGivenUp;
        /** Whether the actor has gone on without the thread that works on it. */
        boolean isAbandoned;

        Slot(Object value) {
            this.value = value;
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

    /** Returns the sections of a pipeline: a stage begins one if it has actors of its own, or if those before it are several. */
    static List<FusedStages> of(List<StageState> stages, int ahead) {
        var sections = new ArrayList<FusedStages>();
        var last = new FusedStages(ahead);
        sections.add(last);
        for (var stage : stages) {
            if (stage.function != null && !stage.options.hasOwnActors() && !last.isAlone()) {
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

    /** Tells whether no further stage may be called by the same actor: there are several, or it may be abandoned. */
    private boolean isAlone() {
        return !isFirst && (isParallel() || stages.getFirst().options.hasOwnBuilder());
    }

    private boolean isParallel() {
        return actors > 1;
    }

    /** Tells whether a worker may take a value. */
    boolean mayBegin() {
        // mutant: worker-begins-without-a-place-for-its-result
        return !queue.isEmpty() && (next == null || next.room() > 0);
    }

    /** Tells whether values that are done wait for earlier ones. The last section keeps no order, since nothing follows it. */
    boolean keepsOrder() {
        return isParallel() && isOrdered && next != null;
    }

    int room() {
        return capacity - queue.size() - reserved;
    }

    void add(Object value) {
        queue.add(value);
        stages.getFirst().in++;
    }

    void giveUp() {
        if (!queue.isEmpty()) {
            stages.getFirst().cancelled += queue.size();
            queue.clear();
        }
    }

    // ---- The moves of the values. ----

    /** Moves a value on: other threads that look afterwards see it, and this one sees what they have written before they looked. */
    void move() {
        moves.set(moves.get() + 1);
    }

    /** Moves a value from one stage to the next one, which nobody waits for. */
    void moveOn() {
        moves.lazySet(moves.get() + 1);
    }

    /** A worker begins with a value. If there are several actors it makes no moves. */
    void begin() {
        if (!isParallel()) {
            moveOn();
        }
    }

    /** Takes back the first move of a value. */
    void moveBack() {
        moves.set(moves.get() - 1);
    }

    /** Tells whether a value is in one of the stages. */
    boolean isMoving() {
        return moves.get() % (stages.size() + 1) != 0;
    }

    /** A value has gone through. If there are several actors it has made no moves. */
    void leave() {
        if (isParallel()) {
            stages.getLast().out++;
        } else {
            move();
        }
    }

    /** A value does not go through: it has failed in the stage in which it is, or is given up there. */
    void lose(boolean isGivenUp) {
        int at = 0;
        var made = moves.get();
        if (made > 0) {
            at = place(made) - 1;
            for (int i = 0; i < stages.size(); i++) {
                var stage = stages.get(i);
                var in = in(i, made);
                stage.out = out(i, made);
                stage.in = in;
            }
            moves.set(0);
        }
        if (isGivenUp) {
            stages.get(at).cancelled++;
        } else {
            stages.get(at).failed++;
        }
    }

    /** Returns zero, or the number of the stage, from one on, in which a value is. */
    private int place(long made) {
        return (int) (made % (stages.size() + 1));
    }

    private long in(int stage, long made) {
        var before = stages.get(stage).in;
        // What has come to a queue is counted there.
        return stage == 0 && !isFirst ? before
                : before + made / (stages.size() + 1) + (place(made) > stage ? 1 : 0);
    }

    private long out(int stage, long made) {
        return stages.get(stage).out + made / (stages.size() + 1) + (place(made) > stage + 1 ? 1 : 0);
    }

    void addProgress(List<StageProgress> all) {
        var made = moves.get();
        for (int i = 0; i < stages.size(); i++) {
            var stage = stages.get(i);
            var isAt = isParallel() ? working : place(made) == i + 1 ? 1 : 0;
            all.add(new StageProgress(stage.name, in(i, made), out(i, made), stage.failed, stage.cancelled,
                    i == 0 ? queue.size() : 0, isAt));
        }
    }
}
