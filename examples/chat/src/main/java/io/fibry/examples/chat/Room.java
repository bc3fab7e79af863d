package io.fibry.examples.chat;

import io.fibry.web.WebMessage;
import io.fibry.web.WebSocket;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The members of a room and its latest lines. They are the state of one actor, so they need no lock and no concurrent
 * map.
 */
final class Room {
    private static final int REMEMBERED = 50;

    /** The messages of a room's actor. */
    sealed interface Event {
    }

    record Join(WebSocket who, String name) implements Event {
    }

    record Say(WebSocket who, String text) implements Event {
    }

    record Leave(WebSocket who) implements Event {
    }

    private final Clock clock;
    private final Map<WebSocket, String> members = new LinkedHashMap<>();
    private final Deque<String> history = new ArrayDeque<>();

    Room(Clock clock) {
        this.clock = clock;
    }

    void handle(Event event) {
        switch (event) {
            case Join(var who, var name) -> {
                who.send("{\"type\":\"history\",\"all\":[%s]}".formatted(String.join(",", history)));
                members.put(who, name);
                tellAll("joined", name, "");
            }
            case Say(var who, var text) when members.containsKey(who) ->
                tellAll("said", members.get(who), text);
            case Say say -> {
            } // the sender has left the room
            case Leave(var who) -> {
                var name = members.remove(who);
                if (name != null) {
                    tellAll("left", name, "");
                }
            }
        }
    }

    /**
     * Sends to all members, which never waits. If a member does not read, its own mailbox becomes full, and only it is
     * cut off.
     */
    private void tellAll(String type, String name, String text) {
        var entry = "{\"type\":\"%s\",\"who\":%s,\"text\":%s,\"at\":%d}".formatted(type, Json.text(name),
                Json.text(text), clock.millis());
        if (type.equals("said")) {
            history.add(entry);
            if (history.size() > REMEMBERED) {
                history.remove();
            }
        }
        var here = members.values().stream().map(Json::text).collect(Collectors.joining(","));
        var message =
                WebMessage.text("{\"type\":\"news\",\"entry\":%s,\"here\":[%s]}".formatted(entry, here));
        members.keySet().forEach(member -> member.send(message));
    }
}
