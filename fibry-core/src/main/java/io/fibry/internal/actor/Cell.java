package io.fibry.internal.actor;

import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.event.ActorEvent;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An actor as the engine sees it. {@link Handle} is what users see, the subclasses of that are its mailbox;
 * {@link Turn} runs it; {@link Termination} ends it. An idle anonymous actor is this object, so every field
 * counts.
 */
public abstract class Cell extends Mailbox {
    private static final VarHandle EXTENDED_STATE =
            FieldAccess.of(MethodHandles.lookup(), "extendedState", ExtendedState.class);
    private static final VarHandle HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "handled", long.class);
    private static final VarHandle RUNNING =
            FieldAccess.of(MethodHandles.lookup(), "running", Turn.class);

    /** What it does. Written by the constructor, and once more by {@link #letGo}; never null, see there. */
    private Behavior behavior;
    /** How it is. Written as {@code behavior} is. */
    private ActorSpec spec;
    private volatile @Nullable ExtendedState extendedState;
    /** The turn that runs handlers of this actor; its thread may be interrupted for that. Written by the turn. */
    private volatile @Nullable Turn running;
    /** How many messages were handled; while a turn runs, it knows better. Written by the turn, opaque. */
    private long handled;

    Cell(ActorSpec spec, Behavior behavior) {
        this.spec = spec;
        this.behavior = behavior;
        // Both change once, so they cannot be final. Whoever gets the handle without synchronization still sees what is
        // written here: this is the fence that a constructor with final fields ends with.
        VarHandle.storeStoreFence();
    }

    // ---- Sending. ----

    /** Sends a node; false if it was not accepted, which has then been reported. */
    public final boolean send(Node node, long limitNanos) {
        var seen = extendedState;
        if (seen != null && !seen.isOpen()) {
            return sendCounted(node, limitNanos, seen);
        }
        return deliver(node, limitNanos, false);
    }

    /** The same without a limit, by a caller that has looked at its stack. */
    final boolean sendWithReserve(Node node) {
        var seen = extendedState;
        if (seen != null && !seen.isOpen()) {
            return sendCounted(node, Long.MAX_VALUE, seen);
        }
        return deliver(node, Long.MAX_VALUE, true);
    }

    /** Sends to an actor that is not simply open. */
    private boolean sendCounted(Node node, long limitNanos, ExtendedState seen) {
        var refusal = spec.scope().refusal(seen);
        if (refusal != null) {
            lose(node, refusal, null);
            return false;
        }
        var gate = behavior.gate();
        var budget = spec.scope().budget();
        if (gate == null && budget == null) {
            return deliver(node, limitNanos, false);
        }
        StackReserve.require(); // before places are taken
        var entrance = new Reservation(this, seen, node, limitNanos);
        var counted = entrance.pass();
        try {
            return counted != null && deliver(counted, entrance.nanosLeft(), true);
        } catch (StackOverflowError e) {
            entrance.giveBack(); // it is not in
            throw e;
        }
    }

    /** Which limit was reached, for errors. */
    final String overload() {
        var gate = behavior.gate();
        var budget = spec.scope().budget();
        return (gate == null ? "" : gate.taken() + " of " + gate.most() + " messages are handled or wait")
                + (gate == null || budget == null ? "" : ", ") + (budget == null ? "" : budget);
    }

    private boolean deliver(Node node, long limitNanos, boolean hasReserve) {
        Interleave.here();
        switch (offer(node, hasReserve)) {
            // mutant: sender-does-not-wake-the-actor
            case WAKE -> start(node);
            case QUEUED -> {
            }
            case GROWN -> grows();
            case FULL -> {
                if (!overflow(node, limitNanos)) {
                    return false;
                }
            }
            case CLOSED -> {
                lose(node, Cause.STOPPED, null);
                return false;
            }
        }
        admitted();
        return true;
    }

    /** Starts a turn for a node that found the mailbox idle. */
    public final void start(Node node) {
        Interleave.here();
        var seen = extendedState;
        if (seen != null) {
            var handover = seen.handover;
            if (handover != null) {
                handover.give(node);
                return;
            }
        }
        var turn = new Turn(this, node);
        var waiterRunsIt = node instanceof AskNode ask && ask.leavesToWaiter(turn);
        if (!waiterRunsIt) {
            submit(turn);
        }
    }

    public final void submit(Turn turn) {
        try {
            if (spec.placement().mayRunInPlace() && Current.strand() == null) {
                submitFromOutside(turn);
            } else {
                executor().execute(turn);
            }
        } catch (Throwable refusal) {
            turn.refuse(refusal);
            Strategies.FIBER_EXECUTOR.execute(turn);
        }
    }

    /** The executor may run it there and then, on the thread of somebody who sends. */
    private void submitFromOutside(Turn turn) {
        var lent = Runner.lent();
        lent.adopt();
        try {
            executor().execute(turn);
        } finally {
            Runner.leave();
            lent.end();
        }
    }

    private Executor executor() {
        var shared = spec.placement().executor();
        return shared != null ? shared : Objects.requireNonNull(extendedState().executor);
    }

    /** Sends a control node, which has no fate to report. */
    public final void sendControl(Node node) {
        if (!hasClosed() && offer(node) == Offer.WAKE) {
            start(node);
        }
    }

    /** Sends a control node from a thread that must not run handlers. */
    public final void sendControlAway(Node node) {
        if (!hasClosed() && offer(node) == Offer.WAKE) {
            startAway(node);
        }
    }

    /** Sends a control node that has to be cleared some time, whatever happens. */
    public final void sendProbe(Node probe) {
        switch (offer(probe)) {
            case WAKE -> startAway(probe);
            case CLOSED -> probe.clear();
            case QUEUED, GROWN, FULL -> {
            }
        }
    }

    /** As {@link #start}, from a thread that must not run handlers. */
    public final void startAway(Node node) {
        if (spec.placement().mayRunInPlace()) {
            Strategies.FIBER_EXECUTOR.execute(() -> start(node));
        } else {
            start(node);
        }
    }

    // ---- Stopping. ----

    /** Ends the actor after the current message. */
    public final void askExit() {
        StackReserve.require();
        // mutant: exit-waits-for-messages
        exit(Reason.EXIT);
        wakeForExit(Reason.EXIT);
    }

    /** Ends the actor after what is queued now. */
    public final void sendPoisonPill() {
        StackReserve.require();
        // mutant: poison-pill-overtakes-messages
        wakeForExit(Reason.POISON_PILL);
    }

    /** Gives the reason for the end, if it is the first one. */
    public final void exit(Reason reason) {
        var mine = extendedState();
        mine.exit(reason);
        Interleave.here();
        var turn = running;
        if (turn != null) {
            turn.attach(mine);
        }
        mine.endPause();
    }

    private void wakeForExit(Reason reason) {
        if (!Termination.ofIdle(this, reason)) {
            var mine = extendedState();
            if (reason == Reason.POISON_PILL) {
                mine.pill = true;
            }
            sendControl(new StopNode(reason));
            mine.endPause();
        }
    }

    // ---- What it looks like from outside. ----

    public final String name() {
        var name = spec.name();
        return name != null ? name : spec.scope().anonymousPrefix()
                + Integer.toHexString(System.identityHashCode(this));
    }

    public final ActorState state() {
        var seen = extendedState;
        if (seen != null) {
            if (seen.phase() == ExtendedState.Phase.STOPPED) {
                return ActorState.STOPPED;
            }
            if (seen.hasClosed() || seen.exitReason() != null) {
                return ActorState.STOPPING;
            }
        }
        return isIdle() ? ActorState.IDLE : ActorState.BUSY;
    }

    public final Counters counters() {
        var seen = extendedState;
        if (seen == null) {
            return new Counters(handledSoFar(), 0, 0, 0, 0, 0);
        }
        return new Counters(handledSoFar(), seen.counted(Fates.Kind.FAILED), seen.counted(Fates.Kind.EXPIRED),
                seen.counted(Fates.Kind.DROPPED), seen.counted(Fates.Kind.REFUSED),
                seen.counted(Fates.Kind.UNDELIVERED));
    }

    /** Why messages were lost. */
    final Map<Cause, Long> lost() {
        var seen = extendedState;
        return seen == null ? Map.of() : seen.lost();
    }

    /** What it does at the moment; empty if it does nothing, or nothing that is known. */
    public final List<StackTraceElement> stack() {
        var thread = worker();
        return thread == null ? List.of() : List.of(thread.getStackTrace());
    }

    @Override
    public final String toString() {
        return "Actor[" + name() + ", " + state() + ", " + mailboxSize() + " waiting]";
    }

    // ---- For the engine. ----

    public final ActorSpec spec() {
        return spec;
    }

    public final Behavior behavior() {
        return behavior;
    }

    /**
     * The actor has stopped, and nothing of its user's runs any more: whoever keeps the handle does not keep the handler
     * alive, nor what was said to its builder. By the terminator. A reader that still sees what was there before does no
     * harm: the mailbox is closed.
     */
    final void letGo() {
        var ended = spec.ofEnded();
        VarHandle.releaseFence(); // whoever sees the other specification sees what is in it
        spec = ended;
        behavior = EndedBehavior.of(behavior);
        extendedState().letGo();
    }

    public final @Nullable ExtendedState extendedStateIfAny() {
        return extendedState;
    }

    public final ExtendedState extendedState() {
        var seen = extendedState;
        if (seen != null) {
            return seen;
        }
        var fresh = new ExtendedState();
        var before = (ExtendedState) EXTENDED_STATE.compareAndExchange(this, (ExtendedState) null, fresh);
        return before != null ? before : fresh;
    }

    public final Supervision supervision() {
        return extendedState().supervision(spec.scope().features());
    }

    public final @Nullable Waiting waiting() {
        var seen = extendedState;
        return seen == null ? null : seen.waiting;
    }

    public final boolean exitRequested() {
        var seen = extendedState;
        return seen != null && seen.exitReason() != null;
    }

    /** Tells whether it was told to end, or its handler has come to the message that says so. By the turn. */
    final boolean wasToldToEnd() {
        var seen = extendedState;
        return seen != null
                && (seen.exitReason() != null || (seen.inbox != null && seen.inbox.isAtPill()));
    }

    public final boolean hasClosed() {
        var seen = extendedState;
        return seen != null && seen.hasClosed();
    }

    final String stopReason() {
        var seen = extendedState;
        var reason = seen == null ? null : seen.exitReason();
        return reason == null ? "idle, and was asked to" : reason.toString();
    }

    /** The turn that works, if no other actor's runs on top of it. */
    public final @Nullable Turn turn() {
        return running;
    }

    public final @Nullable Thread thread() {
        var turn = running;
        return turn == null ? null : turn.thread();
    }

    /** The thread that a handler runs on: the turn's, or the one that the turn waits for. */
    public final @Nullable Thread worker() {
        var seen = extendedState;
        var delegation = seen == null ? null : seen.delegation;
        var standIn = delegation == null ? null : delegation.thread();
        return standIn == null || running == null ? thread() : standIn;
    }

    /** Whether a handler has begun and not ended: it runs, or waits for one that runs on top of it. */
    public final boolean isAtWork() {
        return running != null || waiting() != null;
    }

    /** A handler may run from here on: the turn's thread may be interrupted for it. */
    final void enter(Turn turn) {
        running = turn;
    }

    /** No handler runs from here on: no interrupt meant for this actor reaches this thread any more. */
    final void leave(long handledByNow, boolean clearFlag) {
        HANDLED.setOpaque(this, handledByNow);
        running = null;
        awaitInterrupts(clearFlag);
    }

    /** The first half of leaving: a full fence has to come before the second, {@link #awaitInterrupts}. */
    final void hide(long handledByNow) {
        HANDLED.setOpaque(this, handledByNow);
        RUNNING.setRelease(this, (Turn) null);
    }

    /** The second half of leaving. */
    final void awaitInterrupts(boolean clearFlag) {
        Interleave.here();
        var seen = extendedState;
        if (seen != null) {
            Interrupts.await(seen, clearFlag);
        } else if (clearFlag) {
            Thread.interrupted();
        }
    }

    /**
     * The handler is about to work on this answer; false if it was cancelled in the last moment. Whoever
     * cancels completes the answer first and then looks which one runs; here it is the other way round, so
     * one of the two sees the other.
     */
    final boolean beginAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel()) {
            var mine = extendedState();
            mine.running = new RunningAsk(answer, mine.running);
            Interleave.here();
            if (answer.isOver()) {
                endAnswer(answer);
                return false;
            }
        }
        return true;
    }

    final void endAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel()) {
            Interrupts.end(extendedState(), answer);
        }
    }

    final void interruptAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel()) {
            Interrupts.answer(this, answer);
        }
    }

    /**
     * How many messages were handled. A turn keeps the count to itself while it runs: writing it here for each
     * message would take the cache line that the senders fight for away from them.
     */
    final long handledSoFar() {
        var turn = running;
        return turn == null ? (long) HANDLED.getOpaque(this) : turn.handledSoFar();
    }

    /** A turn is done with a node that met another fate, or is no message. */
    final void finishedOtherwise() {
        extendedState().finishedOtherwise();
    }

    /** How many nodes turns are done with. */
    public final long finishedSoFar() {
        var seen = extendedState;
        return handledSoFar() + (seen == null ? 0 : seen.notHandled());
    }

    final void count(Fates.Kind fate) {
        extendedState().count(fate);
        spec.scope().fates().add(fate, 1);
    }

    /** A node will not be handled: counts it, tells its asker, reports it. */
    public final void lose(Node node, Cause cause, @Nullable Throwable why) {
        if (node.isControl()) {
            // mutant: lost-probe-is-waited-for
            node.clear();
            return;
        }
        var content = node.isOver() ? null : node.content();
        if (content == null) {
            count(Fates.Kind.EXPIRED);
            node.clear();
            return;
        }
        countLoss(cause);
        node.lost(this, content, cause, why);
        node.clear();
        report(new Undelivered(name(), content, cause));
    }

    /** Something that is no node any more will not be handled. */
    public final void loses(Object content, Cause cause) {
        countLoss(cause);
        report(new Undelivered(name(), content, cause));
    }

    private void countLoss(Cause cause) {
        var fate = Losses.fate(cause);
        // mutant: lost-message-is-not-counted
        extendedState().lose(fate, cause);
        spec.scope().fates().lose(fate, cause);
    }

    public final void report(ActorEvent event) {
        spec.scope().events().report(event);
    }
}
