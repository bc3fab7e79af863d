package io.fibry.internal.deadline;

import io.fibry.AskTimeoutException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Answer.UnhandledAsk;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.reply.OpenReply;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Strategies;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An answer that fails when its time is over, unless it is complete before.
 *
 * <p>When the time is over, the timer thread decides that, by a CAS, and wakes the threads that wait in {@code get} or
 * {@code join}. So they wake even if all carriers are busy. It also takes back the message, and interrupts the handler if
 * the actor is to be interrupted; all of this is short. The rest is left to others. The thread that needs the exception
 * first builds it: a thread that waits, or a fiber. The future is completed by a fiber ({@link LateAnswers}), or by a
 * thread that looks at it before.
 *
 * <p>Callbacks are foreign code, which may block. So the answers that have callbacks are completed each by a fiber of its
 * own, which {@code completer} decides:
 *
 * <pre>
 *   OPEN -> CALLBACKS   a thread that adds a callback: a fiber completes this answer, if its time is over
 *   OPEN -> TAKEN       a thread that completes this answer, after its time is over, at once: there is nothing to call
 *   TAKEN -> OPEN       the same thread, if it has found no memory for that
 * </pre>
 */
public abstract class ExpiringAnswer<T extends @Nullable Object> extends Answer<T> {
    private static final int OPEN = 0;
    private static final int CALLBACKS = 1;
    private static final int TAKEN = 2;
    private static final VarHandle DECIDED =
            FieldAccess.of(MethodHandles.lookup(), "decided", boolean.class);
    private static final VarHandle COMPLETER =
            FieldAccess.of(MethodHandles.lookup(), "completer", byte.class);
    private static final VarHandle GATE =
            FieldAccess.of(MethodHandles.lookup(), "gate", Gate.class);
    private static final VarHandle FAILURE =
            FieldAccess.of(MethodHandles.lookup(), "failure", AskTimeoutException.class);

    /** Opens when the outcome is known. Made by the first thread that waits, by CAS, which then reads the outcome. */
    private volatile @Nullable Gate gate;
    /** The failure of an expired ask, once a thread has needed it. Made by a thread that needs it, by CAS. */
    private volatile @Nullable AskTimeoutException failure;
    /** Behind how many messages the ask was queued when its time was over. Written before {@code isExpired}. */
    private int behind;
    /** Set by the thread that decides the outcome, by CAS; only that one completes the future. */
    private volatile boolean decided;
    /** Whether the time is over. Set by the thread that has decided that. */
    private volatile boolean isExpired;
    /** Written by CAS: a thread that completes a late answer, or one that adds a callback, comes first. */
    private volatile byte completer;

    private record Settling(ExpiringAnswer<?> answer) implements Runnable {
        @Override
        public void run() {
            answer.settle(answer.failure());
        }
    }

    public ExpiringAnswer(Cell target) {
        super(target);
    }

    abstract TimeSource time();

    abstract AskTimeoutException newFailure();

    /** As {@link #newFailure}, for an answer that no thread has looked at: one of very many, perhaps. */
    abstract AskTimeoutException newQuietFailure();

    /** Returns behind how many messages the ask is queued. */
    abstract int queuedBehind();

    final int behind() {
        return isExpired ? behind : nodesBefore();
    }

    final boolean isDecided() {
        return decided;
    }

    /** Decides that the time is over, and wakes the threads that wait; returns false if the outcome was decided before. */
    final boolean decideLate() {
        assert Interleave.here();
        if (decided || !decide()) {
            return false;
        }
        behind = queuedBehind();
        isExpired = true;
        tellLate();
        var extended = target().extendedStateIfAny();
        if (extended != null) {
            for (var each : extended.features()) {
                each.askTimedOut();
            }
        }
        return true;
    }

    /** As {@link #decideLate}, and goes on if a call of this has failed half-way before, for lack of memory. */
    final boolean decideLateAgain() {
        if (decideLate()) {
            return true;
        }
        if (!isExpired || super.isDone()) {
            return false;
        }
        tellLate();
        return true;
    }

    /** Does no harm if it is done twice. */
    private void tellLate() {
        openGate();
        takeBackLate();
        target().interruptAnswer(this);
    }

    /** Takes the message back, since the time is over. What it asks of the outside of this process is kept for the failure. */
    final void takeBackLate() {
        var node = node();
        var content = node == null ? null : node.content();
        takeBack();
        if (node != null && failure == null && content instanceof RemoteQuestion question) {
            replace(node, new UnhandledAsk(node.cell(), question));
        }
    }

    /**
     * Completes this answer, whose time is over: at once if it has no callbacks, otherwise on this executor. There
     * may also be callbacks that were added without a call of {@link #newIncompleteFuture}.
     */
    final void completeLate(Executor forCallbacks) {
        completeLate(forCallbacks, false);
    }

    /** As {@link #completeLate}, for an answer that no thread has looked at. */
    final void completeQuietly(Executor forCallbacks) {
        completeLate(forCallbacks, true);
    }

    private void completeLate(Executor forCallbacks, boolean isQuiet) {
        if (hasCallbacks() || !completeAtOnce(isQuiet)) {
            forCallbacks.execute(new Settling(this));
        }
    }

    /** Returns whether code may run when this answer is completed. */
    final boolean hasCallbacks() {
        return completer == CALLBACKS || getNumberOfDependents() > 0;
    }

    /** Completes this answer on the calling thread; returns false if that is to be left to a fiber. */
    private boolean completeAtOnce(boolean isQuiet) {
        var late = failure(isQuiet); // before this answer is taken: to build it may fail
        assert Interleave.here();
        // mutant: callback-of-a-late-answer-is-called-by-its-reader
        if (COMPLETER.compareAndSet(this, (byte) OPEN, (byte) TAKEN)) {
            assert Interleave.here();
            try {
                settle(late);
            } finally {
                if (!super.isDone()) {
                    completer = OPEN; // no memory; another thread tries again
                }
            }
            return true;
        }
        return completer == TAKEN;
    }

    /** Completes this answer if its time is over and no thread has done so yet: the reader is to see the outcome. */
    private void completeIfLate() {
        if (isExpired && !super.isDone() && !hasCallbacks()) {
            StackReserve.require();
            completeAtOnce(false);
        }
    }

    private AskTimeoutException failure() {
        return failure(false);
    }

    private AskTimeoutException failure(boolean isQuiet) {
        var known = failure;
        if (known != null) {
            return known;
        }
        var fresh = isQuiet ? newQuietFailure() : newFailure();
        var before =
                (AskTimeoutException) FAILURE.compareAndExchange(this, (AskTimeoutException) null, fresh);
        if (place() instanceof OpenReply reply) {
            reply.forgetQuestion();
        } else if (place() instanceof UnhandledAsk late && !late.isLost()) {
            replace(late, late.cell());
        }
        return before == null ? fresh : before;
    }

    /** Returns whether the time is over, and the failure that tells it is not built yet. */
    @Override
    public final boolean isLate() {
        return isExpired && failure == null;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        noteCallback();
        return super.newIncompleteFuture();
    }

    /** The caller may add a callback directly. */
    @Override
    public CompletableFuture<T> toCompletableFuture() {
        noteCallback();
        return this;
    }

    /**
     * Notes that a thread is about to add a callback. If the time is over and this answer is not completed yet, this
     * thread does so first. If another thread is completing it, this thread waits until that is done. So the callback
     * is called where it is added, or by a fiber.
     */
    private void noteCallback() {
        Backoff backoff = null;
        while (!super.isDone() && completer != CALLBACKS) {
            completeIfLate();
            assert Interleave.here();
            if (COMPLETER.compareAndSet(this, (byte) OPEN, (byte) CALLBACKS)) {
                if (isExpired) {
                    completeLate(Strategies.FIBER_EXECUTOR); // it may be taken for one without callbacks
                }
                return;
            }
            backoff = backoff == null ? new Backoff() : backoff;
            backoff.pause();
        }
    }

    @Override
    public boolean isDone() {
        completeIfLate();
        return super.isDone();
    }

    @Override
    public boolean isCompletedExceptionally() {
        completeIfLate();
        return super.isCompletedExceptionally();
    }

    @Override
    public T getNow(T valueIfAbsent) {
        completeIfLate();
        return super.getNow(valueIfAbsent);
    }

    @Override
    public T resultNow() {
        completeIfLate();
        return super.resultNow();
    }

    @Override
    public Throwable exceptionNow() {
        completeIfLate();
        return super.exceptionNow();
    }

    @Override
    public State state() {
        completeIfLate();
        return super.state();
    }

    /** Makes the caller the one that completes this answer; returns false if another caller was first. */
    @Override
    public boolean decide() {
        return DECIDED.compareAndSet(this, false, true);
    }

    @Override
    public boolean isOver() {
        return isExpired || super.isDone();
    }

    /**
     * Opens the gate, if a thread waits. The outcome is known by then. A thread that waits first makes the gate and then
     * looks whether the outcome is known. So one of the two sees the other.
     */
    final void openGate() {
        assert Interleave.here();
        var waiting = gate;
        if (waiting != null) {
            // mutant: late-answer-wakes-no-thread
            waiting.open();
        }
    }

    private Gate gate() {
        var seen = gate;
        if (seen != null) {
            return seen;
        }
        var fresh = new Gate();
        var before = (Gate) GATE.compareAndExchange(this, (Gate) null, fresh);
        return before == null ? fresh : before;
    }

    @Override
    public T await() throws InterruptedException, ExecutionException {
        awaitOver(time(), Long.MAX_VALUE);
        return outcome();
    }

    @Override
    public T await(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!awaitOver(SystemTime.INSTANCE, unit.toNanos(timeout))) { // as any future; the limit of the ask has its own clock
            throw new TimeoutException();
        }
        return outcome();
    }

    @Override
    public T awaitUninterrupted() {
        if (!isOver()) {
            var mine = gate();
            if (!isOver()) {
                mine.awaitUninterrupted(time());
            }
        }
        if (isExpired) {
            completeIfLate();
            throw new CompletionException(failure());
        }
        return super.awaitUninterrupted();
    }

    private T outcome() throws InterruptedException, ExecutionException {
        if (isExpired) {
            completeIfLate();
            throw new ExecutionException(failure());
        }
        return super.await();
    }

    @Override
    public boolean awaitDone(TimeSource clock, long nanos) throws InterruptedException {
        return awaitOver(clock, nanos);
    }

    private boolean awaitOver(TimeSource clock, long nanos) throws InterruptedException {
        if (isOver()) {
            return true;
        }
        var mine = gate();
        assert Interleave.here();
        return isOver() || mine.await(clock, nanos);
    }
}
