package io.fibry.fsm;

import io.fibry.Request;
import io.fibry.message.DeferredReply;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step of a machine, as the actions in it see it: the action of leaving a state, the action of the transition, and the
 * action of entering a state. What the actions ask for happens if all of them succeed: the new data are taken, the raised
 * events are sent, the answer is given. If one of them throws, nothing of this happens.
 *
 * <p>A step is not thread-safe. It is used on the thread of the action and while that runs; later its methods throw an
 * {@link IllegalStateException}.
 *
 * @param <S> type of the state
 * @param <E> type of the machine's events
 * @param <D> type of the machine's data
 */
public interface Step<S, E, D> {
    /**
     * Returns the state that is left, or for the action of entering a state the state that is entered.
     *
     * @return the state
     */
    S state();

    /**
     * Returns the machine's data, with what this step has replaced. An action may change the object; such a change stays
     * if the step fails.
     *
     * @return the data
     */
    D data();

    /**
     * Replaces the machine's data. The machine takes the new data when the step has succeeded.
     *
     * @param data the new data
     */
    void replaceData(D data);

    /**
     * Sends the machine an event that it handles next, after this step and before everything that waits. Events that
     * were raised keep their order.
     *
     * @param event the event
     * @throws IllegalStateException if as many raised events wait as the {@linkplain MachineOptions#raised() options} allow
     */
    void raise(E event);

    /**
     * Gives the answer to a request that is an event. It is sent when the step has succeeded.
     *
     * @param <A> type of the answer
     * @param request the event of this step
     * @param answer the answer
     * @throws IllegalArgumentException if the request is not the event of this step
     */
    <A extends @Nullable Object> void answer(Request<A> request, A answer);

    /**
     * Takes the answer to a request that is an event out of this step. Another step, or another thread, gives it later.
     *
     * @param <A> type of the answer
     * @param request the event of this step
     * @return the reply
     * @throws IllegalArgumentException if the request is not the event of this step
     */
    <A extends @Nullable Object> DeferredReply<A> deferReply(Request<A> request);

    /** Stops the machine after this step. The events that wait, and those that are postponed, are undelivered. */
    void stop();

    /**
     * Returns how much time is left for the event, if a caller waits for it with a time limit.
     *
     * @return the time left, zero if it is over; empty if there is no limit
     */
    Optional<Duration> timeLeft();

    /**
     * Returns the name of the machine.
     *
     * @return the name
     */
    String name();
}
