package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Permits that an actor gives out in the order in which they are asked for. With one permit it is a lock. A request for several
 * permits is not overtaken by smaller ones.
 *
 * <pre>{@code
 * ActorSemaphore printers = ActorSemaphore.open(scope, "printers", SemaphoreOptions.of(3));
 * try (var held = printers.acquire()) {
 *     print();
 * }
 * }</pre>
 *
 * <p>A thread that waits for permits holds no carrier on {@link io.fibry.CreationStrategy#fibers()}. It waits no longer than the
 * time limit of the calling handler, if it has one. If threads that hold permits would wait for each other for ever, the one that
 * closes the circle gets an {@link io.fibry.AskCycleException}; so does a thread that waits for permits that it holds itself.
 * This holds for permits without a lease, of any semaphores of the program, whose holders have got them by {@code acquire} or
 * {@code tryAcquire} and have not {@linkplain HeldPermits#boundTo handed them over}. A circle of which an ask is a part is not
 * found; a time limit ends it.
 *
 * <p>A holder that ends gives its permits back if they are {@linkplain HeldPermits#boundTo bound} to its actor, or when their
 * {@linkplain SemaphoreOptions#withLease lease} is over. The end of a lease is reported as a failure of the actor, since the holder
 * may still work on what the permits protect.
 *
 * <p>Objects are thread-safe. Programs do not implement this interface.
 */
public interface ActorSemaphore extends AutoCloseable {
    /**
     * Makes a semaphore. Its actor runs on a fiber.
     *
     * @param scope the scope; the semaphore ends with it
     * @param name the name of the actor
     * @param options the options
     * @return the semaphore
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static ActorSemaphore open(ActorScope scope, String name, SemaphoreOptions options) {
        return LiveSemaphore.open(scope, name, options);
    }

    /**
     * Acquires one permit, and waits until it is there.
     *
     * @return the permit
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws TooManyWaitingException if as many wait as may
     * @throws io.fibry.AskTimeoutException if the time of the calling handler is over before
     * @throws io.fibry.AskCycleException if threads would wait for each other for ever
     * @throws io.fibry.ActorStoppedException if the semaphore has ended, or ends before
     */
    default HeldPermits acquire() throws InterruptedException {
        return acquire(1);
    }

    /**
     * Acquires permits, and waits until all of them are there.
     *
     * @param permits how many, from one to the number of the options
     * @return the permits
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws TooManyWaitingException if as many wait as may
     * @throws io.fibry.AskTimeoutException if the time of the calling handler is over before
     * @throws io.fibry.AskCycleException if threads would wait for each other for ever
     * @throws io.fibry.ActorStoppedException if the semaphore has ended, or ends before
     */
    HeldPermits acquire(int permits) throws InterruptedException;

    /**
     * Acquires one permit if it is there, and none waits for it.
     *
     * @return the permit, or empty
     * @throws io.fibry.ActorStoppedException if the semaphore has ended
     */
    default Optional<HeldPermits> tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Acquires permits if all of them are there, and none waits for them.
     *
     * @param permits how many, from one to the number of the options
     * @return the permits, or empty
     * @throws io.fibry.ActorStoppedException if the semaphore has ended
     */
    Optional<HeldPermits> tryAcquire(int permits);

    /**
     * Acquires permits, and waits for them no longer than a time limit.
     *
     * @param permits how many, from one to the number of the options
     * @param timeout how long to wait, more than zero, by the clock of the scope
     * @return the permits; empty if the time, or that of the calling handler, is over before
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws TooManyWaitingException if as many wait as may
     * @throws io.fibry.AskCycleException if only a thread that waits for this one, without a limit, could release permits
     * @throws io.fibry.ActorStoppedException if the semaphore has ended, or ends before
     */
    Optional<HeldPermits> tryAcquire(int permits, Duration timeout) throws InterruptedException;

    /**
     * Asks for permits without waiting. They belong to no thread. If the future is cancelled before it has permits, none are
     * taken. Callbacks of the future run in the actor of the semaphore and should be quick.
     *
     * @param permits how many, from one to the number of the options
     * @return the future of the permits, which always completes
     */
    CompletableFuture<HeldPermits> request(int permits);

    /**
     * Returns how many permits are not held.
     *
     * @return the number, which may have changed already
     */
    int available();

    /**
     * Returns how many requests wait for permits.
     *
     * @return the number, which may have changed already
     */
    int waiting();

    /**
     * Returns the name of the semaphore, which is that of its actor.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what became of the messages of the actor. Each request is a message, and so is each release.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Ends the semaphore. Those who wait get an {@link io.fibry.ActorStoppedException}. Permits that are held can still be
     * released, which has no effect.
     *
     * @param deadline how long the actor may take for the messages that it has, not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of the semaphore.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /** Ends the semaphore, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
