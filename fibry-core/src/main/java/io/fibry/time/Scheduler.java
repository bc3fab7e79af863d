package io.fibry.time;

import io.fibry.Actor;
import io.fibry.function.Body;

/**
 * Lets things happen later, or again and again, until the scope it belongs to is closed. What is pending costs no
 * thread. Thread-safe.
 *
 * <pre>{@code
 * scope.scheduler().run(Schedule.fixedDelay(Duration.ofMinutes(5)), () -> sweep(folder));
 * scope.scheduler().send(Schedule.fixedRate(Duration.ofSeconds(1)).times(60), clock, new Tick());
 * }</pre>
 *
 * <p>An actor that wants messages itself sets {@link Timers}: none of those is seen after it was cancelled, and
 * they end with the actor.
 */
public interface Scheduler {
    /**
     * Runs code by a schedule. Each time it runs in a new actor of the scope, on the scope's strategy, never on the timer
     * thread: it may block. It never runs beside itself. If it throws, that is reported like any failure of an
     * actor, and the schedule goes on.
     *
     * @param schedule when
     * @param task the code
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    Scheduled run(Schedule schedule, Body task);

    /**
     * Sends an actor a message by a schedule, as any other sender would: the bound of its mailbox counts, and if that means
     * to wait, a fiber does, and the next message is not sent before. When the actor has stopped, the first message
     * after that is reported as undelivered and the schedule is over.
     *
     * @param <M> type of the messages
     * @param schedule when
     * @param actor whom to
     * @param message the message, the same one each time
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    <M> Scheduled send(Schedule schedule, Actor<M, ?> actor, M message);
}
