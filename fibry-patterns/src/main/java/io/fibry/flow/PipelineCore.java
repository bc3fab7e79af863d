package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.event.Undelivered;
import io.fibry.flow.FusedStages.Run;
import io.fibry.flow.FusedStages.Worker;
import io.fibry.flow.PipelineProgress.State;
import io.fibry.flow.StageOptions.OnFailure;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that runs. Its state is guarded by one lock, under which no code of the program runs and no message is
 * sent. So each value is, at any moment, in one place: in front of a {@link FusedStages}, in a stage, or at its fate.
 *
 * <p>Workers take values in {@linkplain FusedStages.Run runs}, and take the lock once for each. A worker begins a run if values
 * wait and there is room in front of the next section, which it reserves; otherwise it becomes idle. A change that makes room,
 * or adds a value, wakes one idle worker of the section that may now begin; a worker that begins a run wakes the next one, if
 * there is more to do. Idleness and these conditions change under the lock, so no worker stays idle while a run could begin.
 *
 * <p>The actor of the source calls the stages of the first section. The pipeline does not end while a value is in them,
 * and no value comes in after it has ended: the actor begins a value of its run and then reads {@link #wantsValues}; a
 * thread that ends the pipeline, or its source, writes that and then looks at the run. Both are volatile, so the actor
 * takes its value back, or that thread sees it. Then the actor, which reads {@code wantsValues} again when the value
 * has left, takes the lock and looks for the end itself.
 *
 * <p>The class is long because the source, the stages, failures and the end of a pipeline change one state together:
 * apart, each of them would have to know the fields of the others and the order of their steps under the lock.
 */
final class PipelineCore<R> implements PipelineRun<R> {
    /**
     * How many values a worker takes for one message, and how long it goes on with that. The source is asked for as
     * many, if nothing else limits it.
     */
    private static final int BUDGET = 64;
    private static final long TURN = 1_000_000;
    /**
     * How many values an actor that is quick takes between two looks at the clock. Others look before each value, since
     * the limits of a handler count for a message: a slow value is to be the last one of its message.
     */
    private static final int LOOK = 8;

    private final String name;
    private final ActorScope scope;
    private final PipelineSource source;
    private final List<FusedStages> sections;
    private final FusedStages first;
    private final LongFunction<? extends R> finisher;
    private final Runnable wakeOutlet;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final Actor<Object, Void> keeper;
    private final ReentrantLock lock = new ReentrantLock();
    /** Set by the thread that closes the source. */
    private final AtomicBoolean isSourceClosed = new AtomicBoolean();

    /** Counts the places that are left for the source: those in front of the second section, if there is one. */
    private final FusedStages places;
    /** The actor of the source as the worker of the first section. */
    private final Worker reader;

    /** Written under the lock: whether the pipeline runs, and values may come in. */
    private volatile boolean wantsValues = true;

    // Guarded by the lock: written under it.
    private volatile State state = State.RUNNING;
    private @Nullable Throwable failure;
    private boolean isStarted;
    private boolean sourceEnded;
    private boolean finishing;
    private boolean outletArmed;

    /** What is to be done without the lock. */
    private static final class After {
        @Nullable List<Worker> wakes;
        int ask;
        boolean outlet;
        boolean finish;

        void wake(Worker worker) {
            if (wakes == null) {
                wakes = new ArrayList<>(2);
            }
            wakes.add(worker);
        }
    }

    /** @param wakeOutlet is called if there is something new for the subscriber */
    private PipelineCore(String name, ActorScope scope, PipelineSource source, List<StageState> stages,
            LongFunction<? extends R> finisher, Runnable wakeOutlet) {
        this.name = name;
        this.scope = scope;
        this.source = source;
        this.sections = FusedStages.of(stages, 2 * BUDGET);
        this.first = sections.getFirst();
        this.places = first.places();
        this.reader = new Worker(first, name);
        this.finisher = finisher;
        this.wakeOutlet = wakeOutlet;
        this.keeper = scope.anonymous().strategy(Marks.threads()).stopPhase(-1).onExit(this::cut)
                .newActor((Object none) -> {
                });
        scope.closeOnExit(this::complete);
    }

    /** Starts a pipeline. A source that can be read only once is not used if the scope is closed. */
    static <R> PipelineCore<R> start(String name, ActorScope parent, Supplier<PipelineSource> sources,
            List<StageState> stages, LongFunction<? extends R> finisher, Runnable wakeOutlet) {
        var scope =
                Objects.requireNonNull(parent, "scope").child(Objects.requireNonNull(name, "name"))
                        .withoutDefaults().open();
        PipelineSource source = null;
        PipelineCore<R> pipeline = null;
        try {
            source = sources.get();
            pipeline = new PipelineCore<R>(name, scope, source, stages, finisher, wakeOutlet);
            pipeline.open();
            return pipeline;
        } catch (Throwable failure) {
            try {
                if (pipeline != null) {
                    pipeline.failIfRunning(failure);
                    pipeline.closeSource();
                } else if (source != null) {
                    source.close();
                }
            } catch (Throwable next) {
                Failures.add(failure, next);
            }
            scope.stop(Duration.ZERO);
            throw failure;
        }
    }

    private void open() {
        var names = new HashSet<String>();
        var actor = unique("source", names);
        sections.forEach(section -> hire(section, names));
        source.start(this, scope, actor);
        change(after -> isStarted = true);
    }

    /** Returns a name for an actor; stages may have the same name, or that of another actor. */
    private static String unique(String wanted, Set<String> names) {
        var name = wanted;
        for (int i = 2; !names.add(name); i++) {
            name = wanted + "-" + i;
        }
        return name;
    }

    private void hire(FusedStages section, Set<String> names) {
        for (int i = 1; i <= section.actors; i++) {
            var stage = section.stages.getFirst();
            var actor = unique(section.actors == 1 ? stage.name : stage.name + "-" + i, names);
            var worker = new Worker(section, name);
            worker.actor = stage.options.actors().apply(scope.named(actor)).mailbox(MailboxPolicy.unbounded())
                    .onExit(() -> failIfRunning(Production.stopped(name)))
                    .newActor(Handler.shownAs(Objects.requireNonNull(stage.function),
                            (Object go) -> work(worker)));
            change(after -> section.idle.add(worker));
        }
    }

    // ---- Changes. ----

    /** Makes a step under the lock, and what follows from it. */
    private void change(Consumer<After> step) {
        var after = new After();
        lock.lock();
        try {
            step.accept(after);
            look(after);
        } finally {
            lock.unlock();
        }
        follow(after);
    }

    private void follow(After after) {
        if (after.wakes != null) {
            after.wakes.forEach(this::wake);
        }
        if (after.ask > 0) {
            ask(after.ask);
        }
        if (after.outlet) {
            wakeOutlet.run();
        }
        var mine = keeper; // null if it has ended before the constructor knows it
        if (after.finish && mine != null) {
            mine.askExit();
        }
    }

    /** Asks the source for values, for which places are reserved. */
    void ask(int values) {
        try {
            if (!source.ask(values) && wantsValues) {
                failIfRunning(new ActorException(
                        "pipeline '" + name + "' could not ask its source for values: its actor "
                                + "has stopped, or a limit of its scope was reached"));
            }
        } catch (Throwable thrown) {
            failIfRunning(thrown);
        }
    }

    private void wake(Worker worker) {
        var unused = Objects.requireNonNull(worker.actor).sendTracked(worker)
                .thenAccept(fate -> met(worker, fate));
    }

    /** Looks which sections may begin, whether the source is to be asked, and whether the pipeline is at its end. */
    private void look(After after) {
        wantsValues = state == State.RUNNING && !sourceEnded;
        assert Marks.here();
        settleAll();
        if (state == State.RUNNING) {
            if (sourceEnded && isEmpty()) {
                state = failure == null ? State.COMPLETED : State.FAILED;
            } else {
                for (int i = 1; i < sections.size(); i++) {
                    var section = sections.get(i);
                    if (!section.idle.isEmpty() && section.mayBegin()) {
                        after.wake(section.idle.remove());
                    }
                }
                askSource(after);
            }
        }
        if (state != State.RUNNING && !finishing && isAtRest()) {
            finishing = true;
            after.finish = true;
        }
        if (outletArmed && (!sections.getLast().queue.isEmpty() || state != State.RUNNING)) {
            outletArmed = false;
            after.outlet = true;
        }
        if (markHungry()) {
            look(after); // what was settled has made room, and a neighbour may not have seen who is hungry now
        }
    }

    /** Passes on what is done, when it is known who wants that at once. */
    private void settleAll() {
        // mutant: results-are-settled-before-hunger-is-known
        markHungry();
        assert Marks.here();
        sections.forEach(section -> section.settle(state == State.RUNNING));
    }

    /** Returns whether a section has become hungry. */
    private boolean markHungry() {
        var isNew = false;
        for (var section : sections) {
            var isHungry = section.actors == 0 ? outletArmed : section.lacksValues();
            if (section.isHungry != isHungry) {
                section.isHungry = isHungry;
                isNew |= isHungry;
            }
        }
        return isNew;
    }

    /** Asks for as many values as there are places, if these are at least half of all. */
    private void askSource(After after) {
        var free = places.room();
        if (isStarted && !sourceEnded && free > 0 && free >= places.capacity - free) {
            places.reserved += free;
            after.ask += free;
        }
    }

    /** Tells whether all values have gone through the stages. Those that wait for a subscriber do not count. */
    private boolean isEmpty() {
        // mutant: pipeline-ends-while-a-value-is-in-its-first-stages
        return sections.stream().noneMatch(FusedStages::hasValues);
    }

    private boolean isAtRest() {
        return sections.stream().allMatch(FusedStages::isAtRest);
    }

    // ---- The source. ----

    /** Tells whether values are wanted. */
    boolean wantsValues() {
        return wantsValues;
    }

    String name() {
        return name;
    }

    /** Returns what the actor of the source does, for reports. */
    Worker reader() {
        return reader;
    }

    /** Returns the code that the actor of the source calls, for reports: that of a stage, or else the source. */
    Object code(Object values) {
        return first.stages.isEmpty() ? values : Objects.requireNonNull(first.stages.getFirst().function);
    }

    /** Takes a value of the source, inside its actor. Throws what is to be reported as a failure of this actor. */
    void offer(Object value) throws Exception {
        if (!begin(reader)) {
            return; // The pipeline has ended since the source was asked.
        }
        var run = Objects.requireNonNull(reader.run);
        var at = reader.at();
        // mutant: value-comes-in-after-the-end
        if (!wantsValues) {
            // mutant: value-that-goes-back-does-not-look-for-the-end
            change(after -> run.lose(at, false));
            return;
        }
        first.moveIn();
        var made = call(reader, run, at, value);
        if (made != null) {
            finish(reader, run, at, made);
        }
    }

    /** Ends the source; null if it has not failed. */
    void endSource(@Nullable Throwable thrown) {
        change(after -> {
            if (sourceEnded || state != State.RUNNING) {
                addFailure(thrown);
                return;
            }
            sourceEnded = true;
            if (thrown != null) {
                end(State.FAILED, thrown);
            }
        });
    }

    /**
     * Passes a call of the source on to its actor. If that is refused because the scope is being closed, nothing has
     * come in, and the end of the scope ends the pipeline.
     */
    <M> void takeIn(Actor<M, Void> actor, M step) {
        if (wantsValues()) {
            var unused = actor.sendTracked(step).thenAccept(fate -> {
                var why = whyNot(fate);
                if (why != null && !(why instanceof ActorStoppedException)) {
                    failIfRunning(why);
                }
            });
        }
    }

    private @Nullable Throwable whyNot(MessageFate fate) {
        return switch (fate) {
            case MessageFate.Refused refused -> whyNot(refused.cause(), refused.why());
            case MessageFate.Undelivered undelivered -> whyNot(undelivered.cause(), undelivered.why());
            case MessageFate.Dropped dropped -> whyNot(dropped.cause(), dropped.why());
            case MessageFate.Expired expired -> Production.stopped(name);
            case MessageFate.Failed failed -> null;
            case MessageFate.Handled handled -> null;
        };
    }

    private Throwable whyNot(Undelivered.Cause cause, ActorException why) {
        return switch (cause) {
            case STOPPED, STOPPED_BEFORE_TURN, CLOSING -> Production.stopped(name);
            default -> why;
        };
    }

    /**
     * Runs when the keeper ends: the pipeline is over, or the stop of its scope has begun. Then no value comes in any more, and
     * those that are in go through.
     */
    private void cut() throws Exception {
        var isOver = new boolean[1];
        change(after -> {
            isOver[0] = finishing;
            if (!sourceEnded && state == State.RUNNING) {
                sourceEnded = true;
                failure = Production.stopped(name);
            }
        });
        try {
            closeSource();
        } finally {
            if (isOver[0]) {
                scope.close();
            }
        }
    }

    private void closeSource() throws Exception {
        if (isSourceClosed.compareAndSet(false, true)) {
            source.close();
        }
    }

    // ---- Stages. ----

    long now() {
        return scope.time().nanoTime();
    }

    /** Tells whether a turn that began at this time has taken long enough: others may wait for its thread. */
    boolean isTurnOver(long start) {
        return now() - start >= TURN;
    }

    /** Tells whether an actor that began a message at this time ends it, by the clock, before it takes one value more. */
    boolean isOver(Worker self, int taken, long start) {
        return (taken % LOOK == 0 || !self.isQuick) && taken > 0 && isTurnOver(start);
    }

    /** Notes whether an actor was quick with a message of many values. With its own builder, limits count for each value. */
    void ended(Worker self, int taken, long start) {
        self.isQuick = taken >= LOOK && !isTurnOver(start) && !self.section.hasOwnBuilder();
    }

    private void work(Worker self) throws Exception {
        var start = now();
        int i = 0;
        for (; i < BUDGET && !isOver(self, i, start); i++) {
            if (!begin(self)) {
                ended(self, i, start);
                return;
            }
            var run = Objects.requireNonNull(self.run);
            var at = self.at();
            self.section.moveIn();
            var made = call(self, run, at, run.value(at));
            if (made != null) {
                finish(self, run, at, made);
            }
            if (run.isAbandoned(at)) {
                return; // The actor has gone on without this thread.
            }
        }
        ended(self, i, start);
        wake(self);
    }

    /** Begins with the next value, of the same run if that has one; returns false if the worker becomes idle. */
    private boolean begin(Worker self) {
        var run = self.run;
        self.at(run == null ? -1 : run.begin());
        assert Marks.here();
        if (self.at() < 0) {
            change(after -> {
                settleAll(); // what the worker has made may leave no room for more
                if (state != State.RUNNING || !self.section.begin(self)) {
                    // mutant: worker-without-a-value-is-not-listed
                    self.section.idle.add(self);
                    self.rests();
                }
            });
        }
        return self.at() >= 0;
    }

    private void finish(Worker self, Run run, int at, Object made) {
        var next = self.section.next;
        if (run.finish(at, made)) {
            self.at(-1);
            assert Marks.here();
            // mutant: value-of-a-worker-is-not-passed-on
            var isWanted = next != null && next.isHungry;
            // mutant: source-does-not-look-for-the-end
            var isLast = self == reader && (run.endsWith(at) || !wantsValues);
            if (isWanted || isLast) {
                change(after -> {
                });
            }
        }
    }

    /**
     * Calls the functions of a section for a value. Returns what the last one has made, or null if the value has met
     * its fate before. Throws what is to be reported.
     *
     * @param at the number of the value in the run
     */
    private @Nullable Object call(Worker self, Run run, int at, Object value) throws Exception {
        var section = self.section;
        var made = value;
        for (int i = 0; i < section.stages.size(); i++) {
            if (i > 0) {
                if (state != State.RUNNING) {
                    change(after -> {
                        run.lose(at, false);
                        lose(self, true);
                    });
                    return null;
                }
                section.moveOn();
            }
            var stage = section.stages.get(i);
            self.works(stage, made);
            try {
                made = Objects.requireNonNull(stage.function).handle(made);
                if (made == null) {
                    throw new NullPointerException("stage '" + stage.name + "' of pipeline '" + name
                            + "' has returned null for a value");
                }
            } catch (Throwable thrown) {
                if (fail(self, run, at, stage, thrown, false)) {
                    throw thrown;
                }
                return null;
            }
        }
        return made;
    }

    /** Handles what a function has thrown. Returns whether this is to be reported as a failure of the actor. */
    private boolean fail(Worker self, Run run, int at, StageState stage, Throwable thrown,
            boolean isAbandoned) {
        var isReported = new boolean[1];
        change(after -> {
            if (!run.lose(at, isAbandoned)) {
                return;
            }
            var isGivenUp = state != State.RUNNING;
            if (state == State.CANCELLED) {
                isReported[0] = !Failures.isByInterrupt(thrown);
            } else if (isGivenUp) {
                addFailure(thrown);
            } else if (stage.options.onFailure() == OnFailure.STOP) {
                end(State.FAILED,
                        scope.isClosing() && Failures.isByInterrupt(thrown) ? stoppedBy(thrown) : thrown);
            } else {
                isReported[0] = true;
            }
            self.reported = isReported[0] ? thrown : null;
            lose(self, isGivenUp);
            if (isReported[0] && self != reader) {
                after.wake(self);
            }
        });
        return isReported[0];
    }

    /** Counts a value that does not go on. */
    private static void lose(Worker self, boolean isGivenUp) {
        self.at(-1);
        self.section.lose(isGivenUp);
    }

    /** Returns why a value has failed whose function was interrupted because the scope has waited long enough for it. */
    private Throwable stoppedBy(Throwable interrupt) {
        var stopped = Production.stopped(name);
        stopped.addSuppressed(interrupt);
        return stopped;
    }

    /**
     * Follows a message to a worker. It fails without the function's having thrown if the function was abandoned, or if the
     * actor could not start.
     */
    private void met(Worker worker, MessageFate fate) {
        var why = whyNot(fate);
        if (why != null) {
            failIfRunning(why);
        } else if (fate instanceof MessageFate.Failed(Throwable thrown)) {
            boolean isKnown;
            Run run;
            lock.lock();
            try {
                isKnown = worker.reported == thrown;
                run = worker.run;
            } finally {
                lock.unlock();
            }
            var at = worker.at();
            if (isKnown) {
                return;
            }
            if (at < 0 || run == null) {
                failIfRunning(thrown);
            } else {
                fail(worker, run, at, worker.section.stages.getFirst(), thrown, true);
            }
        }
    }

    // ---- The subscriber, if there is one: it takes the values in front of the last stage, which has no workers. ----

    /** Returns the values for a subscriber. */
    Supply<Object> outlet() {
        return new Supply<>() {
            private final FusedStages last = sections.getLast();

            @Override
            public @Nullable Object poll() {
                var taken = new Object[1];
                change(after -> {
                    settleAll();
                    var value = last.queue.poll();
                    if (value != null) {
                        last.stages.getFirst().out++;
                        taken[0] = value;
                    }
                });
                return taken[0];
            }

            @Override
            public Look look() {
                lock.lock();
                try {
                    return new Look(!last.queue.isEmpty(), state != State.RUNNING, failure);
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public boolean arm() {
                lock.lock();
                try {
                    outletArmed = true;
                    settleAll();
                    outletArmed = last.queue.isEmpty() && state == State.RUNNING;
                    return outletArmed;
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public void fail(Throwable thrown) {
                failIfRunning(thrown);
            }

            @Override
            public void cancel() {
                PipelineCore.this.cancel();
                change(after -> last.giveUp());
            }
        };
    }

    // ---- The end. ----

    /** Begins the end, under the lock. */
    private void end(State how, Throwable why) {
        if (state != State.RUNNING) {
            return;
        }
        settleAll(); // what was made before is not lost
        state = how;
        failure = why;
        for (var section : sections) {
            if (section.actors > 0 || how == State.CANCELLED) {
                section.giveUp();
            }
        }
    }

    /** Keeps a failure that came after the end in the one that the result has, under the lock. */
    private void addFailure(@Nullable Throwable thrown) {
        if (thrown != null && failure != null) {
            Failures.add(failure, thrown);
        }
    }

    void failIfRunning(Throwable why) {
        change(after -> end(State.FAILED, why));
    }

    /** Runs when the actors have stopped. */
    private void complete() {
        failIfRunning(Production.stopped(name)); // from here on neither the state nor the failure changes
        if (state != State.COMPLETED) {
            result.completeExceptionally(Objects.requireNonNull(failure));
            return;
        }
        try {
            result.complete(finisher.apply(progress().stages().getLast().out()));
        } catch (Throwable thrown) {
            result.completeExceptionally(thrown);
        }
    }

    @Override
    public CompletableFuture<R> result() {
        return result.copy();
    }

    @Override
    public PipelineProgress progress() {
        lock.lock();
        try {
            var stages = new ArrayList<StageProgress>();
            sections.forEach(section -> section.addProgress(stages, state == State.RUNNING));
            return new PipelineProgress(state, stages);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel() {
        change(after -> end(State.CANCELLED,
                new CancellationException("pipeline '" + name + "' was cancelled")));
    }

    @Override
    public StopReport stop(Duration deadline) {
        DeadlineCheck.check(deadline);
        cancel();
        return scope.stop(deadline);
    }

    @Override
    public void close() {
        cancel();
        scope.close();
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public String toString() {
        return "pipeline '" + name + "'";
    }
}
