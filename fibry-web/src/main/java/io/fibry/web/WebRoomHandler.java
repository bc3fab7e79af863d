package io.fibry.web;

import io.fibry.topic.ChatMember;

/**
 * Decides what becomes of a message that the client of a web socket sends to a {@link WebRoom}. It is called for one
 * message of a client after another, and for many clients at the same time. What it throws closes the socket with code
 * 1011.
 *
 * @param <T> the type of the messages
 */
@FunctionalInterface
public interface WebRoomHandler<T> {
    /**
     * Handles a message.
     *
     * @param member the member that the client is; {@link ChatMember#leave()} closes the socket with code 1000
     * @param message the message
     * @throws Exception if the handler fails
     */
    void received(ChatMember<T> member, T message) throws Exception;
}
