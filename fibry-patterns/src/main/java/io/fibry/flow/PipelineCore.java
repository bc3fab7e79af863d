package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.event.Undelivered;
import io.fibry.flow.PipelineProgress.State;
import io.fibry.flow.StageOptions.OnFailure;
import io.fibry.flow.StageState.Slot;
import io.fibry.flow.StageState.Worker;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that runs. Its state is guarded by one lock, under which no code of the program runs and no message is sent. So each
 * value is, at any moment, in one place: in front of a stage, in a stage, or at its fate.
 *
 * <p>A worker takes a value if one waits and there is room in front of the next stage, which it reserves; otherwise it becomes
 * idle. A change that makes room, or adds a value, wakes one idle worker of the stage that may now begin; a worker that begins
 * wakes the next one, if there is more to do. Idleness and these conditions change under the lock, so no worker stays
 * idle while it could begin.
 *
 * <p>The class is long because the source, the stages, failures and the end of a pipeline change one state together: apart, each of
 * them would have to know the fields of the others and the order of their steps under the lock.
 */
final class PipelineCore<R> implements PipelineRun<R> {
    /** How many values a worker takes for one message, and how long it goes on with that: others may wait for its thread. */
    private static final int BUDGET = 64;
    private static final long TURN = 1_000_000;

    private final String name;
    private final ActorScope scope;
    private final PipelineSource source;
    private final List<StageState> stages;
    private final Supplier<? extends R> finisher;
    private final Runnable wakeOutlet;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final Actor<Object, Void> keeper;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private State state = State.RUNNING;
    private @Nullable Throwable failure;
    private boolean isStarted;
    private boolean sourceEnded;
    private boolean sourceClosed;
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

    /** What a worker does after its function has thrown. */
    private enum Then {
        /** It takes the next value. */
        GO_ON,
        /** It throws the exception, which is reported as a failure of its actor. */
        REPORT,
        /** Nothing more: its actor has gone on without it. */
        LEAVE
    }

    /** @param wakeOutlet is called if there is something new for the subscriber */
    private PipelineCore(String name, ActorScope scope, PipelineSource source, List<StageState> stages,
            Supplier<? extends R> finisher, Runnable wakeOutlet) {
        this.name = name;
        this.scope = scope;
        this.source = source;
        this.stages = stages;
        this.finisher = finisher;
        this.wakeOutlet = wakeOutlet;
        for (int i = 1; i < stages.size(); i++) {
            stages.get(i - 1).next = stages.get(i);
        }
        this.keeper = scope.anonymous().strategy(CreationStrategy.fibers()).stopPhase(-1).onExit(this::cut)
                .newActor((Object none) -> {
                });
        scope.closeOnExit(this::complete);
    }

    /** Starts a pipeline. A source that can be read only once is not used if the scope is closed. */
    static <R> PipelineCore<R> start(String name, ActorScope parent, Supplier<PipelineSource> sources,
            List<StageState> stages, Supplier<? extends R> finisher, Runnable wakeOutlet) {
        var scope =
                Objects.requireNonNull(parent, "scope").child(Objects.requireNonNull(name, "name"))
                        .withoutInterceptors().open();
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
        var first = unique("source", names);
        stages.forEach(stage -> hire(stage, names));
        source.start(this, scope, first);
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

    private void hire(StageState stage, Set<String> names) {
        if (stage.function == null) {
            return;
        }
        var options = stage.options;
        for (int i = 1; i <= options.parallelism(); i++) {
            var actor = unique(options.parallelism() == 1 ? stage.name : stage.name + "-" + i, names);
            var worker = new Worker(stage, name);
            worker.actor = options.actors().apply(scope.named(actor)).mailbox(MailboxPolicy.unbounded())
                    .onExit(() -> failIfRunning(Production.stopped(name)))
                    .newActor(Handler.shownAs(stage.function, (Object go) -> work(worker)));
            lock.lock();
            try {
                stage.idle.add(worker);
            } finally {
                lock.unlock();
            }
        }
    }

    // ---- Changes. ----

    /** A step under the lock. */
    @FunctionalInterface
    private interface Step {
        void run(After after);
    }

    private void change(Step step) {
        var after = new After();
        lock.lock();
        try {
            step.run(after);
            look(after);
        } finally {
            lock.unlock();
        }
        if (after.wakes != null) {
            after.wakes.forEach(this::wake);
        }
        if (after.ask > 0) {
            ask(after.ask);
        }
        if (after.outlet) {
            wakeOutlet.run();
        }
        if (after.finish) {
            keeper.askExit();
        }
    }

    private void ask(int values) {
        try {
            if (!source.ask(values)) {
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

    /** Looks which stages may begin, whether the source is to be asked, and whether the pipeline is at its end. */
    private void look(After after) {
        if (state == State.RUNNING) {
            if (sourceEnded && isEmpty()) {
                state = failure == null ? State.COMPLETED : State.FAILED;
            } else {
                for (var stage : stages) {
                    if (!stage.idle.isEmpty() && stage.mayBegin()) {
                        after.wake(stage.idle.remove());
                    }
                }
                askSource(after);
            }
        }
        if (state != State.RUNNING && !finishing && stages.stream().allMatch(stage -> stage.running == 0)) {
            finishing = true;
            after.finish = true;
        }
        var outlet = stages.getLast();
        if (outletArmed && (!outlet.queue.isEmpty() || state != State.RUNNING)) {
            outletArmed = false;
            after.outlet = true;
        }
    }

    /** Asks for as many values as there are places, if these are at least half of all. */
    private void askSource(After after) {
        var first = stages.getFirst();
        var free = first.room();
        if (isStarted && !sourceEnded && free > 0 && free >= first.options.capacity() - free) {
            first.reserved += free;
            after.ask = free;
        }
    }

    /** Tells whether all values have gone through the stages. Those that wait for a subscriber do not count. */
    private boolean isEmpty() {
        for (var stage : stages) {
            if (stage.working > 0 || (stage.function != null && !stage.queue.isEmpty())) {
                return false;
            }
        }
        return true;
    }

    // ---- The source. ----

    /** Tells whether values are wanted. */
    boolean wantsValues() {
        lock.lock();
        try {
            return state == State.RUNNING && !sourceEnded;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a value of the source. */
    void offer(Object value) {
        change(after -> {
            var first = stages.getFirst();
            if (state != State.RUNNING || sourceEnded) {
                return;
            }
            if (first.reserved == 0) {
                end(State.FAILED, new IllegalStateException("a publisher has sent pipeline '" + name
                        + "' a value that was not requested (rule 1.1 of Reactive Streams)"));
                return;
            }
            first.reserved--;
            first.add(value);
        });
    }

    /** Ends the source; null if it has not failed. */
    void endSource(@Nullable Throwable thrown) {
        change(after -> {
            if (sourceEnded || state != State.RUNNING) {
                addFailure(thrown);
                return;
            }
            sourceEnded = true;
            stages.getFirst().reserved = 0;
            if (thrown != null) {
                end(State.FAILED, thrown);
            }
        });
    }

    /**
     * Gives what a source has called to the actor of the source. If that is refused because the scope is being closed, nothing
     * has come in, and the end of the scope ends the pipeline.
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
                stages.getFirst().reserved = 0;
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
        lock.lock();
        try {
            if (sourceClosed) {
                return;
            }
            sourceClosed = true;
        } finally {
            lock.unlock();
        }
        source.close();
    }

    // ---- Stages. ----

    private void work(Worker self) throws Exception {
        var stage = self.stage;
        var start = scope.time().nanoTime();
        for (int i = 0; i < BUDGET && (i == 0 || scope.time().nanoTime() - start < TURN); i++) {
            var slot = begin(stage, self);
            if (slot == null) {
                self.works("no value");
                return;
            }
            Object made;
            self.works(slot.value);
            try {
                made = Objects.requireNonNull(Objects.requireNonNull(stage.function).handle(slot.value),
                        () -> "stage '" + stage.name + "' of pipeline '" + name
                                + "' has returned null for a value");
            } catch (Throwable thrown) {
                var then = fail(stage, slot, thrown, self);
                if (then == Then.REPORT) {
                    throw thrown;
                }
                if (then == Then.LEAVE) {
                    return;
                }
                continue;
            }
            if (!leave(stage, slot, made, self)) {
                return;
            }
        }
        wake(self);
    }

    private @Nullable Slot begin(StageState stage, Worker self) {
        var begun = new Slot[1];
        change(after -> {
            if (state != State.RUNNING || !stage.mayBegin()) {
                stage.idle.add(self);
                return;
            }
            var slot = new Slot(stage.queue.remove());
            begun[0] = slot;
            self.slot = slot;
            stage.working++;
            stage.running++;
            if (stage.keepsOrder()) {
                stage.started.add(slot);
            }
            if (stage.next != null) {
                stage.next.reserved++;
            }
        });
        return begun[0];
    }

    /** Takes what a function has made. Returns false if its actor has gone on without it. */
    private boolean leave(StageState stage, Slot slot, Object made, Worker self) {
        var isInTime = new boolean[1];
        change(after -> {
            if (slot.isDone) {
                return;
            }
            isInTime[0] = true;
            self.slot = null;
            stage.running--;
            slot.result = made;
            slot.isDone = true;
            pass(stage, slot);
        });
        return isInTime[0];
    }

    /** Handles what a function has thrown, and returns what its worker does next. */
    private Then fail(StageState stage, Slot slot, Throwable thrown, Worker self) {
        var then = new Then[]{Then.GO_ON};
        change(after -> {
            if (slot.isDone) {
                then[0] = Then.LEAVE;
                return;
            }
            self.slot = null;
            stage.running--;
            slot.isDone = true;
            if (state == State.CANCELLED) {
                slot.isGivenUp = true;
                then[0] = Failures.isByInterrupt(thrown) ? Then.GO_ON : Then.REPORT;
            } else if (state != State.RUNNING) {
                slot.isGivenUp = true;
                addFailure(thrown);
            } else if (stage.options.onFailure() == OnFailure.STOP) {
                end(State.FAILED, isByStop(thrown) ? stoppedBy(thrown) : thrown);
            } else {
                then[0] = Then.REPORT;
                after.wake(self);
            }
            self.reported = then[0] == Then.REPORT ? thrown : null;
            pass(stage, slot);
        });
        return then[0];
    }

    /** Tells whether a function was interrupted because the scope has waited long enough for it. */
    private boolean isByStop(Throwable thrown) {
        return scope.isClosing() && Failures.isByInterrupt(thrown);
    }

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
            Slot slot;
            lock.lock();
            try {
                isKnown = worker.reported == thrown;
                slot = worker.slot;
            } finally {
                lock.unlock();
            }
            if (isKnown) {
                return;
            }
            if (slot == null) {
                failIfRunning(thrown);
            } else {
                fail(worker.stage, slot, thrown, worker);
            }
        }
    }

    /** Passes on what is done: this value, or, if the stage keeps the order, all values that no earlier one holds back. */
    private void pass(StageState stage, Slot slot) {
        if (!stage.keepsOrder()) {
            settle(stage, slot);
            return;
        }
        for (var first = stage.started.peek(); first != null && first.isDone; first = stage.started.peek()) {
            stage.started.remove();
            settle(stage, first);
        }
    }

    private void settle(StageState stage, Slot slot) {
        stage.working--;
        var next = stage.next;
        if (next != null) {
            next.reserved--;
        }
        if (slot.result == null) {
            if (slot.isGivenUp) {
                stage.cancelled++;
            } else {
                stage.failed++;
            }
        } else if (next == null) {
            stage.out++;
        } else if (state == State.RUNNING) {
            stage.out++;
            next.add(slot.result);
        } else {
            stage.cancelled++;
        }
    }

    // ---- The subscriber, if there is one: it takes the values in front of the last stage, which has no workers. ----

    /** Returns the values for a subscriber. */
    Supply<Object> outlet() {
        return new Supply<>() {
            private final StageState last = stages.getLast();

            @Override
            public @Nullable Object poll() {
                var taken = new Object[1];
                change(after -> {
                    var value = last.queue.poll();
                    if (value != null) {
                        last.out++;
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
                    outletArmed = last.queue.isEmpty() && state == State.RUNNING;
                    return outletArmed;
                } finally {
                    lock.unlock();
                }
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
        state = how;
        failure = why;
        for (var stage : stages) {
            if (stage.function != null || how == State.CANCELLED) {
                stage.giveUp();
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
        failIfRunning(Production.stopped(name));
        State how;
        Throwable why;
        lock.lock();
        try {
            how = state;
            why = failure;
        } finally {
            lock.unlock();
        }
        if (how != State.COMPLETED) {
            result.completeExceptionally(Objects.requireNonNull(why));
            return;
        }
        try {
            result.complete(finisher.get());
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
            return new PipelineProgress(state, stages.stream().map(StageState::progress).toList());
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
