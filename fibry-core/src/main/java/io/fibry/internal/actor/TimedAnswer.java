package io.fibry.internal.actor;

import io.fibry.AskTimeoutException;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Gate;
import io.fibry.internal.run.Parking;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An answer with a time limit.
 *
 * <p>When the time is over, the timer thread itself wakes the threads that wait in {@code get} or {@code
 * join}, so that they wake even if all carriers are busy. Callbacks are foreign code, which must not delay
 * the timers of others, so the completion that runs them is left to a fiber. The outcome is therefore decided
 * first, by a CAS, and the future is completed afterwards: by a fiber, if there is any callback.
 */
public class TimedAnswer<T extends @Nullable Object> extends Answer<T> {
    private static final VarHandle DECIDED =
            FieldAccess.of(MethodHandles.lookup(), "decided", boolean.class);

    private final TimeSource time;
    private final long timeoutNanos;
    private final long sentAt;
    private final Class<?> message;
    /** The ask that the asker worked on, if that leaves less time than the asker wanted to give. */
    private final @Nullable TimedAnswer<?> within;
    /** Opens when the outcome is known. */
    private final Gate known = new Gate();
    /** The time at which the handler started; zero until then. Written by the turn. */
    private volatile long startedAt;
    private volatile @Nullable Cancellable timer;
    private volatile boolean decided;
    private volatile boolean hasCallbacks;
    private volatile boolean completesHere;
    /** The failure of an expired ask. Set before {@code known} opens. */
    private volatile @Nullable AskTimeoutException expired;
    /**
     * The ask inside of whose handler this one is worked on, if a receiving handler took this one. Accessed
     * by the turn only.
     */
    private @Nullable TimedAnswer<?> around;

    TimedAnswer(Cell target, Class<?> message, long timeoutNanos, @Nullable TimedAnswer<?> within) {
        super(target);
        this.time = target.spec.scope.time();
        this.message = message;
        this.timeoutNanos = timeoutNanos;
        this.within = within;
        this.sentAt = time.nanoTime();
    }

    /**
     * Returns an answer that may take as long as the asker wants, but no longer than the ask that the asker
     * works on itself. Its clock runs.
     */
    static <T extends @Nullable Object> TimedAnswer<T> to(Cell target, Class<?> message, long timeoutNanos,
            @Nullable TimedAnswer<?> current) {
        return to(new PlainMaker<T>(), target, message, timeoutNanos, current);
    }

    /** A constructor. */
    interface Maker<T extends @Nullable Object> {
        TimedAnswer<T> make(Cell target, Class<?> message, long timeoutNanos,
                @Nullable TimedAnswer<?> within);
    }

    private record PlainMaker<T extends @Nullable Object>() implements Maker<T> {
        @Override
        public TimedAnswer<T> make(Cell target, Class<?> message, long timeoutNanos,
                @Nullable TimedAnswer<?> within) {
            return new TimedAnswer<>(target, message, timeoutNanos, within);
        }
    }

    /** As the other method of this name, for an answer of the class that the constructor makes. */
    static <T extends @Nullable Object> TimedAnswer<T> to(Maker<T> constructor, Cell target,
            Class<?> message, long timeoutNanos, @Nullable TimedAnswer<?> current) {
        Deadlines.enable();
        var left = current == null ? Long.MAX_VALUE : current.nanosLeft();
        // mutant: time-left-is-not-handed-on
        var answer = left < timeoutNanos
                ? constructor.make(target, message, left, current)
                : constructor.make(target, message, timeoutNanos, null);
        answer.arm();
        return answer;
    }

    private record Expiry(TimedAnswer<?> answer) implements Runnable {
        @Override
        public void run() {
            answer.expire();
        }
    }

    private record Settling(TimedAnswer<?> answer, AskTimeoutException failure) implements Runnable {
        @Override
        public void run() {
            answer.settle(failure);
        }
    }

    /**
     * Starts the clock. If the answer is complete by then, or is completed in the meantime, the timer is
     * cancelled.
     */
    private void arm() {
        if (!isSent()) {
            expire();
            return;
        }
        timer = time.schedule(timeoutNanos, new Expiry(this));
        if (decided) {
            cancelTimer();
        }
    }

    private void expire() {
        assert Interleave.here();
        if (decided) {
            return;
        }
        var failure =
                new AskTimeoutException("actor '" + target().name() + "' gave no answer to a message of "
                        + message.getName() + " within " + allowed() + ": " + details());
        if (!decide()) {
            return;
        }
        expired = failure;
        known.open();
        takeBack();
        target().interruptAnswer(this);
        completesHere = true;
        if (!hasCallbacks && getNumberOfDependents() == 0) {
            settle(failure);
        } else {
            Strategies.FIBER_EXECUTOR.execute(new Settling(this, failure));
        }
    }

    /** Returns whether there was any time at all. */
    boolean isSent() {
        return timeoutNanos > 0;
    }

    /**
     * Notes that the message is in the mailbox. If the time was over before that, the timer found no node to
     * take back, so it is taken back here. The timer first decides the outcome and then looks for the node;
     * the sender first puts the node in and then checks the outcome.
     */
    void markSent() {
        if (isOver()) {
            takeBack();
        }
    }

    /**
     * Stops the clock. Called when the send has thrown, so that no thread has this answer. Even if the
     * caller's stack was too short for the send, it is long enough for this method: it was checked before the
     * clock was started.
     */
    void stopClock() {
        if (decide()) {
            cancelTimer();
        }
    }

    private String allowed() {
        return Durations.text(timeoutNanos) + (within == null ? "" : ", all that was left of the time for "
                + within.what());
    }

    private String what() {
        return "a message of " + message.getName() + " at actor '" + target().name() + "'";
    }

    /**
     * Returns the failure of a wait for another answer: the handler of this ask has waited for it until the
     * time of this ask was over.
     */
    AskTimeoutException isOverBefore(Answer<?> other) {
        return new AskTimeoutException(
                "actor '" + other.target().name() + "' gave no answer before the time for "
                        + what() + " was over, " + Durations.text(timeoutNanos) + " after it was sent: "
                        + other.details());
    }

    TimeSource time() {
        return time;
    }

    /**
     * Returns how much of the time is left, zero if nothing is. The limit of the ask around this one counts
     * as well.
     */
    @Override
    long nanosLeft() {
        var left = Math.max(0, timeoutNanos - (time.nanoTime() - sentAt));
        var outer = around;
        return outer == null ? left : Math.min(left, outer.nanosLeft());
    }

    /**
     * A thread is about to add a callback. It first sets {@code hasCallbacks} and then reads whether the
     * timer thread may be completing this future. The timer thread does the two in the opposite order. So
     * either the timer thread leaves the completion to a fiber, or the callback is added to a completed
     * future and runs where it is added.
     */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        hasCallbacks = true;
        if (completesHere) {
            var backoff = new Backoff();
            while (!isDone()) {
                backoff.pause();
            }
        }
        return super.newIncompleteFuture();
    }

    /** Makes the caller the one that completes this answer; returns false if another caller was first. */
    @Override
    boolean decide() {
        return DECIDED.compareAndSet(this, false, true);
    }

    @Override
    void settled() {
        cancelTimer();
        known.open();
    }

    private void cancelTimer() {
        var armed = timer;
        if (armed != null) {
            // mutant: answered-ask-keeps-its-timer
            armed.cancel();
        }
    }

    /** The timer may be late. No handler is started for an answer whose time is over. */
    @Override
    boolean start(Cell cell) {
        var now = time.nanoTime();
        // mutant: late-ask-begins-before-its-timer-rings
        if (now - sentAt >= timeoutNanos) {
            expire();
        }
        if (decided) {
            return false;
        }
        startedAt = now == 0 ? 1 : now;
        if (!super.start(cell)) {
            return false;
        }
        var extended = cell.extendedState();
        around = extended.deadline;
        extended.deadline = this;
        return true;
    }

    @Override
    void end(Cell cell) {
        var extended = cell.extendedState();
        if (extended.deadline == this) { // otherwise it never started
            // mutant: deadline-outlives-its-message
            extended.deadline = around;
            around = null;
        }
        super.end(cell);
    }

    @Override
    public boolean isOver() {
        return expired != null || isDone();
    }

    @Override
    T await() throws InterruptedException, ExecutionException {
        known.await(time, Long.MAX_VALUE);
        return outcome();
    }

    @Override
    T await(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (!known.await(time, unit.toNanos(timeout))) {
            throw new TimeoutException();
        }
        return outcome();
    }

    @Override
    T awaitUninterrupted() {
        known.awaitUninterrupted(time);
        var failure = expired;
        if (failure != null) {
            throw new CompletionException(failure);
        }
        return super.awaitUninterrupted();
    }

    private T outcome() throws InterruptedException, ExecutionException {
        var failure = expired;
        if (failure != null) {
            throw new ExecutionException(failure);
        }
        return super.await();
    }

    @Override
    boolean awaitDone(TimeSource clock, long nanos) throws InterruptedException {
        return known.await(clock, nanos);
    }

    /** Nothing may run on top when the time is over. */
    @Override
    boolean mayRunOnTop() {
        return false;
    }

    @Override
    void runTarget(@Nullable Runner runner) {
        Parking.letGo();
    }

    @Override
    String details() {
        var cell = target();
        var now = time.nanoTime();
        var started = startedAt;
        if (!isSent()) {
            return "that was none, so it was not sent";
        }
        if (isPutAside()) {
            return "it was sent " + Durations.text(now - sentAt) + " ago, and " + putAside(cell);
        }
        if (started == 0) {
            return "it was queued for " + Durations.text(now - sentAt) + " behind "
                    + Math.max(0, nodesBefore())
                    + " and is not running yet; the actor is " + cell.state() + doing(cell);
        }
        return "it was queued for " + Durations.text(started - sentAt)
                + " and its handler has been running for "
                + Durations.text(now - started) + doing(cell);
    }
}
