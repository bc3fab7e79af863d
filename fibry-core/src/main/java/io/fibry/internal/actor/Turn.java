package io.fibry.internal.actor;

import io.fibry.ActorExitException;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.function.Body;
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
 * One activation of an actor. It handles the waiting messages until there are none or its budget is spent. The
 * superclass defines where it runs.
 */
public final class Turn extends Activation {
    private static final int BUDGET_MESSAGES = 1024;
    private static final long BUDGET_NANOS = 1_000_000;
    /** The number of messages between two readings of the clock. A power of two. */
    private static final int CLOCK_INTERVAL = 16;
    private static final VarHandle HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "handled", long.class);

    /** Whether the token was handled by an earlier turn, which left the rest of the mailbox to this turn. */
    private boolean isRest;
    /**
     * The exception with which the strategy refused this turn, if it did. The message is then lost instead of
     * handled. Written by the thread whose submission was refused, before the turn runs again.
     */
    private volatile @Nullable Throwable refusal;

    /**
     * The actor's extended state, if it matters to the turn. Written by the turn, and by a thread that gives a
     * reason for the end; never cleared. Reading it from the cell before each message would take the cache line
     * of the cell away from the senders.
     */
    volatile @Nullable ExtendedState extendedState;

    /** A copy: the senders compete for the cache line of the cell, and reading even its class would take that line away. */
    private final boolean followsLinks;

    // From here on accessed by the running thread only.
    /** The node taken last, or the chunk with the entry taken last. A bounded mailbox has this position itself, and ignores this one. */
    @Nullable Node last;
    /** How many messages the actor has handled in all. Written by the running thread, opaque. */
    private long handled;
    /** How many of them are not yet added to the scope's count. */
    private int unflushed;
    int messages;
    /** Whether a thread may have waited for the message handled last. */
    boolean answered;
    /** The step that comes before the next message: mostly a restart. */
    private @Nullable Recovery restarting;
    /** Whether the actor takes urgent messages. */
    private boolean hasUrgent;
    /** Whether a message was lost because the strategy refused this turn. */
    private boolean hasLost;
    /** The ask at work: its {@link Answer}, or the {@link ReplyHandle} of its deferred reply. Or {@link NoMessage}. */
    @Nullable Object asked;

    public Turn(Cell cell, Node token) {
        super(cell, token);
        followsLinks = cell.followsLinks();
    }

    @Override
    public void refuse(Throwable why) {
        refusal = why;
        markShared(); // the executor that refused the turn may still run it
    }

    @Override
    void handleFrom(Node first) {
        handled = (long) Cell.HANDLED.getOpaque(cell); // no turn runs, so the cell has the count
        enter();
        // A sender that drops the oldest may have taken the node that this turn was started for.
        var taken = isRest || followsLinks ? first : cell.first(first);
        last = taken == null ? first : taken;
        Object entry = isRest ? null : hasUrgent ? Inbox.of(cell).firstOf(taken) : taken;
        while (true) {
            // The flag is cleared before the reason is read. A forced stop sets its reason before it interrupts. So either
            // what is cleared here was meant for something that has ended, or the reason is seen.
            // mutant: interrupt-reaches-the-next-message
            Thread.interrupted();
            var known = extendedState;
            // mutant: request-to-exit-is-seen-too-late
            if (known != null && known.exitReason != null) {
                Termination.run(this, known, entry == null ? null : MessageNode.of(entry));
                return;
            }
            if (entry == null) {
                entry = next();
                if (entry == null) {
                    return;
                }
            } else {
                var observer = known == null ? null : known.observer;
                if (observer == null) {
                    handle(entry);
                } else {
                    handle(entry, observer);
                }
                entry = null;
            }
        }
    }

    /** Returns the next entry, or null if this turn ends: the mailbox is idle, or a later turn takes the rest. */
    private @Nullable Object next() {
        // mutant: turn-goes-on-with-other-scoped-values
        if ((hasLost && restarting == null)
                || (isOnTop && (restarting != null || isDoneForThoseBelow())) || isLeaving()) {
            endEarly();
            return null;
        }
        if (budgetSpent() && !giveWay()) {
            return null;
        }
        var next = poll();
        if (next == null && MessageStream.mayGoOn(this)) {
            next = poll();
        }
        while (next == null) {
            flush();
            if (becomeIdle()) {
                return null;
            }
            enter();
            cell.awaitLink(last);
            next = poll();
        }
        return next;
    }

    /** Makes the actor idle; returns false if there is another node. */
    private boolean becomeIdle() {
        releaseBelow();
        var known = extendedState;
        if (known != null) {
            known.beforeIdle();
        }
        cell.hide(handled);
        runner.prepareEnd();
        assert Interleave.here();
        if (!cell.becomeIdle(last)) {
            runner.cancelEnd();
            holdUpBelow();
            return false;
        }
        cell.awaitInterrupts(true);
        return true;
    }

    /**
     * Ends this turn although there may be more to do, which a later turn does. Either the actor below has its answer
     * and goes on, or the strategy has refused this turn but may accept the next one.
     */
    private void endEarly() {
        flush();
        var known = extendedState;
        var inbox = known == null ? null : known.inbox;
        var passedOver = inbox != null && inbox.hasPassedOver();
        passedOver = passedOver || (!hasNext() && MessageStream.isFed(this));
        if (passedOver || restarting != null || !becomeIdle()) {
            goOnElsewhere();
        }
    }

    /** Leaves the end of the actor to a turn on another stack: its hooks take their time, and may ask the actor below. */
    void endElsewhere(@Nullable Node taken) {
        extendedState().taken = taken;
        flush();
        goOnElsewhere();
    }

    /** Leaves the actor to a turn that runs on top of no other. */
    private void goOnElsewhere() {
        releaseBelow();
        leave(true);
        var rest = rest(Objects.requireNonNull(last));
        passLeftTo(rest);
        if (isLeaving() || cell.spec.placement.mayRunInPlace()) {
            Strategies.FIBER_EXECUTOR.execute(new Submission(rest));
        } else {
            cell.submit(rest);
        }
    }

    /** Returns the next entry that is already there. Nodes that a selective receive has passed over come first. */
    private @Nullable Object poll() {
        var known = extendedState;
        if (known != null && known.inbox != null) {
            var passedOver = known.inbox.pollPassedOver();
            if (passedOver != null) {
                return passedOver;
            }
        }
        var at = followsLinks ? Objects.requireNonNull(last).advance() : null;
        if (at == null) {
            return followsLinks ? null : cell.pollEntry();
        }
        last = at;
        return at.entry();
    }

    boolean hasNext() {
        return followsLinks ? Objects.requireNonNull(last).hasNext() : cell.hasNext(last);
    }

    /** Handles a node, or a message that has none. */
    void handle(Object entry) {
        var why = refusal;
        runner.markProgress();
        try {
            if (why != null) {
                hasLost = true;
                MessageNode.of(entry).refused(this, why);
            } else if (entry instanceof Node node) {
                node.handle(this);
            } else {
                MessageNode.handle(this, entry);
            }
        } catch (Throwable engineFailure) {
            // Only what the engine's own reporting threw gets here, for instance a stack overflow in it. The actor goes on.
            cell.extendedState().deadline = null; // the exception may have kept the handler's end from clearing it
            cell.spec.scope.events().engineFailure(cell.name(), engineFailure);
        } finally {
            runner.markProgress();
            if (entry instanceof Node node) {
                node.clear();
            }
        }
    }

    private void handle(Object entry, MessageObserver observer) {
        observer.begins(this, entry);
        handle(entry);
        observer.onEnd();
    }

    private boolean budgetSpent() {
        messages++;
        if (messages >= BUDGET_MESSAGES) {
            return true;
        }
        // The clock is read after 1, 2, 4, 8, 16 messages, then after every 16th, and after each one that follows a long
        // one, if there is another message: most turns have one and never read the clock.
        var looks = messages < CLOCK_INTERVAL
                ? (messages & messages - 1) == 0
                : messages % CLOCK_INTERVAL == 0;
        return (looks || runner.isLong()) && hasNext()
                && runner.hasRunFor(BUDGET_NANOS, time());
    }

    /** Lets other jobs run; returns false if another turn takes the rest of the mailbox. */
    private boolean giveWay() {
        if (restarting != null && !restart()) {
            return false;
        }
        messages = 0;
        runner.restartClock(time());
        flush();
        var placement = cell.spec.placement;
        return switch (placement.fairness()) {
            case PREEMPTED -> true;
            case RELAYS -> {
                Parking.letGo();
                runner.yieldOrPass(Objects.requireNonNull(placement.handoff()), time());
                runner.restartClock(time());
                yield true;
            }
            case RESUBMITS -> resubmit(Objects.requireNonNull(last));
        };
    }

    /** Returns a turn for what comes after a node that was handled. */
    private Turn rest(Node from) {
        var rest = new Turn(cell, from);
        // mutant: rest-of-a-turn-begins-again
        rest.isRest = true;
        rest.restarting = restarting;
        rest.messages = restarting == null ? 0 : BUDGET_MESSAGES;
        return rest;
    }

    /** Restarts the actor; returns false if a later turn has to do that, or what follows it. */
    private boolean restart() {
        while (restarting != null) {
            var mine = restarting;
            restarting = null;
            if (!mine.run(this)) {
                return false;
            }
        }
        if (cell.exitRequested()) {
            cell.sendControl(new StopNode(Reason.EXIT)); // otherwise the turn would become idle before it sees the exit
        }
        return true;
    }

    /** Leaves the actor to a later turn, which begins with this step. The caller sees to it that the turn is submitted. */
    public Turn leaveTo(Recovery step) {
        restarting = step;
        // mutant: turn-after-a-pause-forgets-its-last-node
        var rest = rest(Objects.requireNonNull(last));
        restarting = null;
        flush();
        releaseBelow();
        cell.extendedState().rest();
        leave(true);
        return rest;
    }

    /** Runs a step after the current message and before the next one. */
    void runBeforeNext(Recovery step) {
        restarting = step;
        messages = BUDGET_MESSAGES; // at that number the turn checks its budget
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

    // The outcome of a node. Called by the node.

    public void handled() {
        HANDLED.setOpaque(this, handled + 1);
        unflushed++;
        answered = false;
    }

    void answered(Answer<@Nullable Object> answer, @Nullable Object result) {
        answer.end(cell);
        handled();
        answered = true; // a thread that waited for the answer should find the actor idle, and run it in place
        // mutant: nested-turn-completes-the-wrong-answer
        answer.succeed(result);
    }

    void expired() {
        // mutant: expired-ask-is-not-counted
        cell.count(Fates.Kind.EXPIRED);
        cell.extendedState().finishedOtherwise(this);
    }

    public void skipped() {
        cell.extendedState().finishedOtherwise(this);
    }

    void askFailed(Answer<@Nullable Object> answer, Object message, Throwable failure) {
        answer.end(cell);
        if (isCancelled(answer, failure)) {
            expired(); // the canceller wanted this: it is no failure
            return;
        }
        try {
            failed(message, failure);
        } finally {
            answer.failWith(AskFailures.thrown(cell, answer, failure));
        }
    }

    /** Returns whether a handler has thrown this because it was interrupted for that ask. */
    boolean isCancelled(Answer<?> answer, Throwable failure) {
        return answer.isOver() && cell.spec.interruptOnCancel && Interrupts.isCauseOf(failure);
    }

    public void failed(Object message, Throwable failure) {
        if (endsByExit(failure)) {
            handled();
            return;
        }
        cell.count(Fates.Kind.FAILED);
        cell.extendedState().finishedOtherwise(this);
        if (!(cell.spec.onFailure instanceof FailurePolicy.Resume)) {
            decide(failure, false, true);
        }
        cell.reportFailure(message, failure, extendedState().sentFrom);
    }

    /** Handles the failure to make the handler, or what a body needs. */
    public void startFailed(Throwable failure) {
        decide(failure, true, !behavior.isBody());
        cell.report(Failed.in(Failed.Part.START, cell.name(), failure));
    }

    /** Handles a failure outside the handler: of a child that has stopped, or of code for which the actor was held. */
    public void othersFailed(Throwable failure) {
        decide(failure, false, true);
    }

    /** Handles an exception that the body has thrown. */
    void bodyFailed(Throwable failure) {
        decide(failure, true, false);
        cell.report(Failed.in(Failed.Part.BODY, cell.name(), failure));
    }

    private void decide(Throwable failure, boolean atStart, boolean canGoOn) {
        var restart = cell.spec.scope.features().decide(this, failure, atStart, canGoOn);
        if (restart != null && restarting == null) {
            runBeforeNext(restart);
        }
    }

    /** Returns whether the actor has to be restarted before its next message. */
    boolean isRestarting() {
        return restarting != null;
    }

    /** Throws the exception with which the strategy refused this turn, if it did. */
    public void requireNotRefused() throws Throwable {
        var why = refusal;
        if (why != null) {
            throw why;
        }
    }

    /** Adds an exit hook from inside the actor. */
    public void addExitHook(Body hook) {
        extendedState().addHook(new ClosingHook(hook));
        cell.spec.scope.holdOn(cell);
    }

    /** Returns whether this is no failure, but the way in which a receiving actor ends that was told to end. */
    boolean endsByExit(Throwable failure) {
        return failure instanceof ActorExitException
                && (restarting != null || cell.wasToldToEnd());
    }

    /** Adds what was handled to the scope's count. This is done rarely, since threads share that count. */
    void flush() {
        if (unflushed > 0) {
            runner.countHandled(cell.spec.scope.fates(), unflushed);
            unflushed = 0;
        }
    }

    /** Returns how many messages the actor has handled. Read by any thread. */
    long handledSoFar() {
        return (long) HANDLED.getOpaque(this);
    }

    /**
     * Begins: a handler may run from here on, and its thread may be interrupted for the actor. A thread that sets a
     * reason for the end first sets it, then reads the turn and attaches the extended state to it. The turn first
     * publishes itself, then reads the extended state. One of the two sees the other.
     */
    @Override
    void enter() {
        cell.running = this;
        assert Interleave.here();
        var found = cell.extendedState;
        if (found != null && found != extendedState) {
            // mutant: turn-does-not-see-an-earlier-request-to-exit
            extendedState = found;
            hasUrgent = found.urgent != null;
        }
    }

    /** Returns the extended state, which the turn knows from now on. */
    public ExtendedState extendedState() {
        var found = cell.extendedState();
        extendedState = found;
        return found;
    }

    @Override
    void leave(boolean clearFlag) {
        cell.leave(handled, clearFlag);
    }

    @Override
    public boolean needsThread() {
        return isRest || isReceivingBody();
    }

    public @Nullable Node last() {
        return last;
    }

    /** Notes that a receiving handler takes the entry at this position itself. */
    void took(Node position) {
        last = position;
    }
}
