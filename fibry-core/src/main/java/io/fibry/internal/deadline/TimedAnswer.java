package io.fibry.internal.deadline;

import io.fibry.AskTimeoutException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.Limit;
import io.fibry.internal.clock.Limited;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.ClassName;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An answer with a time limit, which is a {@link Limit} with the system's clock, and with any other clock a timer of that
 * clock. {@link ExpiringAnswer} has what happens when the time is over.
 */
public class TimedAnswer<T extends @Nullable Object> extends ExpiringAnswer<T> implements Limited, TimeLimit {
    private static final VarHandle TURN =
            FieldAccess.of(MethodHandles.lookup(), "turn", Turn.class);
    /** Made with this class, and so not when memory is short. */
    private static final LateAnswers LATE = new LateAnswers(Strategies.FIBER_EXECUTOR);
    /** Nearly 146 years. The difference between any two times does not overflow then. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private final TimeSource time;
    private final long sentAt;
    private final long due;
    private final Class<?> message;
    /** The ask that the asker worked on, if that leaves less time than the asker wanted to give. */
    private final @Nullable TimedAnswer<?> within;
    /** The time at which the handler started; zero until then. Written by the turn. */
    private volatile long startedAt;
    /** The {@link Limit}, or the timer of another clock. Written by the asker before others know this answer. */
    private @Nullable Object timer;
    /**
     * The turn that the ask has started, if the actor may be run by its callers, and no thread has taken it to
     * run it. Written by the asker and the waiting thread.
     */
    private volatile @Nullable Turn turn;
    /**
     * The ask inside of whose handler this one is worked on, if a receiving handler took this one. Accessed
     * by the turn only.
     */
    private @Nullable TimedAnswer<?> around;
    /** Whether the handler is done with the message. Accessed by the turn only. */
    private boolean hasEnded;

    TimedAnswer(Cell target, Class<?> message, long sentAt, long due, @Nullable TimedAnswer<?> within) {
        super(target);
        this.time = target.spec.scope.time();
        this.message = message;
        this.sentAt = sentAt;
        this.due = due;
        this.within = within;
    }

    /**
     * Returns an answer that may take as long as the asker wants, but no longer than the ask that the asker
     * works on itself. Its clock runs.
     */
    public static <T extends @Nullable Object> TimedAnswer<T> to(Cell target, Class<?> message,
            long timeoutNanos,
            @Nullable TimeLimit current) {
        return to(new PlainMaker<T>(), target, message, timeoutNanos, current);
    }

    /** A constructor. */
    interface Maker<T extends @Nullable Object> {
        TimedAnswer<T> make(Cell target, Class<?> message, long sentAt, long due,
                @Nullable TimedAnswer<?> within);
    }

    private record PlainMaker<T extends @Nullable Object>() implements Maker<T> {
        @Override
        public TimedAnswer<T> make(Cell target, Class<?> message, long sentAt, long due,
                @Nullable TimedAnswer<?> within) {
            return new TimedAnswer<>(target, message, sentAt, due, within);
        }
    }

    /** As the other method of this name, for an answer of the class that the constructor makes. */
    public static <T extends @Nullable Object> TimedAnswer<T> to(Maker<T> constructor, Cell target,
            Class<?> message, long timeoutNanos, @Nullable TimeLimit current) {
        TimeLimit.Use.begin();
        var outer = (TimedAnswer<?>) current;
        var time = target.spec.scope.time();
        var now = time.nanoTime();
        var due = now + Math.min(timeoutNanos, LONGEST_NANOS);
        var end = outer == null ? due : outer.endBy(time, now); // not before now
        // mutant: time-left-is-not-handed-on
        var answer = end - due < 0
                ? constructor.make(target, message, now, end, outer)
                : constructor.make(target, message, now, due, null);
        answer.arm();
        return answer;
    }

    private record Expiry(TimedAnswer<?> answer) implements Runnable {
        @Override
        public void run() {
            answer.expireNow();
        }
    }

    /**
     * Starts the clock. If the answer is complete by then, or is completed in the meantime, the timer is
     * cancelled.
     */
    private void arm() {
        if (!isSent()) {
            expireNow();
        } else if (time == SystemTime.INSTANCE) {
            timer = SystemTime.INSTANCE.limit(this);
        } else {
            timer = time.schedule(due - sentAt, new Expiry(this));
            if (isDecided()) {
                cancelTimer();
            }
        }
    }

    @Override
    public long due() {
        return due;
    }

    /** Called by the timer thread of the system's clock. */
    @Override
    public void expire() {
        if (decideLateAgain()) {
            LATE.add(this);
            recordLate();
        }
    }

    /** Called by the asker, by the turn, and by timers of other clocks. */
    private void expireNow() {
        if (decideLate()) {
            completeLate(Strategies.FIBER_EXECUTOR);
            recordLate();
        }
    }

    private void recordLate() {
        var actor = target();
        var events = actor.spec.scope.events();
        if (events.mayRecord()) { // very many asks may expire at once, on the timer thread
            events.askTimedOut(actor.name(), Behavior.reportedHandler(actor.behavior), message,
                    timeoutNanos());
        }
    }

    @Override
    int queuedBehind() {
        return startedAt == 0 && isSent() ? nodesBefore() : 0;
    }

    @Override
    AskTimeoutException newFailure() {
        return new AskTimeoutException(noAnswer() + TimeoutDetails.of(this));
    }

    /** What the actor does is looked up for a few of the asks that expire together. */
    @Override
    AskTimeoutException newQuietFailure() {
        return ((TimeoutDetails) target().spec.scope.details()).mayLook()
                ? newFailure()
                : AskTimeoutException.withoutStackTrace(noAnswer() + (startedAt == 0
                        ? "it was queued for " + Durations.text(timeoutNanos()) + " behind "
                                + Math.max(0, behind())
                        : "its handler has not ended"));
    }

    private String noAnswer() {
        return TimeoutDetails.asked(this) + " gave no answer to a message of " + ClassName.of(message)
                + " within "
                + allowed() + ": ";
    }

    /** Returns whether there was any time at all. */
    public boolean isSent() {
        return due - sentAt > 0;
    }

    /** Returns how long the ask may take from its start. */
    public long timeoutNanos() {
        return due - sentAt;
    }

    /**
     * Notes that the message is in the mailbox. If the time was over before that, the timer found no node to
     * take back, so it is taken back here. The timer first decides the outcome and then looks for the node;
     * the sender first puts the node in and then checks the outcome.
     */
    public void markSent() {
        if (isOver()) {
            takeBackLate();
        }
    }

    /**
     * Stops the clock. Called when the send has thrown, so that no thread has this answer. Even if the
     * caller's stack was too short for the send, it is long enough for this method: it was checked before the
     * clock was started.
     */
    public void stopClock() {
        if (decide()) {
            cancelTimer();
        }
    }

    private String allowed() {
        return Durations.text(timeoutNanos()) + (within == null ? "" : ", all that was left of the time for "
                + within.what());
    }

    private String what() {
        return "a message of " + ClassName.of(message) + " at " + TimeoutDetails.asked(this);
    }

    /**
     * Returns the failure of a wait for another answer: the handler of this ask has waited for it until the
     * time of this ask was over.
     */
    @Override
    public AskTimeoutException isOverBefore(Answer<?> other) {
        return new AskTimeoutException(
                TimeoutDetails.asked(other) + " gave no answer before the time for "
                        + what() + " was over, " + Durations.text(timeoutNanos()) + " after it was sent: "
                        + TimeoutDetails.of(other));
    }

    @Override
    public TimeSource time() {
        return time;
    }

    /**
     * Returns how much of the time is left, zero if nothing is. The limit of the ask around this one counts
     * as well.
     */
    @Override
    public long nanosLeft() {
        return Math.max(0, end() - time.nanoTime());
    }

    /** Returns when the handler has to be done: the limit of the ask around this one counts as well. */
    private long end() {
        var end = due;
        for (var outer = around; outer != null; outer = outer.around) {
            end = outer.due - end < 0 ? outer.due : end; // all are asks of one actor, by one clock
        }
        return end;
    }

    /** Returns the same by this clock, whose time is {@code now}; returns {@code now} if that is over. */
    private long endBy(TimeSource clock, long now) {
        return now + (clock == time ? Math.max(0, end() - now) : nanosLeft());
    }

    @Override
    protected boolean isDueBefore(TimeLimit current) {
        return time == current.time() ? due - ((TimedAnswer<?>) current).end() <= 0
                : nanosLeft() <= current.nanosLeft();
    }

    @Override
    public void settled() {
        cancelTimer();
        openGate();
    }

    private void cancelTimer() {
        var armed = timer;
        if (armed instanceof Limit limit) {
            SystemTime.INSTANCE.cancel(limit);
        } else if (armed instanceof Cancellable other) {
            // mutant: answered-ask-keeps-its-timer
            other.cancel();
        }
    }

    @Override
    public boolean isOverByNow() {
        if (!isDecided() && time.nanoTime() - due >= 0) {
            expireNow();
        }
        return isOver();
    }

    /** The timer may be late. No handler is started for an answer whose time is over. */
    @Override
    public boolean start(Cell cell) {
        var now = time.nanoTime();
        // mutant: late-ask-begins-before-its-timer-rings
        if (now - due >= 0) {
            expireNow();
        }
        if (isDecided()) {
            return false;
        }
        startedAt = now == 0 ? 1 : now;
        hasEnded = false; // it may have been put aside
        if (!super.start(cell)) {
            return false;
        }
        var extended = cell.extendedState();
        around = (TimedAnswer<?>) extended.deadline;
        extended.deadline = this;
        return true;
    }

    @Override
    public void end(Cell cell) {
        var extended = cell.extendedState();
        if (extended.deadline == this) {
            // mutant: deadline-outlives-its-message
            extended.deadline = around;
            around = null;
        }
        hasEnded = true; // restored() leaves this answer out, if the deadline is hidden now
        super.end(cell);
    }

    /** Returns this limit if its message is not over; otherwise that around it which is not over, if there is one. */
    private @Nullable TimedAnswer<?> notOver() {
        @Nullable TimedAnswer<?> first = this;
        while (first != null && first.hasEnded) {
            var outer = first.around;
            first.around = null;
            first = outer;
        }
        return first;
    }

    @Override
    public @Nullable TimeLimit restored(@Nullable TimeLimit added) {
        var before = notOver();
        if (added == null) {
            return before;
        }
        var outermost = (TimedAnswer<?>) added;
        while (outermost.around != null) {
            outermost = outermost.around;
        }
        outermost.around = before;
        return added;
    }

    @Override
    public void setAside(Cell cell) {
        super.setAside(cell);
        startedAt = 0;
    }

    /**
     * A thread on whose stack another actor runs cannot go on when the time is over. So this happens only to actors that
     * were made for it.
     */
    @Override
    public boolean mayRunOnTop() {
        return target().spec.mayBeRunByCallers;
    }

    /** Shares the turn with the thread that waits, if the actor permits that. The turn is submitted all the same. */
    @Override
    protected boolean share(Turn started, boolean isCode) {
        if (!isCode && started.cell.spec.mayBeRunByCallers) {
            started.markShared();
            turn = started;
        }
        return false;
    }

    /** A lane yields once: the lane to which it has just given the turn is likely to answer meanwhile. */
    @Override
    public void runTarget(@Nullable Runner runner) {
        var mine = turn == null ? null : (Turn) TURN.getAndSet(this, (Turn) null);
        if (mine != null) {
            mine.runUntil(this);
        }
        super.runTarget(runner);
        if (runner instanceof Lane && !isOver()) {
            Thread.yield();
        }
    }

    @Override
    public String details() {
        var cell = target();
        var now = time.nanoTime();
        var started = startedAt;
        if (!isSent()) {
            return "that was none, so it was not sent";
        }
        if (isPutAside()) {
            return "it was sent " + Durations.text(now - sentAt) + " ago, and "
                    + TimeoutDetails.putAside(cell);
        }
        if (started == 0) {
            return "it was queued for " + Durations.text(now - sentAt) + " behind "
                    + Math.max(0, behind())
                    + TimeoutDetails.notTaken(cell, " and is not running yet; the actor is ");
        }
        if (isDeferred()) {
            return "it was queued for " + Durations.text(started - sentAt)
                    + ", and its handler has returned and has deferred the reply";
        }
        return "it was queued for " + Durations.text(started - sentAt)
                + " and its handler has been running for "
                + Durations.text(now - started) + cell.spec.scope.details().doing(cell);
    }
}
