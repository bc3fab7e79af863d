package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * How long a test waits: in real time, or by the clock of a scope. If a test moves the clock by hand, the wait moves it, from
 * one timer to the next; the actors are at rest at each of them, or stand. What is expected may also come when those that stand have
 * gone on in real time. The clock of a schedule moves by itself.
 */
final class TestWait {
    static final Duration DEFAULT = Duration.ofSeconds(5);

    private final ActorScope scope;
    private final Duration within;

    TestWait(ActorScope scope, Duration within) {
        this.scope = scope;
        this.within = checked(within);
    }

    static Duration checked(Duration within) {
        if (Objects.requireNonNull(within, "within").isNegative() || within.isZero()) {
            throw new IllegalArgumentException("within must be more than zero: " + within);
        }
        return within;
    }

    /** Returns the clock that the test moves by hand, if there is one. */
    static Optional<ManualTime> manual(TimeSource time) {
        return switch (time) {
            case ManualTime byHand -> Optional.of(byHand);
            case LateTime late -> manual(late.inTime());
            default -> Optional.empty();
        };
    }

    /** Returns the nanoseconds, and at most as many as a clock can show. */
    static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /** Waits for what is not to come. */
    <T> Optional<T> awaitNothing(Received<?> arrivals, Supplier<Optional<T>> look) {
        return await("nothing to come", arrivals, look, false);
    }

    /**
     * Waits until {@code look} finds something, and returns it; empty if the time is over.
     *
     * @param what completes the sentences "interrupted while the test waited for", "failed while the test waited for"
     */
    <T> Optional<T> await(String what, Received<?> arrivals, Supplier<Optional<T>> look) {
        return await(what, arrivals, look, true);
    }

    private <T> Optional<T> await(String what, Received<?> arrivals, Supplier<Optional<T>> look,
            boolean isToCome) {
        try {
            var byHand = manual(scope.time());
            if (byHand.isEmpty()) {
                var isOver = new CompletableFuture<Boolean>().completeOnTimeout(true, nanos(within),
                        TimeUnit.NANOSECONDS);
                return await(arrivals, look, isOver);
            }
            var time = byHand.get();
            var schedule = Schedules.played.filter(each -> each.time() == time && each.isOnItsThread());
            return schedule.isPresent() ? awaitInSchedule(schedule.get(), arrivals, look)
                    : awaitMoving(time, look, isToCome);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the test waited for " + what, e);
        } catch (RuntimeException e) { // mostly of the clock, or of one of its tasks
            throw new FailureText("failed while the test waited for " + what).line("by: " + FailureText.of(e))
                    .list("all that came so far", arrivals.all()).dump(scope).error(e);
        }
    }

    private <T> Optional<T> awaitInSchedule(PlayedSchedule schedule, Received<?> arrivals,
            Supplier<Optional<T>> look) throws InterruptedException {
        var isOver = new CompletableFuture<Boolean>();
        var timer = schedule.time().schedule(nanos(within), () -> isOver.complete(true));
        try {
            var found = await(arrivals, look, isOver);
            if (found.isPresent()) {
                return found;
            }
            schedule.awaitQuiet(); // actors may have timers that are due now, too
            return look.get();
        } finally {
            timer.cancel();
        }
    }

    private static <T> Optional<T> await(Received<?> arrivals, Supplier<Optional<T>> look,
            CompletableFuture<Boolean> isOver) throws InterruptedException {
        try {
            while (true) {
                var isLast = isOver.isDone();
                var change = arrivals.change();
                var found = look.get();
                if (found.isPresent() || isLast) {
                    return found;
                }
                CompletableFuture.anyOf(change, isOver).get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // neither of them fails
        } finally {
            isOver.cancel(false);
        }
    }

    private <T> Optional<T> awaitMoving(ManualTime time, Supplier<Optional<T>> look, boolean isToCome)
            throws InterruptedException {
        var begin = time.nanoTime();
        while (true) {
            var found = look.get();
            if (found.isPresent()) {
                return found;
            }
            time.awaitRest();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            found = look.get();
            var left = Math.min(nanos(within), Long.MAX_VALUE - begin) - (time.nanoTime() - begin);
            if (found.isEmpty() && left <= 0 && isToCome) {
                scope.awaitIdle(DEFAULT);
                found = look.get();
            }
            if (found.isPresent() || left <= 0) {
                return found;
            }
            if (time.nanosToNext() > left || !time.advanceToNext()) {
                time.advance(Duration.ofNanos(left));
            }
        }
    }

    /** Completes an error: how long the test has waited, by which clock. */
    String waited() {
        return "waited for " + within
                + (manual(scope.time()).isPresent() ? ", by the clock that the test moves" : "");
    }
}
