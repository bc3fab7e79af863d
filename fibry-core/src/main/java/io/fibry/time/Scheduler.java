package io.fibry.time;

import io.fibry.Actor;
import io.fibry.function.Body;
import java.time.Duration;

/**
 * Runs code and sends messages later, once or repeatedly, until its scope is closed. A pending task holds no thread.
 * Thread-safe.
 *
 * <pre>{@code
 * scope.scheduler().run(Schedule.fixedDelay(Duration.ofMinutes(5)), () -> sweep(folder));
 * scope.scheduler().send(Schedule.fixedRate(Duration.ofSeconds(1)).times(60), clock, new Tick());
 * }</pre>
 *
 * <p>An actor that wants messages itself uses its {@link Timers}. They end with the actor, and no message of a timer is
 * handled after the timer was cancelled.
 */
public interface Scheduler {
    /**
     * Runs code by a schedule. Each run takes place in a new actor of the scope, on the scope's strategy and never on
     * the timer thread, so the code may block. Two runs never overlap. If the code throws, that is reported as a
     * failure of an actor is, and the schedule goes on.
     *
     * @param schedule when to run the code
     * @param task the code
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    Scheduled run(Schedule schedule, Body task);

    /**
     * Runs code by a schedule, as {@link #run(Schedule, Body)} does, and interrupts a run that takes too long. Such a run is
     * reported as a failure with a {@link java.util.concurrent.TimeoutException}. Code that does not react to an interrupt
     * goes on: the next run begins when the present one has ended, and an end that comes late is a failure as well.
     *
     * @param schedule when to run the code
     * @param limit how long one run may take, by the clock of the scope; more than zero
     * @param task the code
     * @return the handle
     * @throws IllegalArgumentException if the limit is not more than zero
     * @throws IllegalStateException if the scope is closed
     */
    Scheduled run(Schedule schedule, Duration limit, Body task);

    /**
     * Sends a message to an actor by a schedule, as any other sender does. The bound of the mailbox applies; if the
     * sender has to wait, a fiber waits, and the next message is not sent before that. When the actor has stopped, the
     * next message is reported as undelivered and the schedule is over.
     *
     * @param <M> type of the messages
     * @param schedule when to send the message
     * @param actor the actor that gets the message
     * @param message the message, the same one each time
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    <M> Scheduled send(Schedule schedule, Actor<M, ?> actor, M message);
}
