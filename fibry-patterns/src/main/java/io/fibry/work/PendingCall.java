package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.function.Body;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way: its result, and the attempts and pauses that have begun and have not ended. If the handler of the caller
 * has a time limit, the result fails when that is over, and no attempt begins then. When there is a result, what has not
 * ended is cancelled.
 */
final class PendingCall<T extends @Nullable Object> {
    private final Environment environment;
    private final Call<T> call;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    /** An attempt is added while there is no result, or is cancelled. */
    private final ReentrantLock lock = new ReentrantLock();
    /** What has not ended, and how to cancel it. */
    private final IdentityHashMap<Object, Runnable> open = new IdentityHashMap<>();
    private final boolean isLimited;
    private final long end;

    PendingCall(Environment environment, Call<T> call) {
        this.environment = environment;
        this.call = Objects.requireNonNull(call, "call");
        var left = ActorSystem.timeLeft();
        isLimited = left.isPresent();
        end = isLimited ? environment.nanoTime() + Environment.nanos(left.get()) : 0;
        var unused = result.whenComplete((value, failure) -> cancelOpen());
        if (isLimited && !isOver()) {
            later(left.get(), LaterCode.UNTIL_END,
                    () -> result.completeExceptionally(timeIsOver(environment)));
        }
    }

    CompletableFuture<T> result() {
        return result;
    }

    static AskTimeoutException timeIsOver(Environment environment) {
        return new AskTimeoutException("'" + environment.name()
                + "' has no result within the time limit of the calling handler");
    }

    private long timeLeft() {
        return end - environment.nanoTime();
    }

    /** Returns whether the call has a result. If the time of the caller is over, it has one. */
    boolean isOver() {
        if (isLimited && timeLeft() <= 0) {
            result.completeExceptionally(timeIsOver(environment));
        }
        return result.isDone();
    }

    /** Returns whether the time of the caller is not over after a pause. */
    boolean hasTimeFor(Duration pause) {
        return !isLimited || Environment.nanos(pause) < timeLeft();
    }

    /** Starts an attempt on this thread. Its future fails if it cannot be started. */
    private static <T extends @Nullable Object> CompletableFuture<T> attempt(Call<T> call) {
        try {
            return Objects.requireNonNull(call.start(),
                    "the future that a " + call.getClass().getName() + " returns as its attempt");
        } catch (Throwable failure) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** Starts an attempt on this thread, unless the call is over. */
    CompletableFuture<T> start() {
        if (isOver()) {
            return CompletableFuture.failedFuture(callIsOver());
        }
        var attempt = attempt(call);
        if (!attempt.isDone()) {
            if (add(attempt, () -> attempt.cancel(true))) {
                var unused = attempt.whenComplete((value, failure) -> remove(attempt));
            } else {
                attempt.cancel(true);
            }
        }
        return attempt;
    }

    /** Takes over how an attempt has ended, if it is the only one. */
    void follow(CompletableFuture<T> attempt) {
        var unused = attempt.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(causeOf(failure));
            }
        });
    }

    private static CancellationException callIsOver() {
        return new CancellationException("the call has a result already");
    }

    /** Runs code after a pause, unless there is a result by then. If it cannot run, the result fails. */
    void later(Duration pause, int phase, Body code) {
        later(pause, phase, code, result::completeExceptionally);
    }

    private void later(Duration pause, int phase, Body code, Consumer<Throwable> lost) {
        var key = new Object();
        var later = environment.later(() -> {
            remove(key);
            code.run();
        }, failure -> {
            remove(key);
            lost.accept(failure);
        });
        if (add(key, later::cancel)) {
            later.beginAfter(pause, phase);
        }
    }

    /**
     * Starts an attempt after a pause, in an actor, within the time of the caller. If it does not begin, the result
     * fails, and has the failure of the attempt before with it.
     */
    void startLater(Duration pause, Throwable before, Consumer<CompletableFuture<T>> started) {
        Consumer<Throwable> notBegun = failure -> {
            if (failure != before) {
                failure.addSuppressed(before);
            }
            result.completeExceptionally(failure);
        };
        later(pause, LaterCode.UNTIL_CLOSE, () -> begin(started, notBegun), notBegun);
    }

    /** Starts an attempt in an actor, within the time of the caller, or tells why it does not begin. */
    void startApart(Consumer<CompletableFuture<T>> started, Consumer<Throwable> notBegun) {
        var key = new Object();
        var later = environment.later(() -> {
            remove(key);
            begin(started, notBegun);
        }, failure -> {
            remove(key);
            notBegun.accept(failure);
        });
        if (!add(key, () -> later.lose(callIsOver()))) {
            notBegun.accept(callIsOver());
            return;
        }
        try {
            later.beginApart();
        } catch (IllegalStateException closed) {
            later.lose(environment.ended(closed));
        } catch (RuntimeException | Error refused) {
            later.lose(refused);
        }
    }

    private void begin(Consumer<CompletableFuture<T>> started, Consumer<Throwable> notBegun) {
        if (isOver()) {
            notBegun.accept(callIsOver());
            return;
        }
        if (!isLimited) {
            started.accept(start());
            return;
        }
        var decided = new AtomicBoolean();
        var actor = attempts();
        CompletableFuture<Boolean> begun;
        try {
            begun = actor.execFuture(new Attempt(call, () -> {
                if (decided.compareAndSet(false, true)) {
                    started.accept(start());
                }
            }), Duration.ofNanos(Math.max(1, timeLeft())));
        } finally {
            actor.sendPoisonPill();
        }
        var unused = begun.whenComplete((there, failure) -> {
            if (failure != null) {
                var cause = causeOf(failure) instanceof AskTimeoutException ? timeIsOver(environment)
                        : causeOf(failure);
                if (decided.compareAndSet(false, true)) {
                    notBegun.accept(cause);
                }
                result.completeExceptionally(cause);
            }
        });
    }

    /** The code that begins an attempt: reports name the class of its call. */
    private record Attempt(Object content, Runnable begin) implements Callable<Boolean>, Envelope {
        @Override
        public Boolean call() {
            begin.run();
            return true;
        }

        @Override
        public Optional<String> about() {
            return Optional.of("an attempt");
        }
    }

    /** Makes an actor in which an attempt begins. */
    private Actor<Object, Void> attempts() {
        try {
            return environment.scope().anonymous().newActor((Object message) -> {
            });
        } catch (IllegalStateException closed) {
            throw environment.ended(closed);
        }
    }

    /** Returns false if there is a result already: then nothing cancels what was to be added. */
    private boolean add(Object key, Runnable cancel) {
        lock.lock();
        try {
            if (result.isDone()) {
                return false;
            }
            open.put(key, cancel);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void remove(Object key) {
        lock.lock();
        try {
            open.remove(key);
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many attempts and pauses have not ended. */
    int open() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }

    private void cancelOpen() {
        List<Runnable> left;
        lock.lock();
        try {
            left = List.copyOf(open.values());
            open.clear();
        } finally {
            lock.unlock();
        }
        left.forEach(Runnable::run);
    }

    /** Returns what a future has failed with, without the exception that futures put around it. */
    static Throwable causeOf(Throwable failure) {
        var cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
