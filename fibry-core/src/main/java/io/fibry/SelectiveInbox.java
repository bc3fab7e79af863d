package io.fibry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The methods that {@link ReceivingContext} and {@link ReceivingReplyContext} have in common. Programs call them
 * through one of these two, and do not name this type.
 *
 * @param <M> type of the messages
 */
interface SelectiveInbox<M> {
    /**
     * Takes the oldest message. If there is none, this method waits for one.
     *
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call, or if code
     *         that was given to {@link Actor#execute} has failed meanwhile and the actor is to be restarted
     * @throws InterruptedException if the actor's stop was forced
     */
    M receive() throws InterruptedException;

    /**
     * Takes the oldest message that the predicate accepts. If there is none, this method waits for one.
     *
     * @param wanted which message to take
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    M receive(Predicate<? super M> wanted) throws InterruptedException;

    /**
     * Takes the oldest message that the predicate accepts. If there is none, this method waits for one, but no longer
     * than {@code timeout}.
     *
     * @param wanted which message to take
     * @param timeout how long to wait; if zero, only messages that have already arrived are considered
     * @return the message, or empty if none came in time
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    Optional<M> receive(Predicate<? super M> wanted, Duration timeout) throws InterruptedException;

    /**
     * Takes the oldest message. If there is none, this method waits for one, but no longer than {@code timeout}.
     *
     * @param timeout how long to wait; if zero, only messages that have already arrived are considered
     * @return the message, or empty if none came in time
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    default Optional<M> receive(Duration timeout) throws InterruptedException {
        return receive(any -> true, timeout);
    }

    /**
     * Takes the oldest message of a type. If there is none, this method waits for one, but no longer than {@code timeout}.
     *
     * @param <T> the wanted type
     * @param type the wanted type
     * @param timeout how long to wait; if zero, only messages that have already arrived are considered
     * @return the message, or empty if none came in time
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    default <T extends M> Optional<T> receive(Class<T> type, Duration timeout) throws InterruptedException {
        return receive(Objects.requireNonNull(type, "type")::isInstance, timeout).map(type::cast);
    }

    /**
     * Takes the oldest message of a type. If there is none, this method waits for one.
     *
     * @param <T> the wanted type
     * @param type the wanted type
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    default <T extends M> T receive(Class<T> type) throws InterruptedException {
        return type.cast(receive(new InstanceFilter(Objects.requireNonNull(type, "type"))));
    }
}
