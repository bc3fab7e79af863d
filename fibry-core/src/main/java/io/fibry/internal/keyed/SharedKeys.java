package io.fibry.internal.keyed;

import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.AskFailures;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * What keyed actors let a cluster do with them. A cluster sends all messages itself, so it needs no gate in front of
 * them: it ends the actors of keys to which it sends nothing any more. Objects are thread-safe.
 */
public interface SharedKeys {
    /**
     * Finds what a cluster may do with keyed actors.
     *
     * @param actors the keyed actors
     * @return empty if these are not the library's own
     */
    static Optional<SharedKeys> of(KeyedActors<?, ?, ?> actors) {
        return actors instanceof Keyed<?, ?, ?, ?> keyed ? Optional.of(new KeysOfNode(keyed))
                : Optional.empty();
    }

    /**
     * Gives keyed actors the work that goes with their keys. They can then be shared although they are not movable.
     *
     * @param actors the keyed actors, which the library has made
     * @param work the work
     */
    static void accompany(KeyedActors<?, ?, ?> actors, SliceWork work) {
        ((Keyed<?, ?, ?, ?>) actors).work = work;
    }

    /**
     * Returns the work that goes with the keys.
     *
     * @return empty if there is none
     */
    Optional<SliceWork> work();

    /**
     * Tells whether a send to these actors returns soon, whatever they do: it runs no handler, and does not wait for room.
     *
     * @return false if it may take long, or if that is not known
     */
    boolean letsSendersIn();

    /**
     * Sets the words for failures of asks, also of those that the cluster has not sent, and who hears of their events.
     *
     * @param words puts failures into the words of the cluster
     * @param listener is told of the events of these actors
     */
    void tellFailures(AskFailures words, ActorListener listener);

    /**
     * Tells whether the actor of a key may end here and begin again on another node.
     *
     * @return false if these actors must not be shared
     */
    boolean isMovable();

    /**
     * Lets a group have these actors, for ever.
     *
     * @param group the name of the group
     * @return the name of the group that has them already; empty if none had them
     */
    Optional<String> take(String group);

    /** The group that has taken these actors was not shared after all. */
    void giveBack();

    /**
     * Sets what is asked before each message. An actor that may not begin with one ends, as by {@link #end} without gentleness.
     *
     * @param mayBegin false when this node must begin nothing more; called by the threads of the actors, it returns at once
     */
    void gate(BooleanSupplier mayBegin);

    /**
     * Tells whether the stop of these actors has begun, so that they take no message any more.
     *
     * @return true from then on
     */
    boolean isStopping();

    /**
     * Tells whether these actors were stopped and none of them is there any more.
     *
     * @return true from then on
     */
    boolean hasEnded();

    /**
     * Ends the actors that some keys have now. Does not wait. A message that is sent to such a key meanwhile may get an
     * actor that is not ended.
     *
     * @param keys the keys
     * @param gently true if the actors first handle what they have; false if they begin with no further message
     * @return completes when all of these actors have ended, their exit hooks have run, and their handlers are closed
     */
    CompletableFuture<Void> end(Predicate<Object> keys, boolean gently);

    /**
     * Remembers on which messages the actors of some keys are working.
     *
     * @param keys the keys
     * @return what they are working on
     */
    WorkOfKeys working(Predicate<Object> keys);

    /** What actors were working on at a time. */
    interface WorkOfKeys {
        /**
         * Interrupts the handlers that are still working on the same messages. A handler that ends at this moment may
         * have gone on to the next message, which is interrupted then.
         *
         * @return the keys of their actors
         */
        List<Object> interrupt();
    }

    /**
     * Counts a message that was offered here as refused, and reports it.
     *
     * @param message the message
     * @param cause why it will not be handled
     */
    void refuse(Object message, Cause cause);

    /**
     * Counts a message that was offered here as expired, and reports it.
     *
     * @param message the message
     * @param timeToLive how long it was allowed to wait
     */
    void expire(Object message, Duration timeToLive);
}
