package io.fibry.work;

import io.fibry.ActorScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls while too many of them fail or are slow, so that what is called can recover and callers do not wait in vain.
 *
 * <p>A breaker is <i>closed</i> at first: it starts all calls, and measures how they end. When the rate of failed calls, or
 * that of slow ones, is too high in its window, it <i>opens</i>: it refuses calls with a {@link CircuitOpenException}. After a
 * time it is <i>half-open</i>, and starts a few calls. When these have ended, it is closed with an empty window, or opens
 * again, by the same rates. Calls that were started before the last change of the state do not count. If the calls of a
 * half-open breaker do not end within the time for which it stays open, it starts others. A cancelled call does not count, and
 * leaves its place to another one. A call that a handler with a time limit starts fails when that is over, and counts.
 *
 * <p>A breaker has no thread, and no timer but for such a call: it looks at the clock when it is used. Objects are thread-safe.
 */
public final class CircuitBreaker implements CallPolicy {
    private final Environment environment;
    private final BreakerOptions options;
    /** Guards the state and the window; listeners and the clock are called without it. */
    private final ReentrantLock lock = new ReentrantLock();
    private WindowCounts counts;
    private BreakerState state = BreakerState.CLOSED;
    private boolean isForced;
    private long since;
    private long round;
    private int trialsLeft;
    private long refused;

    private CircuitBreaker(Environment environment, BreakerOptions options) {
        this.environment = environment;
        this.options = options;
        counts = WindowCounts.of(options.window());
    }

    /**
     * Makes a breaker, which is closed.
     *
     * @param scope has the clock
     * @param name the name in events and exceptions
     * @param options the options
     * @return the breaker
     * @throws IllegalStateException if the scope is closed
     */
    public static CircuitBreaker open(ActorScope scope, String name, BreakerOptions options) {
        var listener = Objects.requireNonNull(options, "options").listener();
        return new CircuitBreaker(Environment.ofPolicy("breaker", scope, name, listener), options);
    }

    /** What becomes of a call: the round in which it is started, or that it is refused in a state. */
    private record Admission(boolean isRefused, long round, BreakerState state) {
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call) {
        var pending = new PendingCall<>(environment, call);
        var result = pending.result();
        if (pending.isOver()) {
            return result;
        }
        var events = new ArrayList<WorkEvent>();
        var admission = admit(events);
        events.forEach(environment::tell);
        if (admission.isRefused()) {
            result.completeExceptionally(new CircuitOpenException("breaker '" + environment.name()
                    + "' refuses a call, since it is " + admission.state()
                    + ": try again later, or do without the answer"));
            return result;
        }
        assert SwitchPoints.here();
        var begun = environment.nanoTime();
        var counted = pending.start().whenComplete((value, failure) -> count(admission.round(), begun, result,
                value, result.state() == Future.State.FAILED ? result.exceptionNow()
                        : failure == null ? null : PendingCall.causeOf(failure)));
        return result;
    }

    /** Counts a call that has ended, and then lets its caller and the listener know. */
    private <T extends @Nullable Object> void count(long inRound, long begun, CompletableFuture<T> result,
            T value, @Nullable Throwable failure) {
        var events = new ArrayList<WorkEvent>();
        try {
            ended(inRound, begun, failure, events);
        } finally {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        }
        events.forEach(environment::tell);
    }

    private Admission admit(List<WorkEvent> events) {
        var now = environment.nanoTime();
        lock.lock();
        try {
            look(now, events);
            if (state == BreakerState.CLOSED) {
                return new Admission(false, round, state);
            }
            if (state == BreakerState.HALF_OPEN && trialsLeft > 0) {
                // mutant: two-callers-take-one-trial
                trialsLeft--;
                return new Admission(false, round, state);
            }
            refused++;
            events.add(new WorkEvent.CallRefused(environment.name()));
            return new Admission(true, round, state);
        } finally {
            lock.unlock();
        }
    }

    /** Does what is due by the clock. */
    private void look(long now, List<WorkEvent> events) {
        var isOver = now - since >= options.openFor().toNanos();
        if (state == BreakerState.OPEN && !isForced && isOver) {
            move(BreakerState.HALF_OPEN, now, events);
        } else if (state == BreakerState.HALF_OPEN && isOver) {
            begin(now); // its calls have not ended in time
        }
    }

    private void move(BreakerState next, long now, List<WorkEvent> events) {
        if (state != next) {
            events.add(new WorkEvent.BreakerMoved(environment.name(), state, next));
        }
        state = next;
        begin(now);
    }

    private void begin(long now) {
        since = now;
        // mutant: trial-of-an-earlier-round-counts
        round++;
        trialsLeft = options.trials();
        counts = state == BreakerState.HALF_OPEN
                ? WindowCounts.ofCalls(options.trials()) : WindowCounts.of(options.window());
    }

    private void ended(long inRound, long begun, @Nullable Throwable failure, List<WorkEvent> events) {
        boolean isFailed = false;
        try {
            isFailed = failure != null && options.counts().test(failure);
        } catch (Throwable thrown) { // the call has ended all the same
            isFailed = true;
            environment.report(thrown);
        }
        assert SwitchPoints.here();
        var now = environment.nanoTime();
        lock.lock();
        try {
            if (inRound == round) {
                if (failure instanceof CancellationException && !isFailed) {
                    // mutant: cancelled-trial-leaves-no-place
                    trialsLeft++;
                } else {
                    counts.add(isFailed, now - begun >= options.slowAfter().toNanos(), now);
                    decide(now, events);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void decide(long now, List<WorkEvent> events) {
        int calls = counts.calls();
        var least = state == BreakerState.HALF_OPEN ? options.trials() : options.least();
        if (calls < least) {
            return;
        }
        var isBad = counts.failed() >= options.failureRate() * calls
                || counts.slow() >= options.slowRate() * calls;
        if (isBad) {
            move(BreakerState.OPEN, now, events);
        } else if (state == BreakerState.HALF_OPEN) {
            move(BreakerState.CLOSED, now, events);
        }
    }

    /**
     * Returns the state.
     *
     * @return the state
     */
    public BreakerState state() {
        return report().state();
    }

    /**
     * Returns the state and the counts of the window.
     *
     * @return the report
     */
    public BreakerReport report() {
        var events = new ArrayList<WorkEvent>();
        var now = environment.nanoTime();
        BreakerReport report;
        lock.lock();
        try {
            look(now, events);
            counts.moveTo(now);
            report = new BreakerReport(state, counts.calls(), counts.failed(), counts.slow(), refused);
        } finally {
            lock.unlock();
        }
        events.forEach(environment::tell);
        return report;
    }

    /** Opens the breaker until {@link #forceClosed()} is called, however long that takes. */
    public void forceOpen() {
        force(BreakerState.OPEN);
    }

    /** Closes the breaker with an empty window. It measures calls and may open again. */
    public void forceClosed() {
        force(BreakerState.CLOSED);
    }

    private void force(BreakerState next) {
        var events = new ArrayList<WorkEvent>();
        var now = environment.nanoTime();
        lock.lock();
        try {
            isForced = next == BreakerState.OPEN;
            move(next, now, events);
        } finally {
            lock.unlock();
        }
        events.forEach(environment::tell);
    }

    @Override
    public String toString() {
        return "CircuitBreaker[" + environment.name() + ", " + state() + "]";
    }
}
