package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.ScopeLimits;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sockets as actors, with the JDK's client. */
class WebSocketActorTest {
    private static final int MANY = 300;

    /** The JDK's client. */
    private static final class Client implements java.net.http.WebSocket.Listener {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        static java.net.http.WebSocket open(HttpClient http, int port, String path, Client client)
                throws Exception {
            return http.newWebSocketBuilder().buildAsync(URI.create("ws://127.0.0.1:" + port + path), client)
                    .get(Patience.MILLIS, TimeUnit.MILLISECONDS);
        }

        String next() throws InterruptedException {
            var next = heard.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
            assertThat(next).as("the next message").isNotNull();
            return next;
        }

        @Override
        public CompletionStage<?> onText(java.net.http.WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                heard.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(java.net.http.WebSocket socket, ByteBuffer data, boolean last) {
            heard.add("bytes " + data.remaining());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(java.net.http.WebSocket socket, ByteBuffer data) {
            heard.add("pong " + data.remaining());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(java.net.http.WebSocket socket, int code, String reason) {
            heard.add("close " + code + " " + reason);
            return null;
        }
    }

    @Test
    void aPlaceToRunIsForHandlersAndNotForConnections() throws Exception {
        var routes = HttpRoutes.none().get("/", call -> HttpAnswer.text("hello"))
                .get("/echo", WebSocketRoute.of((socket, text) -> socket.send(text)));
        try (var small = ActorSystem.configure("small").limits(ScopeLimits.none().running(1)).open();
                var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var server = WebServer.start(small.anonymous(), WebOptions.localPort(0), routes);
            var client = new Client();
            var socket = Client.open(http, server.port(), "/echo", client);
            socket.sendText("one", true).get(Patience.MILLIS, TimeUnit.MILLISECONDS);
            assertThat(client.next()).isEqualTo("one");
            for (int i = 0; i < 3; i++) { // beside a connection that is open, and one that is idle
                var answer = http.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port()))
                        .timeout(Patience.LIMIT).build(), BodyHandlers.ofString());
                assertThat(answer.body()).isEqualTo("hello");
            }
            assertThat(server.stop(Patience.LIMIT).stopped()).isTrue();
        }
    }

    @Promise("17.1")
    @EveryStrategy
    void messagesAreHandledOneAtATimeAndInOrderOnTheStrategy(Strategy strategy) throws Exception {
        var inside = new AtomicInteger();
        var atOnce = new AtomicInteger();
        try (var scope = ActorSystem.configure("web").strategy(strategy.create()).open();
                var http = HttpClient.newHttpClient()) {
            var server =
                    WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none().get("/",
                            WebSocketRoute.of((socket, text) -> {
                                atOnce.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                socket.send(text);
                                inside.decrementAndGet();
                            })));
            var client = new Client();
            var socket = Client.open(http, server.port(), "/", client);
            for (var i = 0; i < MANY; i++) {
                socket.sendText("m" + i, true).join();
            }
            for (var i = 0; i < MANY; i++) {
                assertThat(client.next()).isEqualTo("m" + i);
            }
            assertThat(atOnce).hasValue(1);
            socket.sendClose(1000, "bye").join();
            assertThat(client.next()).startsWith("close 1000");
        }
    }

    /** Clients are read and written by fibers, so a pool's threads are for handlers only. */
    @Promise("17.1")
    @Test
    void aPoolOfOneThreadServesManySockets() throws Exception {
        var pool = io.fibry.CreationStrategy.pool(1);
        try (var scope = ActorSystem.configure("web").strategy(pool).open()) {
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                    HttpRoutes.none().get("/", WebSocketRoute.of((socket, text) -> socket.send(text))));
            try (var first = RawSocket.open(server.port(), "/");
                    var second = RawSocket.open(server.port(), "/");
                    var third = RawSocket.open(server.port(), "/")) {
                for (var client : java.util.List.of(third, first, second)) {
                    client.text("hello");
                    assertThat(client.read().text()).isEqualTo("hello");
                }
            }
        }
    }

    @Test
    void theJdksClientSendsFragmentsBytesAndPings() throws Exception {
        try (var scope = ActorSystem.open("web"); var http = HttpClient.newHttpClient()) {
            var server =
                    WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none().get("/",
                            WebSocketRoute.of(new WebSocketHandler() {
                                @Override
                                public void text(WebSocket socket, String text) {
                                    socket.send(text);
                                }

                                @Override
                                public void binary(WebSocket socket, byte[] bytes) {
                                    socket.send(bytes);
                                }
                            })));
            var client = new Client();
            var socket = Client.open(http, server.port(), "/", client);
            socket.sendText("in ", false).join();
            socket.sendText("pieces", true).join();
            assertThat(client.next()).isEqualTo("in pieces");
            socket.sendBinary(ByteBuffer.allocate(70), true).join();
            assertThat(client.next()).isEqualTo("bytes 70");
            socket.sendPing(ByteBuffer.allocate(3)).join();
            assertThat(client.next()).isEqualTo("pong 3");
            socket.abort();
        }
    }

    /** What a chat needs: everybody sends to everybody's actor. */
    @Promise({"17.1", "17.2"})
    @Test
    void socketsActorsAreFreeToBeSentToByAll() throws Exception {
        Set<Actor<WebMessage, Void>> room = ConcurrentHashMap.newKeySet();
        var chat = WebSocketRoute.of(new WebSocketHandler() {
            @Override
            public void opened(WebSocket socket) {
                room.add(socket.actor());
                socket.send("welcome");
            }

            @Override
            public void text(WebSocket socket, String text) {
                var message = WebMessage.text(text);
                room.forEach(each -> each.sendMessage(message));
            }

            @Override
            public void closed(WebSocket socket, WebSocketClose close) {
                room.remove(socket.actor());
            }
        });
        try (var scope = ActorSystem.open("web"); var http = HttpClient.newHttpClient()) {
            Server server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                    HttpRoutes.none().get("/", chat));
            var clients = new ArrayList<Client>();
            var sockets = new ArrayList<java.net.http.WebSocket>();
            for (var i = 0; i < 3; i++) {
                var client = new Client();
                clients.add(client);
                sockets.add(Client.open(http, server.port(), "/", client));
                assertThat(client.next()).isEqualTo("welcome");
            }
            for (var i = 0; i < 50; i++) {
                sockets.getFirst().sendText("" + i, true).join();
            }
            for (var client : clients) {
                for (var i = 0; i < 50; i++) {
                    assertThat(client.next()).isEqualTo("" + i);
                }
            }
            sockets.forEach(java.net.http.WebSocket::abort);
        }
        assertThat(room).isEmpty();
    }

    @Promise("17.4")
    @Test
    void theStopOfTheActorClosesTheSocket() throws Exception {
        var heard = new Heard();
        try (var scope = ActorSystem.open("web")) {
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                    HttpRoutes.none().get("/", WebSocketRoute.of(heard)));
            try (var client = RawSocket.open(server.port(), "/")) {
                assertThat(heard.next()).isEqualTo("opened");
                heard.sockets.getFirst().send("before");
                heard.sockets.getFirst().actor().sendPoisonPill();
                assertThat(client.read().text()).isEqualTo("before");
                assertThat(client.closeCode()).isEqualTo(1000);
                client.close(1000);
                assertThat(heard.next()).isEqualTo("closed 1000");
            }
        }
    }

    @Promise("17.1")
    @Test
    void theActorsNamesSayWhoseTheyAre() throws Exception {
        var heard = new Heard();
        try (var scope = ActorSystem.open("web")) {
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                    HttpRoutes.none().get("/{room}", WebSocketRoute.of(heard)));
            try (var client = RawSocket.open(server.port(), "/kitchen?a=b")) {
                assertThat(heard.next()).isEqualTo("opened");
                var socket = heard.sockets.getFirst();
                assertThat(socket.actor().name())
                        .startsWith("web-" + server.port() + "/127.0.0.1:" + socket.peer().getPort());
                assertThat(socket.call().parameter("room")).isEqualTo("kitchen");
                assertThat(socket.call().query("a")).contains("b");
                client.text("x");
            }
        }
    }
}
