package io.fibry.internal.actor;

import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Interrupts.RunningAsk;
import io.fibry.internal.context.SendSite;
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
import org.jspecify.annotations.Nullable;

/**
 * An actor as the engine sees it. {@code Handle}, a subclass, is the actor as its users see it; the subclasses of {@code
 * Handle} are the mailboxes. {@link Turn} runs the actor and {@link Termination} ends it. An idle anonymous actor
 * is this object and its {@link Behavior}, so every field counts.
 */
public abstract class Cell extends Mailbox {
    private static final VarHandle EXTENDED_STATE =
            FieldAccess.of(MethodHandles.lookup(), "extendedState", ExtendedState.class);
    static final VarHandle HANDLED =
            FieldAccess.of(MethodHandles.lookup(), "handled", long.class);
    private static final VarHandle RUNNING =
            FieldAccess.of(MethodHandles.lookup(), "running", Turn.class);

    /** What the actor does. Written by the constructor, and once more by {@link #dropReferences}; never null. */
    public Behavior behavior;
    /** How the actor was built. Written when {@code behavior} is written. */
    public ActorSpec spec;
    /** Made by the thread that needs it first, by CAS from null. */
    public volatile @Nullable ExtendedState extendedState;
    /** The turn that runs handlers of this actor; its thread may be interrupted for this actor. Written by the turn. */
    volatile @Nullable Turn running;
    /** How many messages were handled. While a turn runs, the turn has the newer count. Written by the turn, opaque. */
    private long handled;

    public Cell(ActorSpec spec, Behavior behavior) {
        this.spec = spec;
        this.behavior = behavior;
        // Both fields change once, so they cannot be final. A thread that gets the handle without synchronization still has
        // to see what is written here: this is the fence with which a constructor ends that writes final fields.
        VarHandle.storeStoreFence();
    }

    // ---- Sending. ----

    /** Sends a message; returns false if it was not accepted. The loss has then been reported. */
    public final boolean send(MessageNode node, long limitNanos) {
        return send(node, limitNanos, false);
    }

    /** As {@link #send(MessageNode, long)}; {@code hasReserve} says that the caller has checked its stack. */
    public final boolean send(MessageNode node, long limitNanos, boolean hasReserve) {
        var seen = extendedState;
        if (seen != null && !seen.isOpen()) {
            return sendCounted(node, limitNanos, seen);
        }
        return deliver(node, limitNanos, hasReserve);
    }

    /** Sends to an actor that refuses messages, or that counts the places of messages. */
    private boolean sendCounted(MessageNode node, long limitNanos, ExtendedState seen) {
        var refusal = spec.scope.refusal(seen);
        if (refusal != null) {
            lose(node, refusal, null);
            return false;
        }
        if (spec.scope.budget() == null) {
            return deliver(node, limitNanos, false);
        }
        StackReserve.require(); // before places are taken
        var places = spec.scope.services().places(this, node, limitNanos);
        var hasPlaces = places.pass();
        try {
            return hasPlaces && deliver(node, places.nanosLeft(), true);
        } catch (StackOverflowError e) {
            places.giveBack(); // the node is not in the mailbox
            throw e;
        }
    }

    private boolean deliver(MessageNode node, long limitNanos, boolean hasReserve) {
        assert Interleave.here();
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

    /** Runs foreign code that has to wait until a node is in and its turn, if needed, is started. Called by the sender. */
    protected void admitted() {
    }

    /** Starts a turn for a node that found the mailbox idle. */
    public final void start(Node node) {
        assert Interleave.here();
        var seen = extendedState;
        if (seen != null) {
            var handover = seen.handover;
            if (handover != null) {
                handover.give(node);
                return;
            }
        }
        var turn = new Turn(this, node);
        var waiterRunsIt = node instanceof AskNode ask && ask.leaveToWaiter(turn);
        if (!waiterRunsIt) {
            submit(turn);
        }
    }

    public final void submit(Turn turn) {
        try {
            var placement = spec.placement;
            var shared = placement.executor();
            var executor = shared != null ? shared : Objects.requireNonNull(extendedState().executor);
            if (placement.mayRunInPlace() && Runner.current() == null) {
                Runner.lend(executor, turn);
            } else {
                executor.execute(turn);
            }
        } catch (Throwable refusal) {
            turn.refuse(refusal);
            Strategies.FIBER_EXECUTOR.execute(turn);
        }
    }

    /** Sends a signal. Its loss needs no report. */
    public final void sendControl(Node node) {
        if (!isStopping() && offer(node) == Offer.WAKE) {
            start(node);
        }
    }

    /** As {@link #sendControl}, called by a thread that must not run handlers. */
    public final void sendControlAway(Node node) {
        if (!isStopping() && offer(node) == Offer.WAKE) {
            startAway(node);
        }
    }

    /** Sends a signal that has to be cleared at some time, whatever happens. */
    public final void sendProbe(Node probe) {
        switch (offer(probe)) {
            case WAKE -> startAway(probe);
            case CLOSED -> probe.clear();
            case QUEUED, GROWN, FULL -> {
            }
        }
    }

    /** As {@link #start}, called by a thread that must not run handlers. */
    public final void startAway(Node node) {
        if (spec.placement.mayRunInPlace()) {
            Strategies.FIBER_EXECUTOR.execute(new Start(this, node));
        } else {
            start(node);
        }
    }

    // ---- Stopping. ----

    /** Ends the actor after the current message. */
    public final void askExit() {
        StackReserve.require();
        // mutant: exit-waits-for-messages
        setExitReason(Reason.EXIT);
        wakeForExit(Reason.EXIT);
    }

    /** Ends the actor after the messages that are queued now. */
    public final void sendPoisonPill() {
        StackReserve.require();
        sendPoisonPillWithReserve();
    }

    /** As {@link #sendPoisonPill}, for a caller that has checked its stack. */
    public final void sendPoisonPillWithReserve() {
        // mutant: poison-pill-overtakes-messages
        wakeForExit(Reason.POISON_PILL);
    }

    /**
     * Forces the end: interrupts what the actor does, after which it ends. The interrupt comes before the
     * node that ends the actor, so an idle actor is not interrupted at all, and its hooks run undisturbed.
     */
    public final void force() {
        var extended = extendedState();
        setExitReason(Reason.FORCED);
        extended.forced = true;
        extended.endPause(); // code that runs while the actor is held is interrupted now
        // mutant: forced-stop-does-not-interrupt
        // mutant: idle-actor-is-told-of-its-end-before-its-interrupt
        Interrupts.turn(this);
        sendControl(new StopNode(Reason.FORCED));
        // Workers may hold all threads of a pool. Their master then has no thread on which it could stop
        // them.
        var crew = behavior.crew();
        if (crew.isPresent()) {
            for (var worker : crew.get().cells()) {
                worker.force();
            }
        }
    }

    /** Sets the reason for the end, if no reason was set before. */
    public final void setExitReason(Reason reason) {
        var mine = extendedState();
        mine.setExitReason(reason);
        assert Interleave.here();
        var turn = running;
        if (turn != null) {
            turn.extendedState = mine;
        }
        mine.endPause();
    }

    /** The caller has checked its stack. */
    private void wakeForExit(Reason reason) {
        var mine = extendedState();
        if (!Termination.ofIdle(this, mine, reason)) {
            if (reason == Reason.POISON_PILL) {
                mine.pill = true;
            }
            if (!mine.isStopping()) {
                var node = new StopNode(reason);
                if (offer(node, true) == Offer.WAKE) {
                    start(node);
                }
            }
            mine.endPause();
        }
    }

    // ---- State as seen from outside. ----

    /** Returns the name that the actor was given; null if it is anonymous. */
    public @Nullable String givenName() {
        return null;
    }

    public final String name() {
        var name = givenName();
        return name != null ? name : spec.scope.anonymousPrefix()
                + Integer.toHexString(System.identityHashCode(this));
    }

    public final ActorState state() {
        var seen = extendedState;
        var end = seen == null ? null : seen.end();
        return end != null ? end : isIdle() ? ActorState.IDLE : ActorState.BUSY;
    }

    public final Counters counters() {
        var seen = extendedState;
        return seen == null ? new Counters(handledSoFar(), 0, 0, 0, 0, 0) : seen.counters(handledSoFar());
    }

    /** Returns how many messages wait that never were in the mailbox. Called by any thread. */
    public final int waitingBeside() {
        var count = 0;
        for (var each : features()) {
            count += each.waiting();
        }
        return count;
    }

    /** Returns how many entries of the mailbox the actor is done with, modulo 2^32. Called by any thread. */
    public final int finishedOfMailbox() {
        var finished = finishedSoFar();
        for (var each : features()) {
            finished -= each.takenBeside();
        }
        return (int) finished;
    }

    /** Returns how many messages up to this number are not finished, as an estimate. Called by any thread. */
    public final int unfinished(int newest) {
        var count = newest - finishedOfMailbox();
        for (var each : features()) {
            count -= each.signals();
        }
        return count;
    }

    private Feature[] features() {
        var seen = extendedState;
        return seen == null ? ExtendedState.NONE : seen.features();
    }

    /** Returns how many messages were lost, by cause. */
    public final Map<Cause, Long> lost() {
        var seen = extendedState;
        return seen == null ? Map.of() : seen.lost();
    }

    /** Returns the stack of the actor's thread; empty if no handler runs, or if its thread is not known. */
    public final List<StackTraceElement> stack() {
        var thread = worker();
        return thread == null ? List.of() : List.of(thread.getStackTrace());
    }

    @Override
    public final String toString() {
        var seen = extendedState;
        var aside = seen == null ? 0 : seen.putAside();
        return "Actor[" + name() + ", " + state() + ", " + mailboxSize() + " waiting"
                + (aside == 0 ? "]" : ", " + aside + " put aside]");
    }

    // ---- For the engine. ----

    public final ActorSpec spec() {
        return spec;
    }

    public final Behavior behavior() {
        return behavior;
    }

    /**
     * Drops the references to the user's objects. The actor has stopped, and no code of its user runs any more: a
     * reference to the handle then keeps neither the handler nor the builder's arguments reachable. Called by the
     * thread that ends the actor. A reader that still sees the former values does no harm, since the mailbox is closed.
     */
    final void dropReferences() {
        var ended = spec.ofEnded();
        VarHandle.releaseFence(); // a thread that sees the other specification sees its content
        spec = ended;
        behavior = EndedBehavior.of(behavior);
    }

    public final @Nullable ExtendedState extendedStateIfAny() {
        return extendedState;
    }

    /** Returns whether the actor has ended, listeners were told and its waiters are released. */
    public final boolean hasExited() {
        var seen = extendedState;
        return seen != null && seen.exited.isOpen();
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
        return extendedState().supervision(spec.scope.services());
    }

    public final @Nullable Waiting waiting() {
        var seen = extendedState;
        return seen == null ? null : seen.waiting;
    }

    public final boolean exitRequested() {
        var seen = extendedState;
        return seen != null && seen.exitReason != null;
    }

    /** Returns whether the actor was told to end, or its handler has reached the poison pill. Called by the turn. */
    final boolean wasToldToEnd() {
        var seen = extendedState;
        return seen != null
                && (seen.exitReason != null || (seen.front != null && seen.front.isAtPill()));
    }

    public final boolean isStopping() {
        var seen = extendedState;
        return seen != null && seen.isStopping();
    }

    public final String stopReason() {
        var reason = extendedState().exitReason;
        return reason == null ? "idle, and was asked to" : reason.toString();
    }

    /** Returns the turn that runs handlers now; null if none does, or if the turn of another actor runs on top of it. */
    public final @Nullable Turn turn() {
        return running;
    }

    public final @Nullable Thread thread() {
        var turn = running;
        return turn == null ? null : turn.thread();
    }

    /** Returns the thread of the handler: that of the turn, or of the stand-in that the turn waits for. */
    public final @Nullable Thread worker() {
        var turns = thread();
        if (running != null) {
            for (var each : features()) {
                var other = each.worker();
                if (other != null) {
                    return other;
                }
            }
        }
        return turns;
    }

    /** Returns whether a handler has begun and not ended: it runs, or waits for a handler that runs on top of it. */
    public final boolean isAtWork() {
        return running != null || waiting() != null;
    }

    /** No handler runs from here on: no interrupt that is meant for this actor reaches the calling thread any more. */
    final void unpublish(long handledByNow, boolean clearFlag) {
        HANDLED.setOpaque(this, handledByNow);
        running = null;
        awaitInterrupts(clearFlag);
    }

    /**
     * The first half of {@link #unpublish}. A full fence has to come between it and the second half, {@link
     * #awaitInterrupts}.
     */
    final void hide(long handledByNow) {
        HANDLED.setOpaque(this, handledByNow);
        RUNNING.setRelease(this, (Turn) null);
    }

    /** The second half of {@link #unpublish}. */
    final void awaitInterrupts(boolean clearFlag) {
        assert Interleave.here();
        var seen = extendedState;
        if (seen != null) {
            Interrupts.await(seen, clearFlag);
        } else if (clearFlag) {
            Thread.interrupted();
        }
    }

    /**
     * Begins the work of a handler on an answer; returns false if the answer was cancelled at the last moment. A thread
     * that cancels first completes the answer and then looks which answer is worked on. This method does the two in the
     * opposite order, so one of the two threads sees the other.
     */
    final boolean beginAnswer(Answer<?> answer) {
        var mine = extendedState();
        mine.running = new RunningAsk(answer, mine.running);
        assert Interleave.here();
        if (answer.isOver()) {
            endAnswer(answer);
            return false;
        }
        return true;
    }

    final void endAnswer(Answer<?> answer) {
        Interrupts.end(extendedState(), answer);
    }

    public final void interruptAnswer(Answer<?> answer) {
        if (spec.interruptOnCancel) {
            Interrupts.answer(this, answer);
        }
    }

    /**
     * Returns how many messages were handled. A turn keeps the count to itself while it runs: writing it here for each
     * message would take the cache line away from the senders, which compete for it.
     */
    final long handledSoFar() {
        var turn = running;
        return turn == null ? (long) HANDLED.getOpaque(this) : turn.handledSoFar();
    }

    /** Returns the number of nodes with which turns are done. */
    public long finishedSoFar() {
        var seen = extendedState;
        return handledSoFar() + (seen == null ? 0 : seen.notHandled);
    }

    public final void count(Fates.Kind fate) {
        extendedState().count(fate);
        spec.scope.fates().add(fate, 1);
    }

    /** Counts, answers and reports a node that will not be handled. */
    public final void lose(Node node, Cause cause, @Nullable Throwable why) {
        if (!(node instanceof MessageNode message)) {
            // mutant: lost-probe-is-waited-for
            node.clear();
            return;
        }
        var content = message.isOver() ? null : message.content();
        if (content == null) {
            count(Fates.Kind.EXPIRED);
            message.clear();
            return;
        }
        Losses.count(this, content, cause);
        message.lost(this, content, cause, why);
        message.clear();
        Losses.report(this, content, cause);
    }

    /** Counts and reports content that will not be handled and is in no node any more. */
    public final void loses(Object content, Cause cause) {
        Losses.count(this, content, cause);
        Losses.report(this, content, cause);
    }

    /** Reports a failure on a message that was sent from this site, if that is known. */
    public final void reportFailure(Object message, Throwable cause, @Nullable SendSite site) {
        var failed = spec.keepsFailed() ? Failed.onKept(name(), message, cause)
                : Failed.onMessage(name(), message.getClass(), cause);
        report(site == null ? failed.about(message)
                : failed.about(message).sent(site.actor(), site.frames()));
    }

    public final void report(ActorEvent event) {
        spec.scope.events().report(event, Behavior.reportedHandler(behavior));
    }

    /** Reports an event that is not logged if there is no listener. */
    public final void tell(ActorEvent event) {
        spec.scope.events().lifecycle(event, Behavior.reportedHandler(behavior));
    }

    /** Starts a turn of an idle actor from a node. */
    public record Start(Cell cell, Node node) implements Runnable {
        @Override
        public void run() {
            cell.start(node);
        }
    }
}
