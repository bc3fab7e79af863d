package io.fibry.internal.actor;

import io.fibry.ActorExitException;
import io.fibry.Body;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Strategies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One activation of an actor, and what it does: handles waiting messages until there are none or its budget is
 * spent. The superclass says where it runs.
 */
public final class Turn extends Activation {
    private static final int BUDGET_MESSAGES = 1024;
    private static final long BUDGET_NANOS = 1_000_000;
    /** A turn that has handled so many messages without a break is in a stream. */
    private static final int STREAM = 16;
    private static final int LOOKS = 4;
    /** About a microsecond. */
    private static final int SPINS = 50;
    /** The clock is looked at only this often. A power of two. */
    private static final int CLOCK_INTERVAL = 16;
    private static final VarHandle HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "handled", long.class);

    /** Whether the token was handled by an earlier turn, which left what comes after it to this one. */
    private boolean isRest;
    /** Set if the strategy refused this turn: its message is then lost instead of handled. */
    private volatile @Nullable Throwable refusal;

    /**
     * The actor's companion, if there is one that matters to the turn. Looking for it in the cell before each
     * message would take the cache line that the senders fight for away from them.
     */
    private volatile @Nullable ExtendedState extendedState;

    /** Looking at the cell even for its class would take that line away. */
    private final boolean followsLinks;

    // From here on touched by the running thread only.
    /** The node taken last: where the mailbox goes on. */
    private @Nullable Node last;
    /** How many messages the actor has handled in all. Written by the running thread, opaque. */
    private long handled;
    /** How many of them the scope does not know of yet. */
    private int unflushed;
    private int messages;
    /** Whether somebody may have waited for the message handled last. */
    private boolean answered;
    /** The restart that comes before the next message. */
    private @Nullable Recovery restarting;
    /** Whether a message was lost because the strategy refused this turn. */
    private boolean hasLost;

    public Turn(Cell cell, Node token) {
        super(cell, token);
        followsLinks = cell.followsLinks();
    }

    @Override
    public void refuse(Throwable why) {
        refusal = why;
        markShared(); // whoever has refused it may still run it
    }

    @Override
    void handleFrom(Node first) {
        handled = cell.handledSoFar();
        enter();
        // A sender that drops the oldest may have taken what this turn was started for.
        var taken = isRest ? first : cell.first(first);
        last = taken == null ? first : taken;
        var node = isRest ? null : taken;
        while (true) {
            // First clear, then look: a forced stop gives its reason before it interrupts, so what is cleared
            // here was meant for what is over, or its reason is seen.
            // mutant: interrupt-reaches-the-next-message
            Thread.interrupted();
            var known = extendedState;
            // mutant: request-to-exit-is-seen-too-late
            if (known != null && known.exitReason() != null) {
                Termination.run(this, node);
                return;
            }
            if (node == null) {
                node = next();
                if (node == null) {
                    return;
                }
            } else {
                var observer = known == null ? null : known.observer;
                if (observer == null) {
                    handle(node);
                } else {
                    handle(node, observer);
                }
                node = null;
            }
        }
    }

    /** The next node, or null if this turn is over: the mailbox is idle, or the rest goes to a later turn. */
    private @Nullable Node next() {
        // mutant: turn-goes-on-with-other-scoped-values
        if ((hasLost && restarting == null)
                || (isOnTop() && (restarting != null || isDoneForThoseBelow())) || isLeaving()) {
            endEarly();
            return null;
        }
        if (budgetSpent() && !giveWay()) {
            return null;
        }
        var next = poll();
        if (next == null && messages >= STREAM && !answered) {
            next = pollPatiently();
        }
        while (next == null) {
            flush();
            if (idles()) {
                return null;
            }
            enter();
            cell.awaitLink(last);
            next = poll();
        }
        return next;
    }

    /** Makes the actor idle; false if there is another node. */
    private boolean idles() {
        releaseBelow();
        var known = extendedState;
        if (known != null) {
            known.beforeIdle();
        }
        cell.hide(handled);
        strand.prepareEnd();
        Interleave.here();
        if (!cell.becomeIdle(last)) {
            strand.cancelEnd();
            holdUpBelow();
            return false;
        }
        cell.awaitInterrupts(true);
        return true;
    }

    /**
     * The actor below has its answer and goes on, or the strategy has refused this turn, but may take the next: if there
     * is more to do, that is for another turn.
     */
    private void endEarly() {
        flush();
        var known = extendedState;
        var inbox = known == null ? null : known.inbox;
        var passedOver = inbox != null && inbox.hasPassedOver();
        if (passedOver || restarting != null || !idles()) {
            goOnElsewhere();
        }
    }

    /** The actor is to end, and not on somebody else's stack: its hooks take their time, and may ask who waits below. */
    void endElsewhere(@Nullable Node taken) {
        extendedState().taken = taken;
        flush();
        goOnElsewhere();
    }

    /** Leaves the actor to a turn that runs on nobody's stack. */
    private void goOnElsewhere() {
        releaseBelow();
        leave(true);
        var rest = rest(Objects.requireNonNull(last));
        passLeftTo(rest);
        if (isLeaving() || cell.spec().placement().mayRunInPlace()) {
            Strategies.FIBER_EXECUTOR.execute(new Submission(rest));
        } else {
            cell.submit(rest);
        }
    }

    /**
     * In a stream of messages the next one is likely to come at once. Waiting for it for a moment is cheaper than
     * to go idle and be started again, for the sender as well, and lets a batch build up. Between two looks it
     * leaves the last node alone: whoever reads what its sender is about to write makes that one wait.
     */
    private @Nullable Node pollPatiently() {
        for (int look = 0; look < LOOKS && !hasNext(); look++) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
        return poll();
    }

    /** The next node that is already there: first what a selective receive has passed over. */
    private @Nullable Node poll() {
        var known = extendedState;
        if (known != null && known.inbox != null) {
            var passedOver = known.inbox.pollPassedOver();
            if (passedOver != null) {
                return passedOver;
            }
        }
        var next = followsLinks ? Objects.requireNonNull(last).pollNext() : cell.poll(last);
        if (next != null) {
            last = next;
        }
        return next;
    }

    private boolean hasNext() {
        return followsLinks ? Objects.requireNonNull(last).nextAcquire() != null : cell.hasNext(last);
    }

    private void handle(Node node) {
        var why = refusal;
        strand.markProgress();
        try {
            if (why == null) {
                node.handle(this);
            } else {
                hasLost = true;
                node.refused(this, why);
            }
        } catch (Throwable engineFailure) {
            // Only what our own reporting threw gets here, say a stack overflow in it. The actor goes on.
            cell.extendedState().deadline = null; // it may not have come to that
            cell.spec().scope().events().engineFailure(cell.name(), engineFailure);
        } finally {
            strand.markProgress();
            node.clear();
        }
    }

    private void handle(Node node, MessageObserver observer) {
        observer.onBegin(node);
        handle(node);
        observer.onEnd();
    }

    private boolean budgetSpent() {
        messages++;
        if (messages >= BUDGET_MESSAGES) {
            return true;
        }
        // After 1, 2, 4, 8, 16, and then after every 16th, if there is another one: most turns have one message
        // and never look at the clock.
        var looks = messages < CLOCK_INTERVAL
                ? (messages & messages - 1) == 0
                : messages % CLOCK_INTERVAL == 0;
        return looks && hasNext()
                && strand.hasRunFor(BUDGET_NANOS, time());
    }

    /** Lets others run. False if the rest of the mailbox is another turn's. */
    private boolean giveWay() {
        if (restarting != null && !restart()) {
            return false;
        }
        messages = 0;
        strand.restartClock();
        flush();
        return switch (cell.spec().placement().fairness()) {
            case PREEMPTED -> true;
            case YIELDS -> {
                Parking.letGo();
                Thread.yield();
                yield true;
            }
            case RELAYS -> {
                Parking.letGo();
                strand.yieldOrPass(time());
                yield true;
            }
            case RESUBMITS -> resubmit(Objects.requireNonNull(last));
        };
    }

    /** What comes after a node that was handled, for a later turn. */
    private Turn rest(Node from) {
        var rest = new Turn(cell, from);
        // mutant: rest-of-a-turn-begins-again
        rest.isRest = true;
        rest.restarting = restarting;
        rest.messages = restarting == null ? 0 : BUDGET_MESSAGES;
        return rest;
    }

    /** Restarts the actor; false if that, or what follows it, is for a later turn. */
    private boolean restart() {
        while (restarting != null) {
            var mine = restarting;
            restarting = null;
            if (!mine.run(this)) {
                return false;
            }
        }
        if (cell.exitRequested()) {
            cell.sendControl(new StopNode(Reason.EXIT)); // or the turn would find nothing to do before it looks
        }
        return true;
    }

    /** Leaves the actor to a later turn, which begins with the restart after a pause. */
    public void pause(Recovery later, long nanos) {
        restarting = later;
        // mutant: turn-after-a-pause-forgets-its-last-node
        var rest = rest(Objects.requireNonNull(last));
        restarting = null;
        flush();
        releaseBelow();
        cell.extendedState().rest();
        leave(true);
        cell.supervision().pause(cell, rest, nanos);
    }

    private boolean resubmit(Node from) {
        releaseBelow();
        leave(true);
        resubmitting = true;
        cell.submit(rest(from));
        resubmitting = false;
        if (!comesBack) {
            return false;
        }
        comesBack = false;
        holdUpBelow();
        enter();
        return true;
    }

    // What came of a node; called by the node.

    public void handled() {
        HANDLED.setOpaque(this, handled + 1);
        unflushed++;
        answered = false;
    }

    void answered(Answer<@Nullable Object> answer, @Nullable Object result) {
        answer.end();
        handled();
        answered = true; // whoever waited for the answer had better find the actor idle, and run it where it is
        // mutant: nested-turn-completes-the-wrong-answer
        answer.succeed(result);
    }

    void expired() {
        // mutant: expired-ask-is-not-counted
        cell.count(Fates.Kind.EXPIRED);
        cell.finishedOtherwise();
    }

    public void skipped() {
        cell.finishedOtherwise();
    }

    void askFailed(Answer<@Nullable Object> answer, Class<?> message, Throwable failure) {
        answer.end();
        if (isCancelled(answer, failure)) {
            expired(); // what the canceller wanted, not a failure
            return;
        }
        try {
            failed(message, failure);
        } finally {
            answer.failsWith(failure);
        }
    }

    /** Whether a handler has thrown this since it was interrupted for that ask. */
    boolean isCancelled(Answer<?> answer, Throwable failure) {
        return answer.isOver() && cell.spec().interruptOnCancel() && Interrupts.isCauseOf(failure);
    }

    public void failed(Class<?> message, Throwable failure) {
        if (endsByExit(failure)) {
            handled();
            return;
        }
        cell.count(Fates.Kind.FAILED);
        cell.finishedOtherwise();
        if (!(cell.spec().onFailure() instanceof FailurePolicy.Resume)) {
            decide(failure, false, true);
        }
        cell.report(Failed.onMessage(cell.name(), message, failure));
    }

    /** The handler could not be made. */
    public void startFailed(Throwable failure) {
        decide(failure, true, true);
        cell.report(Failed.in(Failed.Part.START, cell.name(), failure));
    }

    /** A child has failed and stopped. */
    public void childFailed(Throwable failure) {
        decide(failure, false, true);
    }

    /** The body has thrown. */
    void bodyFailed(Throwable failure) {
        decide(failure, true, false);
        cell.report(Failed.in(Failed.Part.BODY, cell.name(), failure));
    }

    private void decide(Throwable failure, boolean atStart, boolean canGoOn) {
        var restart = cell.spec().scope().features().decide(this, failure, atStart, canGoOn);
        if (restart != null && restarting == null) {
            restarting = restart;
            messages = BUDGET_MESSAGES; // that is where the turn stops and looks
        }
    }

    /** Whether the actor is to be restarted before its next message. */
    boolean isRestarting() {
        return restarting != null;
    }

    /** Throws what the strategy refused this turn with, if it has. */
    public void requireNotRefused() throws Throwable {
        var why = refusal;
        if (why != null) {
            throw why;
        }
    }

    /** Adds an exit hook from inside the actor. */
    public void addExitHook(Body hook) {
        extendedState().addHook(new ClosingHook(hook));
        cell.spec().scope().holdOn(cell);
    }

    /** Whether this is no failure, but the way in which a receiving actor ends that was asked to. */
    boolean endsByExit(Throwable failure) {
        return failure instanceof ActorExitException
                && (restarting != null || cell.wasToldToEnd());
    }

    /** Adds what was handled to the scope's count: seldom, because that one is shared. */
    void flush() {
        if (unflushed > 0) {
            strand.countHandled(cell.spec().scope().fates(), unflushed);
            unflushed = 0;
        }
    }

    /** How many messages the actor has handled. Read by any thread. */
    long handledSoFar() {
        return (long) HANDLED.getOpaque(this);
    }

    /**
     * See {@link Cell#enter}. Whoever gives a reason for the end first gives it, then looks for the turn and
     * shows it the companion; the turn first shows itself, then looks for the companion. One sees the other.
     */
    @Override
    void enter() {
        cell.enter(this);
        Interleave.here();
        var found = cell.extendedStateIfAny();
        if (found != null && found != extendedState) {
            // mutant: turn-does-not-see-an-earlier-request-to-exit
            extendedState = found;
        }
    }

    /** Tells the turn of its actor's companion. By any thread. */
    void attach(ExtendedState found) {
        extendedState = found;
    }

    /** The companion, from now on known to the turn as well. */
    public ExtendedState extendedState() {
        var found = cell.extendedState();
        extendedState = found;
        return found;
    }

    /** See {@link Cell#leave}. */
    @Override
    void leave(boolean clearFlag) {
        cell.leave(handled, clearFlag);
    }

    /** Whether this is what an earlier turn had no budget left for. */
    boolean isRest() {
        return isRest;
    }

    @Override
    public boolean needsThread() {
        return isRest || isReceivingBody();
    }

    public @Nullable Node last() {
        return last;
    }

    /** A receiving handler has taken this node itself. */
    void took(Node node) {
        last = node;
    }
}
