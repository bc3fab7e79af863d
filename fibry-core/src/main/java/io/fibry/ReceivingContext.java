package io.fibry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A receiving actor seen from inside: it takes messages when and in which order it wants. Messages passed
 * over keep their order and are found by later calls.
 *
 * <p>A message taken here counts as handled when the next one is taken or the handler ends; an ask is then
 * answered with {@code null}.
 *
 * @param <M> type of the messages
 */
public interface ReceivingContext<M> extends ActorContext<M, Void> {
    /**
     * Takes the oldest message; waits for one if there is none.
     *
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call, or code
     *         given to {@link Actor#execute} has failed meanwhile and the actor is to be restarted
     * @throws InterruptedException if the actor's stop was forced
     */
    M receive() throws InterruptedException;

    /**
     * Takes the oldest message that the predicate accepts; waits for one if there is none.
     *
     * @param wanted which message to take
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    M receive(Predicate<? super M> wanted) throws InterruptedException;

    /**
     * Takes the oldest message that the predicate accepts; waits at most {@code timeout} for one.
     *
     * @param wanted which message to take
     * @param timeout how long to wait; zero looks at what is there
     * @return the message, or empty if none came in time
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    Optional<M> receive(Predicate<? super M> wanted, Duration timeout) throws InterruptedException;

    /**
     * Takes the oldest message of a type; waits for one if there is none.
     *
     * @param <T> the wanted type
     * @param type the wanted type
     * @return the message
     * @throws ActorExitException if the actor is to stop and no message is left for this call
     * @throws InterruptedException if the actor's stop was forced
     */
    default <T extends M> T receive(Class<T> type) throws InterruptedException {
        return type.cast(receive(Objects.requireNonNull(type, "type")::isInstance));
    }
}
