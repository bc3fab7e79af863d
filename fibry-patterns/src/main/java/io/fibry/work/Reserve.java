package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A list of values that is refilled in the background before it is empty: numbers from a database, connections that are
 * slow to open, results that are computed in advance. {@link #take()} gives the next value at once, and when few are left, an
 * actor calls a {@link Refill} until the reserve is full again. There is never more than one such call at a time.
 *
 * <pre>{@code
 * Reserve<Long> ids = Reserve.open(scope, "ids", ReserveOptions.of(20, 100), missing -> database.nextIds(missing));
 * var id = ids.take();
 * }</pre>
 *
 * <p>If the reserve is empty, a thread that takes a value waits for the refill, in order; on
 * {@link io.fibry.CreationStrategy#fibers()} that holds no carrier. It waits no longer than the time limit of the calling
 * handler, if it has one. If the refill fails, that is reported as a failure of the actor, and those who wait get a
 * {@link RefillFailedException}; the next one who takes a value starts another refill. With
 * {@link ReserveOptions#withBackoff} they wait, and the refill is tried again after a pause.
 *
 * <p>Objects are thread-safe. What the refill does before it returns a value happens-before the return of the {@code take} that
 * gets it. Programs do not implement this interface.
 *
 * @param <T> type of the values
 */
public interface Reserve<T> extends AutoCloseable {
    /**
     * Makes a reserve, and begins to fill it.
     *
     * @param <T> type of the values
     * @param scope the scope; the reserve ends with it
     * @param name the name of the actor
     * @param options the options
     * @param refill makes the values
     * @param leftover gets each value that is left when the reserve ends, and values that a refill has returned beyond what was
     *     missing; it closes them, or puts them back where they came from. What it throws is reported. It may be called on the
     *     thread of the actor, or on that of a caller whose wait has just ended.
     * @return the reserve
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <T> Reserve<T> open(ActorScope scope, String name, ReserveOptions options, Refill<T> refill,
            Handler<? super T> leftover) {
        return LiveReserve.open(scope, name, options, refill, leftover);
    }

    /**
     * Makes a reserve of values that need not be closed, and begins to fill it.
     *
     * @param <T> type of the values
     * @param scope the scope; the reserve ends with it
     * @param name the name of the actor
     * @param options the options
     * @param refill makes the values
     * @return the reserve
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <T> Reserve<T> open(ActorScope scope, String name, ReserveOptions options, Refill<T> refill) {
        return open(scope, name, options, refill, value -> {
        });
    }

    /**
     * Takes the next value, and waits for a refill if there is none.
     *
     * @return the value
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws RefillFailedException if there is no value since the refill has failed
     * @throws TooManyWaitingException if as many wait as may
     * @throws io.fibry.AskTimeoutException if the time of the calling handler is over before
     * @throws io.fibry.AskCycleException if the calling actor would wait for itself, for instance since the refill asks it
     * @throws io.fibry.ActorStoppedException if the reserve has ended, or ends before
     */
    T take() throws InterruptedException;

    /**
     * Takes the next value, and waits for a refill no longer than a time limit.
     *
     * @param timeout how long it may take, more than zero, by the clock of the scope
     * @return the value
     * @throws InterruptedException if the calling thread is interrupted while it waits
     * @throws RefillFailedException if there is no value since the refill has failed
     * @throws TooManyWaitingException if as many wait as may
     * @throws io.fibry.AskTimeoutException if the time, or that of the calling handler, is over before
     * @throws io.fibry.AskCycleException if the calling actor would wait for itself
     * @throws io.fibry.ActorStoppedException if the reserve has ended, or ends before
     */
    T take(Duration timeout) throws InterruptedException;

    /**
     * Takes the next value if there is one, and no other thread waits for it.
     *
     * @return the value
     * @throws io.fibry.ActorStoppedException if the reserve has ended
     */
    Optional<T> tryTake();

    /**
     * Takes the next value without waiting. If the future is cancelled before it has a value, no value is taken.
     *
     * @return the future of the value, which always completes; it fails with what {@link #take()} throws
     */
    CompletableFuture<T> takeLater();

    /**
     * Returns how many values there are.
     *
     * @return the number
     */
    int size();

    /**
     * Returns how many wait for a value.
     *
     * @return the number
     */
    int waiting();

    /**
     * Returns the name of the reserve, which is that of its actor.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what became of the messages of the actor. A refill is a message, and so is a {@code take} that has to wait.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Ends the reserve. A refill that runs may go on until the deadline and is interrupted then. Those who still wait get an
     * {@link io.fibry.ActorStoppedException}. The values that are left are handed to the code that was given for them.
     *
     * @param deadline how long it may take, not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of the reserve.
     *
     * @return the future of the report, which completes when the values that were left have been handed over
     */
    CompletableFuture<StopReport> onStopped();

    /** Ends the reserve, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
