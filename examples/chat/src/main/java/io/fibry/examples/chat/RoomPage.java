package io.fibry.examples.chat;

import io.fibry.topic.ChatEvent;
import io.fibry.web.WebMessage;
import io.fibry.web.WebSocket;
import java.time.Clock;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Sends what happens in a room to the page of one member. The room calls it in an actor of this member, so it needs no lock.
 */
final class RoomPage {
    private final String name;
    private final WebSocket socket;
    private final Clock clock;
    private List<String> here = List.of();

    RoomPage(String name, WebSocket socket, Clock clock) {
        this.name = name;
        this.socket = socket;
        this.clock = clock;
    }

    /** Sends to the socket, which never waits. If its user does not read, the socket is closed, and the member leaves. */
    void show(ChatEvent<ChatLine> event) {
        switch (event) {
            case ChatEvent.Welcome<ChatLine>(var history) ->
                socket.send("{\"type\":\"history\",\"you\":%s,\"all\":[%s]}"
                        .formatted(Json.text(name),
                                history.stream().map(RoomPage::said).collect(Collectors.joining(","))));
            case ChatEvent.Joined<ChatLine>(var who, var all) -> {
                here = all;
                news(entry("joined", who, "", clock.millis()));
            }
            case ChatEvent.Said<ChatLine> said -> news(said(said));
            case ChatEvent.Left<ChatLine>(var who, var why, var all) -> {
                here = all;
                news(entry("left", who, "", clock.millis()));
            }
        }
    }

    private void news(String entry) {
        socket.send(WebMessage.text("{\"type\":\"news\",\"entry\":%s,\"here\":[%s]}".formatted(entry,
                here.stream().map(Json::text).collect(Collectors.joining(",")))));
    }

    private static String said(ChatEvent.Said<ChatLine> said) {
        return entry("said", said.member(), said.message().text(), said.message().at());
    }

    private static String entry(String type, String name, String text, long at) {
        return "{\"type\":\"%s\",\"who\":%s,\"text\":%s,\"at\":%d}".formatted(type, Json.text(name),
                Json.text(text), at);
    }
}
