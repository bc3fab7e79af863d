package io.fibry.keyed;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.Recipient;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One actor for each key. The actor of a key is made when a message with this key comes. It stops when it has had no
 * message for a while. Senders find the actor in a map; no other actor stands between them. Objects are thread-safe.
 *
 * <p>For one key, never more than one actor is at work. The next actor begins when all exit hooks of the one before
 * have run, and the messages that are sent meanwhile wait for that. The messages of one sender with one key are handled
 * in the order in which they were sent, and none of them is lost when an actor stops because it is idle, unless its
 * handler has put it {@linkplain io.fibry.ActorContext#stash() aside}. An exit hook must not wait for an answer of its
 * own key.
 *
 * <p>A message, and a request, goes to the actor of its key. The {@link #name() name} is that of the builder that the keyed
 * actors were made with, or a made-up one.
 *
 * @param <K> type of the keys
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface KeyedActors<K, M, R extends @Nullable Object> extends Recipient<M, R>, AutoCloseable {
    /**
     * Sends an urgent message to the actor of its key, as {@link Actor#sendUrgent} does. It overtakes the messages of its key
     * only.
     *
     * @param message the message
     * @return true if it was accepted
     * @throws IllegalStateException if the actors were built without {@link io.fibry.ActorBuilder#urgent(int)}
     */
    boolean sendUrgent(M message);

    /**
     * Returns the actor that a key has now. A message that is sent to the actor directly may come too late if the actor
     * stops; a message that is sent by the methods of this interface does not.
     *
     * @param key the key
     * @return the actor, or an empty optional if there is none
     */
    Optional<Actor<M, R>> find(K key);

    /**
     * Returns how many actors there are. An actor counts until it has ended, or until a new one waits for its place.
     *
     * @return the number
     */
    int live();

    /**
     * Returns the counts of all messages by what became of them. Those of actors that have stopped are included.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Stops all actors, as {@link io.fibry.ActorScope#stop} does. Messages that are sent later are refused.
     *
     * @param deadline how long the actors may take for the messages that are queued
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Stops all actors, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
