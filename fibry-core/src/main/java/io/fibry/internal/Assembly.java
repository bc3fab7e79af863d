package io.fibry.internal;

import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts the features of the library together. */
final class Assembly implements Wiring {
    /** What the engine uses first in the middle of something, see {@link StackReserve#load}. */
    private static final List<Class<?>> USED = List.of(Activation.Nested.class, Alarm.class, Answer.class, AskNode.class, Backlog.class, Backoff.class, BoundedCell.class, Children.class, Companion.class, Context.class, Deadline.class, Deadlines.class, Entrance.class, Events.class, Fates.class, Gate.class, Grasp.class, Hand.class, Inbox.class, Interrupts.class, Lane.class, LargeFrame.class, Links.class, LogContext.class, Losses.class, MessageNode.class, OnHand.class, Parking.class, Pause.class, PendingTimer.class, Permit.class, Post.class, Quota.class, Restarting.class, Room.class, Running.class, SharedTurnAnswer.class, Spinning.class, StopNode.class, Stopping.class, Strand.class, Submission.class, SupervisionState.class, SystemTime.class, Tally.class, TaskNode.class, Termination.class, TimedAnswer.class, TimerHeap.class, TimerQueue.class, Turn.class, UnboundedCell.class, WaitGraph.class, Whereabouts.class, AskOnTop.class);

    Assembly() {
        StackReserve.load(MethodHandles.lookup(), USED);
    }

    @Override
    public CreationStrategy defaultStrategy() {
        return Engine.defaultStrategy();
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
    public TimerSet newTimers(Cell cell) {
        return new ActorTimers(cell);
    }

    @Override
    public ActorGroup newGroup(ActorBuilder builder, GroupPolicy policy) {
        return new Group(builder, policy);
    }

    @Override
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> newKeyed(ActorSpec spec,
            KeyedOptions options, Function<? super M, ? extends K> keyOf, Function<? super K, ?> factory) {
        return new Keyed<>(spec, options, keyOf, factory);
    }
}
