package io.fibry.web;

import io.fibry.Actor;
import io.fibry.net.HttpCall;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An open web socket. Thread-safe; free to be kept and handed to others.
 *
 * <p>What is sent to its {@link #actor()} goes to the client, one message after the other. The actor has a bounded
 * mailbox ({@link WebSocketOptions#outbound}), so a client that reads slowly fills that and nothing else.
 */
public interface WebSocket {
    /**
     * The actor whose messages go to the client. Its stop closes the socket: after what is queued
     * ({@link Actor#sendPoisonPill()}) or at once ({@link Actor#askExit()}).
     *
     * @return the actor
     */
    Actor<WebMessage, Void> actor();

    /**
     * Sends a text, through the actor.
     *
     * @param text the text
     * @return true if it was accepted: it will be sent unless the socket closes before
     * @throws io.fibry.MailboxFullException if the actor's mailbox is full and its policy is {@code fail}
     */
    default boolean send(String text) {
        return send(WebMessage.text(text));
    }

    /**
     * Sends bytes, through the actor.
     *
     * @param bytes the bytes; they must not be changed any more
     * @return true if they were accepted: they will be sent unless the socket closes before
     * @throws io.fibry.MailboxFullException if the actor's mailbox is full and its policy is {@code fail}
     */
    default boolean send(byte[] bytes) {
        return send(WebMessage.binary(bytes));
    }

    /**
     * Sends a message, through the actor. To send one message to many sockets, make it once.
     *
     * @param message the message
     * @return true if it was accepted: it will be sent unless the socket closes before
     * @throws io.fibry.MailboxFullException if the actor's mailbox is full and its policy is {@code fail}
     */
    default boolean send(WebMessage message) {
        return actor().sendMessage(message);
    }

    /**
     * Closes the socket after what is queued has been sent. Does not wait. What the client sends from now on is not
     * handled. If it does not answer within {@link WebSocketOptions#closeLimit()}, the connection is cut. Only the first
     * reason to close counts.
     *
     * @param code a code that may be sent, as {@link WebSocketClose#NORMAL}
     * @param reason a text for people; may be empty
     * @throws IllegalArgumentException if the code must not be sent, or the reason is longer than 123 bytes
     */
    void close(int code, String reason);

    /** Closes the socket with code 1000 after what is queued has been sent. Does not wait. */
    default void close() {
        close(WebSocketClose.NORMAL, "");
    }

    /**
     * Whether it takes messages.
     *
     * @return false once it is closing, for whatever reason
     */
    boolean isOpen();

    /**
     * The request that opened it: path and its named parts, query, headers.
     *
     * @return the request, which has no content
     */
    HttpCall call();

    /**
     * Who is at the other end.
     *
     * @return the address
     */
    InetSocketAddress peer();

    /**
     * The protocol that was agreed on, of those in {@link WebSocketOptions#protocols()}.
     *
     * @return the protocol; empty if none was
     */
    Optional<String> protocol();
}
