package io.fibry.examples.chat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.examples.frame.Page;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.WebOptions;
import io.fibry.web.WebServer;
import io.fibry.web.WebSocket;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketHandler;
import io.fibry.web.WebSocketOptions;
import io.fibry.web.WebSocketRoute;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A chat, with an actor for each {@link Lobby} and one for the web socket of each user. If a user does not read, the mailbox of this
 * socket becomes full and the user is disconnected; the other users notice nothing.
 */
public final class Chat implements AutoCloseable {
    private static final int LONGEST_NAME = 24;
    private static final int LONGEST_TEXT = 2_000;
    private static final WebSocketOptions LIMITS = WebSocketOptions.standard().messageBytes(4 * LONGEST_TEXT)
            .outboundOrDisconnect(200).closeLimit(Duration.ofSeconds(2));

    private final ActorScope scope =
            ActorSystem.configure("chat").closeTimeout(Duration.ofSeconds(2)).listener(event -> {
            }).open();
    private final Clock clock = Clock.systemUTC();
    private final Map<String, Lobby> rooms = new ConcurrentHashMap<>();
    private final Server server;

    private Chat(int port) {
        var html = Page.of(Chat.class, "chat.html");
        var routes = HttpRoutes.none()
                .get("/", call -> HttpAnswer.html(html))
                .get("/rooms/{room}", WebSocketRoute.opening(this::user).with(LIMITS));
        try {
            server = WebServer.start(scope.anonymous(), WebOptions.localPort(port), routes);
        } catch (UncheckedIOException portIsTaken) {
            scope.close();
            throw portIsTaken;
        }
    }

    static Chat start(int port) {
        return new Chat(port);
    }

    /** One user in one room. Its methods run in the actor of the user's socket. */
    private WebSocketHandler user(HttpCall call) {
        var wanted = checked("name", call.query("name").orElse(""));
        var room = rooms.computeIfAbsent(checked("room", call.parameter("room")),
                name -> new Lobby(scope, name, clock));
        return new WebSocketHandler() {
            @Override
            public void opened(WebSocket socket) {
                room.join(socket, wanted);
            }

            @Override
            public void text(WebSocket socket, String text) {
                if (!text.isBlank()) {
                    room.say(socket, new ChatLine(
                            text.substring(0, Math.min(text.length(), LONGEST_TEXT)), clock.millis()));
                }
            }

            @Override
            public void closed(WebSocket socket, WebSocketClose why) {
                room.leave(socket);
            }
        };
    }

    private static String checked(String what, String value) {
        if (value.isBlank() || value.length() > LONGEST_NAME) {
            throw new HttpProblem(400, "a " + what + " has 1 to " + LONGEST_NAME + " letters");
        }
        return value.strip();
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.stop(Duration.ofSeconds(1));
        scope.close();
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var chat = start(Options.read(args, Option.port(8080)).port());
        System.out.printf("""
                http://127.0.0.1:%1$d/   open it in two tabs, with two names
                """, chat.port());
        CtrlC.closes(chat);
    }
}
