package io.fibry.internal;

import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * Makes sure that the calling thread has stack enough for what the engine is about to do there.
 *
 * <p>A user's code may be as deep in a recursion as it likes when it sends, asks or waits. If the stack overflowed between
 * two steps of which the second has to follow the first (a message is in, and its turn is to be started; a turn was claimed,
 * and is to be run; an edge was published, and is to be taken back), the other actor would be lost for ever, and it has
 * nothing to do with the recursion. No order of steps avoids that, since each call may be the one that overflows, that of
 * the method that would undo the first step too. So all of them begin with this: whatever the engine itself does until it is
 * back where it began fits into what was found to be there, or nothing was done yet and the caller's stack overflows here, in
 * the caller's own call.
 *
 * <p>What is not ours and runs in between (a handler on top, an executor, a listener, a callback) may need more. It is
 * called where all that it throws is caught, and by then the stack is as it was: the engine has its reserve again for what
 * it has to do after it. A second look, once something was taken, would be wrong: it could find too little where the first
 * has found enough, and what was taken would be left.
 *
 * <p>The stack is looked at by a call of a method whose frame is that large ({@link LargeFrame}). One look is enough for all
 * that one call of the user's does: {@code apply} looks before it sends, and not again before it waits.
 */
final class StackReserve {
    /** What is first used in the middle of something: to load a class, or to initialise one, takes more than the reserve. */
    private static final List<Class<?>> USED = List.of(Activation.Nested.class, Alarm.class, Answer.class,
            AskNode.class, Backlog.class, Backoff.class, BoundedCell.class, Children.class, Companion.class,
            Context.class, Deadline.class, Deadlines.class, Entrance.class, Events.class, Fates.class,
            Gate.class, Grasp.class, Hand.class, Inbox.class, Interrupts.class, Lane.class, LargeFrame.class,
            Links.class,
            LogContext.class, Losses.class, MessageNode.class, OnHand.class, Parking.class, Pause.class,
            PendingTimer.class, Permit.class, Post.class, Quota.class, Restarting.class, Room.class,
            Running.class, SharedTurnAnswer.class, Spinning.class, StopNode.class, Stopping.class,
            Strand.class, Submission.class, Supervision.class, SystemTime.class, Tally.class, TaskNode.class,
            Termination.class, TimedAnswer.class, TimerHeap.class, TimerQueue.class, Turn.class,
            UnboundedCell.class, WaitGraph.class, Whereabouts.class);

    private StackReserve() {
    }

    /** Loads and initialises what the engine uses after it has looked. When the first actor is made. */
    static void prepare() {
        var lookup = MethodHandles.lookup();
        try {
            for (var each : USED) {
                lookup.ensureInitialized(each);
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError("classes of this package", e);
        }
    }

    /** Throws a {@link StackOverflowError} if there is too little. Before anything is taken. */
    static void require() {
        LargeFrame.enter(false);
    }
}
