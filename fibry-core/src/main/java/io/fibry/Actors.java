package io.fibry;

import io.fibry.internal.actor.ManyAsks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends to several actors, or several messages to one. All methods are thread-safe; a collection that is given is read
 * once, by the calling thread.
 */
public final class Actors {
    private Actors() {
    }

    /**
     * Sends a message to several actors.
     *
     * @param <M> type of the message
     * @param actors the actors
     * @param message the message
     * @return how many actors have accepted it
     * @throws MailboxFullException if a mailbox is full and its policy is {@link OverflowPolicy#fail()}; the actors after
     *     that one have not got the message
     */
    public static <M> int sendAll(Collection<? extends Actor<? super M, ?>> actors, M message) {
        Objects.requireNonNull(message, "message");
        var accepted = 0;
        for (var actor : Objects.requireNonNull(actors, "actors")) {
            accepted += actor.sendMessage(message) ? 1 : 0;
        }
        return accepted;
    }

    /**
     * Sends several messages to an actor, in their order.
     *
     * @param <M> type of the messages
     * @param actor the actor
     * @param messages the messages
     * @return how many messages the actor has accepted
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}; the messages
     *     after that one have not been sent
     */
    public static <M> int sendAll(Actor<M, ?> actor, Collection<? extends M> messages) {
        Objects.requireNonNull(actor, "actor");
        var accepted = 0;
        for (var message : Objects.requireNonNull(messages, "messages")) {
            accepted += actor.sendMessage(message) ? 1 : 0;
        }
        return accepted;
    }

    /**
     * Returns the asks of one message to several actors. The methods of the result send them.
     *
     * @param <M> type of the message
     * @param <R> type of the answers
     * @param actors the actors
     * @param message the message
     * @return the asks, in the order of the actors
     */
    public static <M, R extends @Nullable Object> AskAll<R> askAll(
            Collection<? extends Actor<? super M, ? extends R>> actors, M message) {
        Objects.requireNonNull(message, "message");
        var asks = new ArrayList<ManyAsks.Ask<R>>();
        for (var actor : Objects.requireNonNull(actors, "actors")) {
            asks.add(ManyAsks.<M, R>message(actor, message));
        }
        return new AskAll<>(ManyAsks.of(List.copyOf(asks)));
    }

    /**
     * Returns the asks of several messages to one actor. The methods of the result send them.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param actor the actor
     * @param messages the messages
     * @return the asks, in the order of the messages
     */
    public static <M, R extends @Nullable Object> AskAll<R> askAll(Actor<M, R> actor,
            Collection<? extends M> messages) {
        Objects.requireNonNull(actor, "actor");
        var asks = new ArrayList<ManyAsks.Ask<R>>();
        for (var message : Objects.requireNonNull(messages, "messages")) {
            asks.add(ManyAsks.<M, R>message(actor, message));
        }
        return new AskAll<>(ManyAsks.of(List.copyOf(asks)));
    }

    /**
     * Returns the asks of one request to several actors. The methods of the result send them.
     *
     * @param <A> type of the answer
     * @param actors the actors
     * @param request the request
     * @return the asks, in the order of the actors
     */
    public static <A extends @Nullable Object> AskAll<A> requestAll(
            Collection<? extends Actor<?, Reply>> actors, Request<A> request) {
        Objects.requireNonNull(request, "request");
        var asks = new ArrayList<ManyAsks.Ask<A>>();
        for (var actor : Objects.requireNonNull(actors, "actors")) {
            asks.add(ManyAsks.request(actor, request));
        }
        return new AskAll<>(ManyAsks.of(List.copyOf(asks)));
    }

    /**
     * Returns the asks of several requests to one actor. The methods of the result send them.
     *
     * @param <A> type of the answers
     * @param actor the actor
     * @param requests the requests
     * @return the asks, in the order of the requests
     */
    public static <A extends @Nullable Object> AskAll<A> requestAll(Actor<?, Reply> actor,
            Collection<? extends Request<A>> requests) {
        Objects.requireNonNull(actor, "actor");
        var asks = new ArrayList<ManyAsks.Ask<A>>();
        for (var request : Objects.requireNonNull(requests, "requests")) {
            asks.add(ManyAsks.request(actor, request));
        }
        return new AskAll<>(ManyAsks.of(List.copyOf(asks)));
    }
}
