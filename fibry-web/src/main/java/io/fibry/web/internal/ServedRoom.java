package io.fibry.web.internal;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.function.Handler;
import io.fibry.internal.log.Logs;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpEvent;
import io.fibry.net.HttpEvents;
import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;
import io.fibry.topic.ChatMember;
import io.fibry.topic.ChatRoom;
import io.fibry.web.WebRoom;
import io.fibry.web.WebRoomHandler;
import io.fibry.web.WebRoomOptions;
import io.fibry.web.WebSocketRoute;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * A room with clients.
 *
 * @param <T> the type of the messages
 */
public final class ServedRoom<T> implements WebRoom<T> {
    /** Tells an actor that it is time for a heartbeat. */
    private enum Beat {
        NOW
    }

    private static final Logger LOG = Logs.of("io.fibry.web");

    private final ActorScope scope;
    private final Class<T> type;
    private final HttpJson json;
    private final WebRoomOptions options;
    private final RoomTexts texts;
    private final ChatRoom<T> room;

    private ServedRoom(ActorScope scope, String name, Class<T> type, HttpJson json, WebRoomOptions options) {
        this.scope = Objects.requireNonNull(scope, "scope");
        this.type = Objects.requireNonNull(type, "type");
        this.json = Objects.requireNonNull(json, "json");
        this.options = Objects.requireNonNull(options, "options");
        texts = new RoomTexts(json);
        var settings = options.chat().actors();
        // A member may wait for its client, which should cost no thread.
        room = ChatRoom.open(scope, name, options.chat()
                .withActors(builder -> settings.apply(builder.strategy(CreationStrategy.fibers()))));
    }

    /**
     * Opens a room.
     *
     * @param <T> the type of the messages
     * @param scope the scope
     * @param name the name
     * @param type the type of the messages
     * @param json reads and writes the messages
     * @param options the options
     * @return the room
     */
    public static <T> ServedRoom<T> open(ActorScope scope, String name, Class<T> type, HttpJson json,
            WebRoomOptions options) {
        return new ServedRoom<>(scope, name, type, json, options);
    }

    @Override
    public ChatRoom<T> room() {
        return room;
    }

    @Override
    public WebSocketRoute sockets(Function<? super HttpCall, String> names) {
        return route(names, ChatMember::say);
    }

    @Override
    public WebSocketRoute sockets(Function<? super HttpCall, String> names, WebRoomHandler<T> handler) {
        Objects.requireNonNull(handler, "handler");
        return route(names, (member, message) -> {
            handler.received(member, message);
            return true;
        });
    }

    private WebSocketRoute route(Function<? super HttpCall, String> names, RoomSocket.Receiver<T> handler) {
        Objects.requireNonNull(names, "names");
        return WebSocketRoute.opening(
                call -> new RoomSocket<>(this, handler, name(names, call), seen(call)).reading(json, type));
    }

    @Override
    public HttpCallHandler events(Function<? super HttpCall, String> names) {
        Objects.requireNonNull(names, "names");
        return call -> {
            var name = name(names, call);
            if (room.members().size() >= options.chat().members()) {
                throw new HttpProblem(503, "the room is full; try again later");
            }
            return HttpAnswer.events(call, (same, events) -> listen(name, seen(call), events));
        };
    }

    private static String name(Function<? super HttpCall, String> names, HttpCall call) {
        var name = Objects.requireNonNull(names.apply(call), "the name of a member");
        if (name.isBlank()) {
            throw new HttpProblem(400, "a name is needed");
        }
        return name;
    }

    private OptionalLong seen(HttpCall call) {
        return texts.number(call.lastEventId().or(() -> call.query("after")).orElse(""));
    }

    ChatMember<T> join(String name, OptionalLong seen, Handler<HttpEvent> out) {
        return room.join(name, new RoomReader<T>(texts, seen, options.presence(), out));
    }

    private void listen(String name, OptionalLong seen, HttpEvents events) throws Exception {
        var way = new RoomEvents();
        ChatMember<T> member;
        try {
            member = join(name, seen, way::put);
        } catch (IllegalStateException full) {
            LOG.debug("'{}' gets no events: {}", name, full.getMessage());
            return; // the client tries again, and is then refused
        }
        var unused = member.onLeft().thenRun(way::wake);
        var pulse = scope.anonymous().withoutInterceptors().strategy(CreationStrategy.fibers())
                .<Beat>onStart(context -> context.timers().fixedRate("beat", options.heartbeat(), Beat.NOW))
                .newActor((Beat beat) -> way.wake());
        try {
            way.write(member, events);
        } finally {
            pulse.askExit();
        }
    }

    @Override
    public void close() {
        room.close();
    }

    @Override
    public String toString() {
        return "WebRoom[" + room + "]";
    }
}
