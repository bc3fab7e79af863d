package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets something happen no more often than its {@link RateLimiterOptions} allow. What comes too early waits for its turn,
 * in order; what comes when as many wait as may is refused with a {@link TooManyWaitingException}. Any number of calls,
 * handlers and pieces of code can use one limiter: together they keep the rate.
 *
 * <p>{@link #start} and {@link #turn} block no thread. {@link #await}, which a handler calls before its work, lets the
 * calling thread wait; on {@link io.fibry.CreationStrategy#fibers()} that holds no carrier. It waits no longer than the
 * time limit of the calling handler, if it has one.
 *
 * <p>Objects are thread-safe. When the scope ends, those that wait fail with an {@link io.fibry.ActorStoppedException}.
 */
public final class RateLimiter implements CallPolicy {
    /** More than any program runs, and little enough to count with. */
    private static final long FAR = Long.MAX_VALUE / 4;
    private final Environment environment;
    private final RateLimiterOptions options;
    private final long interval;
    private final long ahead;
    /** Guards the next time, the turns, the queue and the alarm. */
    private final ReentrantLock lock = new ReentrantLock();
    /** The turns that wait, each with a key of its own, in order. */
    private final SequencedMap<Object, Turn> waiting = new LinkedHashMap<>();
    /** Turns that limit the worth of turns given back, in order: each was early by more than those before it in the list. */
    private final List<Taken> taken = new ArrayList<>();
    private long turns;
    /** The code that gives the next turns; there is one if something waits. */
    private @Nullable LaterCode alarm;
    /** When the next turn would be without the turns ahead. Times are compared by differences, which may not overflow. */
    private long next;

    private static final class Turn extends CompletableFuture<@Nullable Void> {
        /** Set when the turn is taken, under the lock. */
        private long number;
    }

    /** A turn, and how much earlier it was taken than without a burst: an earlier one, given back, is worth no more. */
    private record Taken(long number, long early) {
    }

    private RateLimiter(Environment environment, RateLimiterOptions options) {
        this.environment = environment;
        this.options = options;
        interval =
                Math.min(FAR, (Environment.nanos(options.period()) + options.times() - 1) / options.times());
        ahead = options.burst() - 1L > FAR / interval ? FAR : interval * (options.burst() - 1L);
        next = environment.nanoTime() - ahead;
    }

    /**
     * Makes a limiter.
     *
     * @param scope has the clock, and the actors in which calls begin that have waited
     * @param name the name in events and exceptions
     * @param options the options
     * @return the limiter
     * @throws IllegalStateException if the scope is closed
     */
    public static RateLimiter open(ActorScope scope, String name, RateLimiterOptions options) {
        var listener = Objects.requireNonNull(options, "options").listener();
        return new RateLimiter(Environment.ofPolicy("limiter", scope, name, listener), options);
    }

    /** Returns how long it takes until there may be a turn; it is called under the lock. */
    private long pauseAt(long now) {
        return Math.max(0, next - ahead - now);
    }

    /** Takes a turn if it is time for one; it is called under the lock. */
    private boolean take(long now) {
        if (pauseAt(now) > 0) {
            return false;
        }
        var early = Math.max(0, next - now);
        while (!taken.isEmpty() && taken.getLast().early() >= early) {
            taken.removeLast();
        }
        taken.addLast(new Taken(++turns, early));
        next = now + early + interval;
        return true;
    }

    private boolean take(long now, Turn turn) {
        var isTaken = take(now);
        turn.number = turns;
        return isTaken;
    }

    /**
     * Takes a turn if that is possible now, and nothing waits.
     *
     * @return true if the turn was taken
     */
    public boolean tryTurn() {
        var now = environment.nanoTime();
        lock.lock();
        try {
            return waiting.isEmpty() && take(now);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a future of a turn. It completes at once if the rate allows it, and otherwise later, in an actor of the
     * scope. The cancellation of the future gives the turn to the next one.
     *
     * @return the future; it fails with a {@link TooManyWaitingException} if as many wait as may
     */
    public CompletableFuture<@Nullable Void> turn() {
        return newTurn();
    }

    private Turn newTurn() {
        var turn = new Turn();
        var key = new Object();
        var now = environment.nanoTime();
        int place;
        lock.lock();
        try {
            if (waiting.isEmpty() && take(now, turn)) {
                place = 0;
            } else if (waiting.size() >= options.waiting()) {
                place = -1;
            } else {
                waiting.put(key, turn);
                place = waiting.size();
            }
        } finally {
            lock.unlock();
        }
        if (place == 0) {
            turn.complete(null);
        } else if (place < 0) {
            turn.completeExceptionally(new TooManyWaitingException("limiter '" + environment.name()
                    + "' refuses a call, since as many wait as may, " + options.waiting()
                    + ": try again later, or let more wait by RateLimiterOptions"));
            environment.tell(new WorkEvent.CallRefused(environment.name()));
        } else {
            var unused = turn.whenComplete((there, failure) -> leave(key));
            setAlarm(); // before the listener is called, so that a call that waits always has an alarm
            environment.tell(new WorkEvent.CallDelayed(environment.name(), place));
        }
        return turn;
    }

    /** Takes a turn that is over out of the queue; nothing may be left that waits. */
    private void leave(Object key) {
        LaterCode idle = null;
        lock.lock();
        try {
            if (waiting.remove(key) != null && waiting.isEmpty()) {
                idle = alarm;
                alarm = null;
            }
        } finally {
            lock.unlock();
        }
        if (idle != null) {
            idle.cancel();
        }
    }

    /** Sets the alarm for the time of the next turn, if something waits and there is none. */
    private void setAlarm() {
        var mine = new Alarm();
        var now = environment.nanoTime();
        long pause;
        lock.lock();
        try {
            if (alarm != null || waiting.isEmpty()) {
                return;
            }
            alarm = mine.code;
            pause = pauseAt(now);
        } finally {
            lock.unlock();
        }
        assert SwitchPoints.here();
        mine.code.beginAfter(Duration.ofNanos(pause), LaterCode.UNTIL_CLOSE);
    }

    /** Gives turns when it is time. Another one may have taken its place by then. */
    private final class Alarm {
        private final LaterCode code = environment.later(this::release, this::failAll);

        private void release() {
            var free = new ArrayList<Turn>();
            var now = environment.nanoTime();
            lock.lock();
            try {
                if (alarm != code) {
                    return;
                }
                alarm = null;
                while (!waiting.isEmpty() && take(now, waiting.firstEntry().getValue())) {
                    free.add(waiting.pollFirstEntry().getValue());
                }
            } finally {
                lock.unlock();
            }
            // mutant: next-caller-has-no-alarm
            setAlarm();
            for (var turn : free) {
                assert SwitchPoints.here();
                if (!turn.complete(null)) {
                    // mutant: turn-of-a-caller-that-has-given-up-is-lost
                    giveBack(turn);
                }
            }
        }

        private void failAll(Throwable why) {
            List<Turn> left;
            lock.lock();
            try {
                if (alarm != code) {
                    return;
                }
                alarm = null;
                left = List.copyOf(waiting.values());
                waiting.clear();
            } finally {
                lock.unlock();
            }
            left.forEach(each -> each.completeExceptionally(why));
        }
    }

    /** Gives back a turn that was taken and not used, and lets the next one have what it is still worth. */
    private void giveBack(Turn turn) {
        LaterCode late;
        lock.lock();
        try {
            var worth = interval;
            for (int i = 0; i < taken.size(); i++) {
                var later = taken.get(i);
                if (later.number() > turn.number) {
                    worth = Math.min(worth, later.early());
                    taken.set(i, new Taken(later.number(), Math.max(0, later.early() - interval)));
                }
            }
            next -= worth;
            late = alarm;
            alarm = null;
        } finally {
            lock.unlock();
        }
        if (late != null) {
            late.cancel();
        }
        // mutant: turn-that-is-given-back-finds-no-caller
        setAlarm();
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call) {
        var pending = new PendingCall<>(environment, call);
        var result = pending.result();
        if (pending.isOver()) {
            return result;
        }
        var turn = newTurn();
        if (turn.state() == Future.State.SUCCESS) {
            pending.follow(pending.start());
            return result;
        }
        var unused = turn.whenComplete((there, failure) -> {
            if (failure == null) {
                pending.startApart(pending::follow, notBegun -> {
                    // mutant: turn-of-a-cancelled-call-is-lost
                    giveBack(turn);
                    result.completeExceptionally(notBegun);
                });
            } else {
                result.completeExceptionally(PendingCall.causeOf(failure));
            }
        });
        var dropped = result.whenComplete((value, failure) -> turn.cancel(false));
        return result;
    }

    /**
     * Waits for a turn.
     *
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws TooManyWaitingException if as many wait as may
     * @throws AskTimeoutException if the time of the calling handler is over before
     */
    public void await() throws InterruptedException {
        var turn = newTurn();
        if (!turn.isDone()) {
            ActorSystem.timeLeft().ifPresent(left -> limit(turn, left));
        }
        try {
            turn.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known
                    : new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            assert SwitchPoints.here();
            // mutant: turn-of-an-interrupted-caller-is-lost
            if (!turn.cancel(false) && turn.state() == Future.State.SUCCESS) {
                giveBack(turn); // it came at the moment of the interrupt
            }
            throw e;
        }
    }

    private void limit(CompletableFuture<@Nullable Void> turn, Duration left) {
        var limit = environment.later(() -> turn.completeExceptionally(new AskTimeoutException("limiter '"
                + environment.name() + "' has no turn within the time limit of the calling handler")),
                turn::completeExceptionally);
        limit.beginAfter(left, LaterCode.UNTIL_CLOSE);
        var unused = turn.whenComplete((there, failure) -> limit.cancel());
    }

    /**
     * Returns how many wait for a turn.
     *
     * @return the number
     */
    public int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "RateLimiter[" + environment.name() + ", " + options.times() + " in " + options.period()
                + ", waiting: " + waiting() + "]";
    }
}
