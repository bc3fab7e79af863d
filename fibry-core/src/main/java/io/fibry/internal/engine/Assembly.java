package io.fibry.internal.engine;

import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxFullException;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.internal.abandon.StandInBehavior;
import io.fibry.internal.abandon.StandInRun;
import io.fibry.internal.abandon.StandInThread;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Answer.AskOnTop;
import io.fibry.internal.actor.Answer.WaitLimit;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Behavior.Disposal;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Cell.Start;
import io.fibry.internal.actor.Chunk;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Code;
import io.fibry.internal.actor.ExtendedState;
import io.fibry.internal.actor.FateAnswer;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Interrupts;
import io.fibry.internal.actor.Interrupts.RunningAsk;
import io.fibry.internal.actor.Losses;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.MessageStream;
import io.fibry.internal.actor.Parcel;
import io.fibry.internal.actor.Services.CycleSearch;
import io.fibry.internal.actor.Services.Places;
import io.fibry.internal.actor.Services.Recovery;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Supervision;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.Turn.Submission;
import io.fibry.internal.actor.Waiting.NestedEdge;
import io.fibry.internal.aside.Stash;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.Limit;
import io.fibry.internal.clock.PendingTimer;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.clock.TimerHeap;
import io.fibry.internal.clock.TimerQueue;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.cycles.WaitCycle;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.deadline.TimedAnswer;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.dump.DumpFiles;
import io.fibry.internal.dump.Dumps;
import io.fibry.internal.flight.Flight;
import io.fibry.internal.handle.AwaitedCode;
import io.fibry.internal.handle.BodyCall;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.StateTask;
import io.fibry.internal.handle.Stopping;
import io.fibry.internal.keyed.Keyed;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.mailbox.BoundedCell;
import io.fibry.internal.mailbox.BoundedChunk;
import io.fibry.internal.mailbox.NamedBoundedCell;
import io.fibry.internal.mailbox.NamedUnboundedCell;
import io.fibry.internal.mailbox.PendingLink;
import io.fibry.internal.mailbox.SenderPause;
import io.fibry.internal.mailbox.SpaceWaiters;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.places.Reservation;
import io.fibry.internal.receive.BodyNode;
import io.fibry.internal.receive.Inbox;
import io.fibry.internal.receive.Receiving;
import io.fibry.internal.reply.LostReplies;
import io.fibry.internal.reply.OpenReplies;
import io.fibry.internal.reply.OpenReply;
import io.fibry.internal.reply.ReplyHandle;
import io.fibry.internal.reply.SharedTurnAnswer;
import io.fibry.internal.report.EventRecorder;
import io.fibry.internal.report.Events;
import io.fibry.internal.report.Fates;
import io.fibry.internal.report.Tally;
import io.fibry.internal.run.AskRendezvous;
import io.fibry.internal.run.Backlog;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Quota;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Spinning;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Jobs;
import io.fibry.internal.scope.KeyBehaviors;
import io.fibry.internal.scope.KeyedSpec;
import io.fibry.internal.scope.Names;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.scope.Setting;
import io.fibry.internal.scope.Wiring;
import io.fibry.internal.signal.Receivable;
import io.fibry.internal.supervise.Children;
import io.fibry.internal.supervise.FailureDecision;
import io.fibry.internal.supervise.Group;
import io.fibry.internal.supervise.RestartPause;
import io.fibry.internal.supervise.Restarting;
import io.fibry.internal.supervise.SupervisionState;
import io.fibry.internal.timer.TickNode;
import io.fibry.keyed.StatefulKeyedActors;
import io.fibry.message.MessageFate;
import io.fibry.time.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Assembles the features of the library. */
final class Assembly implements Wiring {
    /**
     * The classes that the engine may use for the first time in the middle of a change of its state, see {@link
     * StackReserve#load}.
     */
    private static final Class<?>[] USED = {
        NestedEdge.class, Alarm.class, Answer.class, AskNode.class, Backlog.class,
        Backoff.class,
        BoundedCell.class, BoundedChunk.class, Children.class, Chunk.class, ExtendedState.class,
        Context.class,
        SharedDeadline.class,
        TimeLimit.Use.class, Reservation.class, Events.class, Fates.class, Gate.class, StandInRun.class,
        StandInThread.class, Inbox.class, Interrupts.class, Lane.class, PendingLink.class, LogContext.class,
        Losses.class, MessageNode.class, StandInBehavior.class, Parking.class, RestartPause.class,
        PendingTimer.class, Permit.class, AskRendezvous.class, Quota.class, Restarting.class,
        SpaceWaiters.class, SenderPause.class, RunningAsk.class, SharedTurnAnswer.class, Spinning.class,
        StateTask.class, StopNode.class,
        Stopping.class, Runner.class, Submission.class, SupervisionState.class, SystemTime.class,
        Tally.class, Code.class, Parcel.class, Termination.class, TimedAnswer.class, Limit.class,
        TimerHeap.class,
        TimerQueue.class, Turn.class, UnboundedCell.class, WaitGraph.class, TimeoutDetails.class,
        AskOnTop.class, MessageStream.class, Jobs.class, Schedule.class, BodyCall.class, WaitLimit.class,
        Start.class, ClosingHook.class, Disposal.class, BodyNode.class, Receivable.class, Receiving.class,
        Durations.class, Carried.class, FailureDecision.class, TickNode.class, Names.class, Counters.class,
        StopReport.class, FailurePolicy.class, OverflowPolicy.class, ActorState.class,
        ActorStoppedException.class, AskTimeoutException.class, MailboxFullException.class, Failed.class,
        Undelivered.class, Stopped.class, OpenReply.class, OpenReplies.class, ReplyHandle.class,
        LostReplies.class, FateAnswer.class, MessageFate.class,
        NamedBoundedCell.class, NamedUnboundedCell.class, Stash.class,
        UrgentLane.class, AwaitedCode.class, WaitCycle.class, Setting.class};
    /** The classes that javac generates for switches on enums. */
    static final List<String> SWITCH_TABLES = List.of("actor.Cell$1", "actor.Losses$1",
            "actor.Turn$1", "mailbox.BoundedCell$1", "mailbox.SpaceWaiters$1", "places.Reservation$1",
            "report.EventLog$1",
            "scope.RestDetector$1", "supervise.Group$1");

    private static final CycleSearch CYCLES = new WaitGraph.ForKernel();

    private final Dumps dumps = new Dumps();
    private final Flight flight = Flight.begin();

    Assembly() {
        StackReserve.load(USED);
        SWITCH_TABLES.forEach(name -> initializeIfPresent("io.fibry.internal." + name)); // another compiler may not generate them
        // The first schedule initializes a class of its own. A handler with little stack may be the first to ask for one.
        Objects.requireNonNull(Schedule.once(Duration.ZERO));
        // JDK 21 first uses this class when a virtual thread loads a class from a file. If its initialisation overflows there,
        // no virtual thread can load a class from then on. Later JDKs do not have this class.
        initializeIfPresent("jdk.internal.misc.Blocker$ForkJoinPools");
        // The JDK has a class for the parking of virtual threads. If its initialization overflows, no virtual thread can
        // park any more.
        LockSupport.unpark(Strategies.fiber(() -> {
        }));
    }

    private static void initializeIfPresent(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException absent) {
            // the class does not exist
        }
    }

    @Override
    public CreationStrategy defaultStrategy() {
        return RootScope.defaultStrategy();
    }

    @Override
    public EventRecorder recorder() {
        return flight;
    }

    @Override
    public @Nullable Feature observer(Cell cell) {
        return flight.observer(cell);
    }

    @Override
    public Supervision newSupervision() {
        return new SupervisionState();
    }

    @Override
    public @Nullable Recovery decide(Turn turn, Throwable failure, boolean atStart, boolean canGoOn) {
        return FailureDecision.run(turn, failure, atStart, canGoOn);
    }

    @Override
    public Places places(Cell cell, MessageNode message, long limitNanos) {
        return new Reservation(cell, message, limitNanos);
    }

    @Override
    public CycleSearch cycles() {
        return CYCLES;
    }

    @Override
    public Dump dump(Scope scope, DumpOptions options) {
        return dumps.take(scope, options);
    }

    @Override
    public Runnable dumpsTo(Scope scope, Optional<Path> directory) {
        return directory.<Runnable>map(known -> new DumpFiles(scope, known)).orElse(() -> {
        });
    }

    @Override
    public ActorGroup newGroup(ActorBuilder builder, GroupPolicy policy) {
        return new Group(builder, policy);
    }

    @Override
    public <K, S, M, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newKeyed(
            KeyedSpec<K, M> spec,
            KeyBehaviors<K> behaviors) {
        return new Keyed<>(spec, behaviors);
    }
}
