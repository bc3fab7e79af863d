package io.fibry.web;

import io.fibry.Actor;
import io.fibry.net.HttpCall;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An open web socket. Web sockets are thread-safe, and a program may keep them and pass them to other code.
 *
 * <p>The messages that are sent to its {@link #actor()} go to the client, one after another. The actor has a bounded
 * mailbox ({@link WebSocketOptions#outbound}). If a client reads slowly, only this mailbox becomes full.
 */
public interface WebSocket {
    /**
     * Returns the actor whose messages go to the client. A stop of the actor closes the socket: after the messages that
     * are queued ({@link Actor#sendPoisonPill()}), or at once ({@link Actor#askExit()}).
     *
     * @return the actor
     */
    Actor<WebMessage, Void> actor();

    /**
     * Sends a text, through the actor.
     *
     * @param text the text
     * @return true if the text was accepted: it will be sent unless the socket closes before
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
     * Sends a message, through the actor. A program that sends the same message to many sockets should make it only
     * once.
     *
     * @param message the message
     * @return true if the message was accepted: it will be sent unless the socket closes before
     * @throws io.fibry.MailboxFullException if the actor's mailbox is full and its policy is {@code fail}
     */
    default boolean send(WebMessage message) {
        return actor().sendMessage(message);
    }

    /**
     * Closes the socket after the messages that are queued have been sent. The method does not wait. What the client
     * sends from now on is not handled. If the client does not answer within {@link WebSocketOptions#closeLimit()}, the
     * connection is cut. If there are several reasons to close the socket, only the first one counts.
     *
     * @param code a code that may be sent, for example {@link WebSocketClose#NORMAL}
     * @param reason a text for people; may be empty
     * @throws IllegalArgumentException if the code must not be sent, or the reason is longer than 123 bytes
     */
    void close(int code, String reason);

    /** Closes the socket with code 1000 after the messages that are queued have been sent. The method does not wait. */
    default void close() {
        close(WebSocketClose.NORMAL, "");
    }

    /**
     * Tells whether the socket takes messages.
     *
     * @return false from the moment when it begins to close, for whatever reason
     */
    boolean isOpen();

    /**
     * Returns the request that opened the socket, with its path and the named parts of the path, its query and its
     * headers.
     *
     * @return the request, which has no content
     */
    HttpCall call();

    /**
     * Returns the address of the other end.
     *
     * @return the address
     */
    InetSocketAddress peer();

    /**
     * Returns the protocol on which both sides agreed, out of {@link WebSocketOptions#protocols()}.
     *
     * @return the protocol, or an empty optional if there is none
     */
    Optional<String> protocol();
}
