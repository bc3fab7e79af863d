package io.fibry.web.internal;

import io.fibry.net.HttpEvent;
import io.fibry.net.HttpProblem;
import io.fibry.topic.ChatEvent.Departure;
import io.fibry.topic.ChatMember;
import io.fibry.web.WebMessage;
import io.fibry.web.WebSocket;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketJsonHandler;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A web socket whose client is a member of a room. */
final class RoomSocket<T> implements WebSocketJsonHandler<T> {
    /** Takes a message of a client. */
    interface Receiver<T> {
        /** Returns false if the room has no place for it. */
        boolean takes(ChatMember<T> member, T message) throws Exception;
    }

    private final ServedRoom<T> room;
    private final Receiver<T> handler;
    private final String name;
    private final OptionalLong seen;
    /** Set once, by the reader of the socket; an actor's turn that comes earlier leaves it to the next event. */
    private volatile @Nullable ChatMember<T> member;

    RoomSocket(ServedRoom<T> room, Receiver<T> handler, String name, OptionalLong seen) {
        this.room = room;
        this.handler = handler;
        this.name = name;
        this.seen = seen;
    }

    @Override
    public void opened(WebSocket socket) {
        ChatMember<T> joined;
        try {
            joined = room.join(name, seen, event -> tell(socket, event));
        } catch (IllegalStateException full) {
            socket.close(WebSocketClose.TRY_LATER, "the room is full, or has ended; try again later");
            return;
        }
        member = joined;
        var unused = joined.onLeft().thenAccept(why -> socket.close(code(why), reason(why)));
    }

    private void tell(WebSocket socket, HttpEvent event) {
        if (!socket.send(WebMessage.text(event.data())) && !socket.isOpen()) {
            leave(); // the client may take its time to close the socket
        }
    }

    private void leave() {
        var known = member;
        if (known != null) {
            known.leave();
        }
    }

    @Override
    public void malformed(WebSocket socket, HttpProblem problem) throws Exception {
        WebSocketJsonHandler.super.malformed(socket, problem);
        leave();
    }

    private static int code(Departure why) {
        return switch (why) {
            case LEFT -> WebSocketClose.NORMAL;
            case TOO_SLOW -> WebSocketClose.POLICY;
            case ENDED -> WebSocketClose.GOING_AWAY;
        };
    }

    private static String reason(Departure why) {
        return switch (why) {
            case LEFT -> "";
            case TOO_SLOW -> "too slow: too many events wait";
            case ENDED -> "the room has ended";
        };
    }

    @Override
    public void message(WebSocket socket, T message) throws Exception {
        var sender = member;
        if (sender != null && !sender.onLeft().isDone() && !handler.takes(sender, message)
                && !sender.onLeft().isDone()) {
            socket.close(WebSocketClose.TRY_LATER, "too many messages wait in the room; try again later");
        }
    }

    @Override
    public void closed(WebSocket socket, WebSocketClose close) {
        leave();
    }
}
