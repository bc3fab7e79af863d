package io.fibry.pool;

import io.fibry.Recipient;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Several recipients behind one handle: each message goes to one of them, which the router chooses on the thread of the
 * sender. There is no actor in between, so a router costs a few nanoseconds, and a message is counted only where it goes.
 * The recipients may be actors, actors by key, pools and other routers.
 *
 * <pre>{@code
 * var router = Router.byKey("accounts", List.of(east, west), Booking::account);
 * router.sendMessage(booking);
 * router.add(north);   // only the accounts that north gets change their place
 * }</pre>
 *
 * <p>An actor or a pool that has stopped, or is asked to, is passed over, unless all have. The router neither stops its
 * recipients nor restarts them, and need not be closed. {@link WorkerPool} has workers that share one mailbox instead,
 * so that no message waits behind a slow one.
 *
 * <p>Routers are thread-safe. Messages of one sender that go to the same recipient keep their order.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface Router<M, R extends @Nullable Object> extends Recipient<M, R> {
    /**
     * Returns a router that takes the recipients by turns.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the router in reports
     * @param targets the recipients, at least one
     * @return the router
     */
    static <M, R extends @Nullable Object> Router<M, R> roundRobin(String name,
            List<? extends Recipient<M, R>> targets) {
        return new Routes<>(name, targets, new Choices.Turns<>());
    }

    /**
     * Returns a router that takes any of the recipients, each with the same probability.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the router in reports
     * @param targets the recipients, at least one
     * @param random chooses; it has to be thread-safe if several threads send
     * @return the router
     */
    static <M, R extends @Nullable Object> Router<M, R> random(String name,
            List<? extends Recipient<M, R>> targets, RandomGenerator random) {
        return new Routes<>(name, targets, new Choices.Any<>(random));
    }

    /**
     * Returns a router that takes the recipient with the least to do: the fewest messages that wait or are being handled.
     * The numbers are read one after another, so senders that choose at the same time may choose the same recipient.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the router in reports
     * @param targets the recipients, at least one: actors and pools
     * @return the router
     * @throws IllegalArgumentException if it is not known how much a recipient has to do
     */
    static <M, R extends @Nullable Object> Router<M, R> leastLoaded(String name,
            List<? extends Recipient<M, R>> targets) {
        return new Routes<>(name, targets, new Choices.Least<>(Choices::load));
    }

    /**
     * Returns a router that takes the recipient with the least load, as a function says. Of several with the same load it
     * takes them by turns.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the router in reports
     * @param targets the recipients, at least one
     * @param load returns how much a recipient has to do; called for each message and each recipient
     * @return the router
     */
    static <M, R extends @Nullable Object> Router<M, R> leastLoaded(String name,
            List<? extends Recipient<M, R>> targets, ToLongFunction<? super Recipient<M, R>> load) {
        return new Routes<>(name, targets, new Choices.Least<>(load));
    }

    /**
     * Returns a router that takes the same recipient for the same key. If a recipient is added, it gets its share of the
     * keys and no other key moves. If one is removed, or has stopped, only its keys move. The choice depends on the names
     * of the recipients and on the hash codes of the keys, and on nothing else.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name of the router in reports
     * @param targets the recipients, at least one, each with another name
     * @param keyOf returns the key of a message; called by the sender
     * @return the router
     */
    static <M, R extends @Nullable Object> Router<M, R> byKey(String name,
            List<? extends Recipient<M, R>> targets,
            Function<? super M, ?> keyOf) {
        return new Routes<>(name, targets, new Choices.ByKey<>(keyOf));
    }

    /**
     * Returns a recipient that gives each message to all of the targets. A message counts as accepted if all accept it.
     * An answer is the list of all answers, in the order of the recipients; it fails with the first failure, when all
     * are complete. A tracked message is handled if all have handled it; otherwise its fate is that of the first that
     * has not. If a recipient throws, the others get the message nevertheless. The exception is thrown after that, or
     * is the failure of the answer or of the fate.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name in reports
     * @param targets the recipients, at least one
     * @return the recipient
     */
    static <M, R extends @Nullable Object> Recipient<M, List<R>> broadcast(String name,
            List<? extends Recipient<M, R>> targets) {
        return new Broadcast<>(name, targets);
    }

    /**
     * Adds a recipient.
     *
     * @param target the recipient
     * @throws IllegalArgumentException if the router goes by key and has a recipient of that name already, or if the recipient
     *     is this router, or one that sends to it
     */
    void add(Recipient<M, R> target);

    /**
     * Removes a recipient. Messages that it has got stay there.
     *
     * @param target the recipient
     * @return true if it was there
     * @throws IllegalStateException if it is the only one
     */
    boolean remove(Recipient<M, R> target);

    /**
     * Returns the recipients.
     *
     * @return an immutable list
     */
    List<Recipient<M, R>> targets();
}
