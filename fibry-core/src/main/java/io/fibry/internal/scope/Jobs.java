package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.MailboxFullException;
import io.fibry.ReceivingContext;
import io.fibry.event.Failed;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.Recurring;
import io.fibry.internal.context.Carried;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.receive.BodyNode;
import io.fibry.internal.run.Strategies;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that are scheduled in a scope. A thread that schedules a job first lists it and then checks whether the
 * scope is closing. A thread that closes the scope first sets the stage of the scope and then ends the jobs in the
 * list. So a job that comes too late is seen by one of the two.
 */
public final class Jobs {
    private final Scope scope;
    private final JobList jobs = new JobList();
    private final JobStarter starter = new JobStarter(this::report);
    /**
     * The number of jobs whose time has come and whose actor does not work yet. A job leaves the count when its
     * actor is at work, which a reader sees at the actor.
     */
    private final AtomicInteger starting = new AtomicInteger();

    /** Made by any thread that fires a job, perhaps twice alike. */
    private volatile @Nullable Specs onAFiber;
    /** Made by any thread that fires a job, perhaps twice alike. */
    private volatile @Nullable Specs onAThread;

    Jobs(Scope scope) {
        this.scope = scope;
    }

    Scheduled run(Schedule schedule, Body task) {
        return begin(new Job(schedule, Objects.requireNonNull(task, "task"), false));
    }

    Scheduled run(Schedule schedule, Duration limit, Body task) {
        Objects.requireNonNull(task, "task");
        Durations.positiveNanos(limit, "limit");
        return begin(new Job(schedule, new LimitedRun(scope, limit, task, new AtomicReference<>()), true));
    }

    <M> Scheduled send(Schedule schedule, Actor<M, ?> actor, M message) {
        Objects.requireNonNull(actor, "actor");
        Objects.requireNonNull(message, "message");
        return begin(new Job(schedule, new Send<>(actor, message), true));
    }

    /** The specification of the actors of a scope, and of those that run its jobs. */
    private record Specs(ActorSpec base, ActorSpec actor) {
    }

    private record Send<M>(Actor<M, ?> actor, M message) implements Body {
        @Override
        public void run() {
            send(actor, message);
        }
    }

    private record StartOnFiber(Job job, ActorSpec spec) implements Runnable {
        @Override
        public void run() {
            job.startOnFiber(spec);
        }
    }

    private record Run(Job job) implements Handler<ReceivingContext<Object>> {
        @Override
        public void handle(ReceivingContext<Object> context) throws Exception {
            job.runTask();
        }
    }

    private record Count(Job job) implements Body {
        @Override
        public void run() {
            job.count();
        }
    }

    private static <M> boolean hasTaken(Actor<M, ?> actor, M message) {
        try {
            return actor.sendMessage(message);
        } catch (MailboxFullException reported) {
            return false;
        }
    }

    private static <M> void send(Actor<M, ?> actor, M message) {
        if (!hasTaken(actor, message)
                && (actor.state() == ActorState.STOPPED || actor.state() == ActorState.STOPPING)) {
            throw new Over();
        }
    }

    /** Thrown by a task that must not run again. */
    private static final class Over extends RuntimeException {
        private static final long serialVersionUID = 1;

        Over() {
            super("the actor has stopped", null, false, false);
        }
    }

    private void report(Throwable failure) {
        scope.events().report(Failed.in(Failed.Part.START, scope.name(), failure));
    }

    private ActorSpec spec() {
        return ((Builder) scope.anonymous()).spec();
    }

    /** Returns the specification of the actors that run jobs. It is made again if that of the scope has changed. */
    private ActorSpec specOfActor(boolean onFibers) {
        var base = spec();
        var known = onFibers ? onAFiber : onAThread;
        if (known == null || known.base != base) {
            known = new Specs(base,
                    Setting.handDown(onFibers ? base.on(Strategies.FIBERS) : base, Setting.Heir.OWN)
                            .sameWith(ReceivingLayer.INSTANCE)); // if it fails, the schedule decides when it runs again
            if (onFibers) {
                onAFiber = known;
            } else {
                onAThread = known;
            }
        }
        return known.actor;
    }

    private Job begin(Job job) {
        StackReserve.require(); // before the job is listed, and before the timer thread starts, which all scopes share
        job.part.add(job);
        assert Interleave.here();
        if (scope.isClosing()) {
            job.cancelUnchecked();
            throw scope.closed("nothing can be scheduled in it");
        }
        job.begin();
        return job;
    }

    /** Ends all jobs. The scope sets its stage before. */
    void cancelAll() {
        for (var job : jobs.all()) {
            job.cancelUnchecked();
        }
    }

    boolean isStarting() {
        return starting.get() > 0;
    }

    int size() {
        return jobs.size();
    }

    public final class Job extends Recurring {
        private final Body task;
        /** The part of the list that has the job. */
        private final JobList.Part part = jobs.part();
        /** The place of the job in its part. Guarded by the lock of the part. */
        int place;
        /** What was captured of the thread that scheduled the job. */
        private final @Nullable Carried carried = spec().capture(null);
        /**
         * Whether the job may run on a fiber, since it does not block for long, instead of a thread of the scope's
         * strategy.
         */
        private final boolean onFibers;
        /**
         * The actor that runs the job, or the last one that did. Set by the thread that starts the actor,
         * before it runs.
         */
        private volatile @Nullable Cell actor;
        /**
         * Whether the time of the job has come and its actor does not work yet. A job is counted once and
         * leaves the count once, by an exchange.
         */
        private final AtomicBoolean isOnItsWay = new AtomicBoolean();

        Job(Schedule schedule, Body task, boolean onFibers) {
            super(Objects.requireNonNull(schedule, "schedule"));
            this.task = task;
            this.onFibers = onFibers;
        }

        @Override
        public TimeSource time() {
            return scope.time();
        }

        @Override
        public void unlist() {
            part.remove(this);
        }

        @Override
        public boolean isHappeningHere() {
            var mine = actor;
            return (mine != null && Current.isInside(mine))
                    || (task instanceof LimitedRun limited && limited.isHappeningHere());
        }

        @Override
        public void fire() {
            if (isOver()) {
                return;
            }
            var spec = specOfActor(onFibers);
            isOnItsWay.set(true);
            starting.incrementAndGet();
            var handedOn = false;
            try {
                if (spec.placement().mayRunInPlace() || spec.placement().ownThread()) {
                    Strategies.FIBER_EXECUTOR.execute(new StartOnFiber(this, spec));
                } else {
                    starter.start(new StartOnFiber(this, spec));
                }
                handedOn = true;
            } finally {
                if (!handedOn) {
                    arrive();
                }
            }
        }

        private void startOnFiber(ActorSpec spec) {
            try {
                start(spec);
            } finally {
                arrive();
            }
        }

        /** Records that the actor of the job works from now on, or that no actor does. */
        private void arrive() {
            if (isOnItsWay.getAndSet(false)) {
                starting.decrementAndGet();
            }
        }

        /** Runs the task in a new actor. The last exit hook of this actor schedules what follows. */
        private void start(ActorSpec spec) {
            if (isOver()) {
                return;
            }
            Handler<ReceivingContext<Object>> body = new Run(this);
            Cell cell = ActorFactory.cell(spec, Behaviors.body(body, false, carried));
            actor = cell;
            try {
                cell.extendedState().addHook(new Count(this));
                scope.admit(cell, new BodyNode(body, false, carried));
            } catch (Throwable failure) {
                if (scope.isClosing()) {
                    cancelUnchecked();
                } else {
                    cell.report(Failed.in(Failed.Part.START, cell.name(), failure));
                    count();
                }
            }
        }

        private void runTask() throws Exception {
            arrive();
            // mutant: cancelled-job-runs
            if (!claim()) {
                return; // the job was cancelled in the meantime
            }
            try {
                task.run();
            } catch (Over ignored) {
                cancelUnchecked();
            }
        }

        private void count() {
            if (!isAtWork()) {
                claim(); // its actor could not run, and that counts as a run
            }
            if (end()) {
                setNextTimer();
            }
        }
    }
}
