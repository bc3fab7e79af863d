package io.fibry.examples.chat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.web.WebMessage;
import io.fibry.web.WebSocket;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A room: an actor that knows who is here and what was said last. Each guest is a web socket, which is an actor, too. So the room
 * never waits for a guest, and all guests hear everything in one order. Its methods may be called by any thread.
 */
final class Lobby {
    private static final int REMEMBERED = 50;

    private sealed interface Call {
        WebSocket guest();

        record Join(WebSocket guest, String wanted) implements Call {
        }

        record Say(WebSocket guest, ChatLine line) implements Call {
        }

        record Leave(WebSocket guest) implements Call {
        }
    }

    private final Clock clock;
    private final Actor<Call, Void> actor;
    // Used by the actor alone.
    private final Map<WebSocket, String> here = new LinkedHashMap<>();
    private final Deque<String> said = new ArrayDeque<>();

    Lobby(ActorScope scope, String name, Clock clock) {
        this.clock = clock;
        actor = scope.named("room " + name).newActor(this::handle);
    }

    /** Adds a guest under the wanted name, or one that is like it: the second Ann is "Ann 2". */
    void join(WebSocket guest, String wanted) {
        actor.sendMessage(new Call.Join(guest, wanted));
    }

    void say(WebSocket guest, ChatLine line) {
        actor.sendMessage(new Call.Say(guest, line));
    }

    void leave(WebSocket guest) {
        actor.sendMessage(new Call.Leave(guest));
    }

    private void handle(Call call) {
        switch (call) {
            case Call.Join(var guest, var wanted) -> {
                var name = free(wanted);
                here.put(guest, name);
                guest.send("{\"type\":\"history\",\"you\":%s,\"all\":[%s]}".formatted(Json.text(name),
                        String.join(",", said)));
                tellAll(entry("joined", name, "", clock.millis()));
            }
            case Call.Say(var guest, var line) -> {
                var name = here.get(guest);
                if (name != null) {
                    var entry = entry("said", name, line.text(), line.at());
                    said.add(entry);
                    if (said.size() > REMEMBERED) {
                        said.remove();
                    }
                    tellAll(entry);
                }
            }
            case Call.Leave(var guest) -> {
                var name = here.remove(guest);
                if (name != null) {
                    tellAll(entry("left", name, "", clock.millis()));
                }
            }
        }
    }

    private String free(String wanted) {
        Collection<String> taken = here.values();
        var name = wanted;
        for (int n = 2; taken.contains(name); n++) {
            name = wanted + " " + n;
        }
        return name;
    }

    /** Sends to all sockets, which never waits. A guest who does not read is disconnected, and leaves. */
    private void tellAll(String entry) {
        var news = WebMessage.text("{\"type\":\"news\",\"entry\":%s,\"here\":[%s]}".formatted(entry,
                here.values().stream().map(Json::text).collect(Collectors.joining(","))));
        here.keySet().forEach(guest -> guest.send(news));
    }

    private static String entry(String type, String name, String text, long at) {
        return "{\"type\":\"%s\",\"who\":%s,\"text\":%s,\"at\":%d}".formatted(type, Json.text(name),
                Json.text(text), at);
    }
}
