package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rooms whose members are clients. */
class WebRoomTest {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private ActorScope scope = ActorSystem.open("rooms");
    private WebRoom<Json.Line> room;
    private Server server;
    private String epoch;

    private void serve(WebRoomOptions options) {
        serve(options, WebSocketOptions.standard());
    }

    private void serve(WebRoomOptions options, WebSocketOptions ofSockets) {
        room = WebRoom.open(scope, "lobby", Json.Line.class, Json.TEST, options.heartbeat(HEARTBEAT));
        server = WebServer.start(scope.anonymous(), WebOptions.localPort(0), routes(ofSockets));
    }

    private HttpRoutes routes(WebSocketOptions ofSockets) {
        return HttpRoutes.none()
                .get("/talk", room.sockets(call -> call.query("name").orElseThrow(
                        () -> new HttpProblem(401, "who are you?"))).with(ofSockets))
                .get("/politely", room.sockets(call -> "guest", (member, line) -> {
                    switch (line.text()) {
                        case "bye" -> member.leave();
                        case "fail" -> throw new IllegalStateException("as asked");
                        default -> member.say(new Json.Line(line.text() + ", please"));
                    }
                }))
                .get("/events", room.events(call -> "reader"));
    }

    @AfterEach
    void stop() {
        if (room != null) {
            room.close();
        }
        scope.close();
    }

    private RawSocket join(String name) throws IOException {
        return RawSocket.open(server.port(), "/talk?name=" + name);
    }

    private static void say(RawSocket client, String text) throws IOException {
        client.text("{\"text\":\"" + text + "\"}");
    }

    /** What comes next, without the random part of ids. */
    private String next(RawSocket client) throws IOException {
        var frame = client.read();
        assertThat(frame.opcode()).as(frame.text()).isEqualTo(RawSocket.TEXT);
        return plain(frame.text());
    }

    private String plain(String text) {
        var at = text.indexOf("\"id\":\"");
        if (at < 0) {
            return text;
        }
        var begin = at + "\"id\":\"".length();
        epoch = text.substring(begin, text.indexOf('-', begin) + 1);
        return text.replace(epoch, "");
    }

    private static String said(int id, String member, String text) {
        return "{\"event\":\"said\",\"member\":\"" + member + "\",\"id\":\"" + id
                + "\",\"message\":{\"text\":\"" + text + "\"}}";
    }

    private void awaitMembers(String... names) {
        Waits.until("members", () -> room.room().members().equals(java.util.List.of(names)));
    }

    @Promise("76.1")
    @Test
    void clientsGetEachMessageOnceInOneOrderAndWhoComesAndGoes() throws Exception {
        serve(WebRoomOptions.standard());
        try (var ann = join("ann")) {
            assertThat(next(ann))
                    .isEqualTo("{\"event\":\"joined\",\"member\":\"ann\",\"members\":1,\"here\":[\"ann\"]}");
            var events = new EventClient(server.port(), "/events");
            assertThat(next(ann)).isEqualTo("{\"event\":\"joined\",\"member\":\"reader\",\"members\":2}");
            assertThat(events.event()).isEqualTo(
                    "data: {\"event\":\"joined\",\"member\":\"reader\",\"members\":2,\"here\":[\"ann\",\"reader\"]}");
            say(ann, "hello");
            assertThat(next(ann)).isEqualTo(said(1, "ann", "hello"));
            assertThat(events.event()).isEqualTo("id: " + epoch + "1|data: "
                    + said(1, "ann", "hello").replace("\"id\":\"", "\"id\":\"" + epoch));
            var bob = join("bob");
            assertThat(next(bob)).isEqualTo(said(1, "ann", "hello"));
            assertThat(next(bob)).contains("\"joined\"").contains("[\"ann\",\"reader\",\"bob\"]");
            assertThat(next(ann)).contains("\"joined\"").contains("\"bob\"").doesNotContain("here");
            var robot = room.room().join("robot", event -> {
            });
            assertThat(next(bob)).contains("robot");
            robot.say(new Json.Line("beep"));
            assertThat(next(bob)).isEqualTo(said(2, "robot", "beep"));
            bob.close(WebSocketClose.NORMAL);
            assertThat(next(ann)).contains("robot");
            assertThat(next(ann)).isEqualTo(said(2, "robot", "beep"));
            assertThat(next(ann)).isEqualTo("{\"event\":\"left\",\"member\":\"bob\",\"members\":3}");
            bob.close();
            events.close();
        }
    }

    @Promise("76.1")
    @Test
    void aFloodOfManyClientsIsOneOrderForAll() throws Exception {
        var clients = 8;
        var messages = 50;
        serve(WebRoomOptions.standard().presence(false).chat(chat -> chat.withOutbox(2_000)));
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var open = new ArrayList<RawSocket>();
            for (var i = 0; i < clients; i++) {
                open.add(join("c" + i));
                assertThat(next(open.get(i))).isEqualTo("{\"event\":\"joined\",\"member\":\"c" + i + "\"}");
            }
            open.forEach(client -> executor.submit(() -> {
                for (var i = 0; i < messages; i++) {
                    say(client, "m" + i);
                }
                return null;
            }));
            var heard = open.stream().map(client -> executor.submit(() -> {
                var texts = new ArrayList<String>();
                for (var i = 0; i < clients * messages; i++) {
                    texts.add(client.read().text());
                }
                return texts;
            })).toList();
            var first = heard.getFirst().get();
            for (Future<ArrayList<String>> each : heard) {
                assertThat(each.get()).isEqualTo(first);
            }
            assertThat(
                    IntStream.range(0, first.size()).filter(i -> first.get(i).contains("-" + (i + 1) + "\"")))
                    .hasSize(clients * messages);
            for (var client : open) {
                client.close();
            }
        }
        awaitMembers();
    }

    @Promise("76.2")
    @Test
    void whatIsNoMessageClosesItsOwnSocketAlone() throws Exception {
        serve(WebRoomOptions.standard().presence(false));
        try (var ann = join("ann"); var bad = join("bad"); var worse = join("worse")) {
            next(ann);
            next(bad);
            bad.text("{\"text\":");
            var close = bad.read();
            assertThat(close.closeCode()).isEqualTo(WebSocketClose.INVALID_TEXT);
            assertThat(close.closeReason()).isEqualTo("the JSON does not fit: text, line 1");
            worse.frame(RawSocket.BINARY, true, new byte[]{1});
            assertThat(worse.closeCode()).isEqualTo(WebSocketClose.UNSUPPORTED);
            say(ann, "still here");
            assertThat(next(ann)).isEqualTo(said(1, "ann", "still here"));
            awaitMembers("ann"); // they are no members any more, although they have not answered
        }
    }

    @Promise("76.2")
    @Test
    void theNameIsCheckedBeforeTheSocketIsOpened() throws Exception {
        serve(WebRoomOptions.standard());
        try (var client = new RawSocket(server.port())) {
            assertThat(client.ask("/talk?name=%20")).contains(" 400 ");
        }
        try (var client = new RawSocket(server.port())) {
            assertThat(client.ask("/talk")).contains(" 401 ");
        }
        assertThat(room.room().members()).isEmpty();
    }

    @Promise("76.2")
    @Test
    void aHandlerDecidesWhatIsSaidAndWhoLeaves() throws Exception {
        serve(WebRoomOptions.standard().presence(false));
        try (var polite = RawSocket.open(server.port(), "/politely");
                var failing = RawSocket.open(server.port(), "/politely")) {
            next(polite);
            say(polite, "tea");
            assertThat(next(polite)).isEqualTo(said(1, "guest", "tea, please"));
            say(polite, "bye");
            assertThat(polite.closeCode()).isEqualTo(WebSocketClose.NORMAL);
            say(failing, "fail");
            assertThat(failing.closeCode()).isEqualTo(WebSocketClose.FAILURE);
        }
        awaitMembers();
    }

    @Promise("76.2")
    @Test
    void aFullRoomTakesNobody() throws Exception {
        serve(WebRoomOptions.standard().chat(chat -> chat.withMembers(1)));
        try (var ann = join("ann")) {
            next(ann);
        }
        awaitMembers();
        try (var ann = join("ann")) {
            assertThat(next(ann)).contains("joined");
            var late = join("late");
            var events = new EventClient(server.port(), "/events");
            assertThat(late.closeCode()).isEqualTo(WebSocketClose.TRY_LATER);
            assertThat(events.status()).contains(" 503 ");
            awaitMembers("ann");
            late.close();
            events.close();
        }
    }

    @Promise("76.2")
    @Test
    void aClientIsToldIfTheRoomHasNoPlaceForItsMessage() throws Exception {
        var go = new CountDownLatch(1);
        var busy = new CountDownLatch(1);
        serve(WebRoomOptions.standard().chat(
                chat -> chat.withWaiting(1)
                        .withActors(builder -> builder.strategy(CreationStrategy.caller()))));
        try (var ann = join("ann")) {
            next(ann);
            // A member that runs on the room's own thread stops the room.
            room.room().join("stopper", event -> {
                busy.countDown();
                go.await();
            });
            busy.await();
            say(ann, "one");
            say(ann, "two");
            assertThat(ann.closeCode()).isEqualTo(WebSocketClose.TRY_LATER);
        } finally {
            go.countDown();
        }
    }

    @Promise("76.3")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSocketThatDoesNotReadHurtsNoOther(boolean standard) throws Exception {
        serve(WebRoomOptions.standard().presence(false).chat(chat -> chat.withHistory(0)), standard
                ? WebSocketOptions.standard().outboundOrDisconnect(20)
                : WebSocketOptions.standard().outbound(MailboxPolicy.bounded(20, OverflowPolicy.block())));
        var line = "x".repeat(100_000);
        try (var slow = RawSocket.slow(server.port(), "/talk?name=slow"); var ann = join("ann")) {
            assertThat(slow.read().text()).contains("slow");
            next(ann);
            var said = 0;
            while (room.room().members().contains("slow")) {
                say(ann, line);
                assertThat(next(ann)).isEqualTo(said(++said, "ann", line));
            }
            assertThat(said).as("events that the limits allow and the system buffers").isLessThan(1_000);
            say(ann, "done");
            assertThat(next(ann)).isEqualTo(said(said + 1, "ann", "done"));
        }
    }

    @Promise("76.3")
    @Test
    void aListenerThatDoesNotReadIsRemovedAndItsAnswerEnds() throws Exception {
        serve(WebRoomOptions.standard().presence(false).chat(chat -> chat.withHistory(0).withOutbox(20)));
        var line = "x".repeat(100_000);
        try (var slow = new EventClient(server.port(), "/events"); var ann = join("ann")) {
            next(ann);
            var said = 0;
            while (room.room().members().contains("reader")) {
                say(ann, line);
                assertThat(next(ann)).isEqualTo(said(++said, "ann", line));
            }
            var event = slow.event();
            while (!event.endsWith("END")) { // what was on its way arrives, and then the end
                event = slow.event();
            }
        }
        awaitMembers();
    }

    @Promise("76.3")
    @Test
    void aListenerThatIsKeptLearnsHowManyMessagesItHasMissed() throws Exception {
        serve(WebRoomOptions.standard().presence(false)
                .chat(chat -> chat.withHistory(0).withOutbox(10).withKeepingSlow(true)));
        var line = "x".repeat(100_000);
        try (var slow = new EventClient(server.port(), "/events"); var ann = join("ann")) {
            next(ann);
            var reader = room.room();
            assertThat(slow.event()).contains("joined");
            say(ann, "first");
            assertThat(next(ann)).isEqualTo(said(1, "ann", "first"));
            assertThat(slow.event()).contains("first");
            for (var i = 2; i <= 200; i++) {
                say(ann, line);
                assertThat(next(ann)).isEqualTo(said(i, "ann", line));
            }
            assertThat(reader.members()).contains("reader");
            var got = 1;
            var missed = 0;
            while (got + missed < 200) {
                var event = slow.event();
                if (event.contains("\"missed\"")) {
                    missed += Integer.parseInt(event.replaceAll("\\D", ""));
                } else {
                    got++;
                    assertThat(event).contains("-" + (got + missed) + "\"");
                }
            }
            assertThat(missed).isPositive();
        }
    }

    @Promise("76.4")
    @Test
    void aListenerThatComesBackGetsWhatItHasNotSeen() throws Exception {
        serve(WebRoomOptions.standard().presence(false).chat(chat -> chat.withHistory(3)));
        try (var ann = join("ann")) {
            next(ann);
            for (var i = 1; i <= 6; i++) {
                say(ann, "m" + i);
                assertThat(next(ann)).isEqualTo(said(i, "ann", "m" + i));
            }
            assertThat(history("Last-Event-ID: " + epoch + "5")).containsExactly("6");
            assertThat(history("Last-Event-ID: " + epoch + "6")).isEmpty();
            assertThat(history("Last-Event-ID: " + epoch + "1")).containsExactly("missed 2", "4", "5", "6");
            for (var unknown : new String[]{"", "5", "other-5", epoch, epoch + "x", epoch + "-1",
                epoch + "99999999999999999999"}) {
                assertThat(history("Last-Event-ID: " + unknown)).as(unknown).containsExactly("4", "5", "6");
            }
            try (var again = RawSocket.open(server.port(), "/talk?name=bob&after=" + epoch + "4")) {
                assertThat(next(again)).isEqualTo(said(5, "ann", "m5"));
                assertThat(next(again)).isEqualTo(said(6, "ann", "m6"));
            }
        }
    }

    private java.util.List<String> history(String header) throws IOException {
        var ids = new ArrayList<String>();
        try (var client = new EventClient(server.port(), "/events", header)) {
            for (var event = client.event(); !event.contains("\"joined\""); event = client.event()) {
                ids.add(event.contains("missed") ? "missed " + event.replaceAll("\\D", "")
                        : event.replaceAll("id: [^-]*-(\\d+)\\|.*", "$1"));
            }
        }
        return ids;
    }

    @Promise("76.4")
    @Test
    void aSilentRoomSendsHeartbeatsAndNoticesWhoHasGone() throws Exception {
        scope.close();
        var time = new ManualTime(Instant.EPOCH, Duration.ZERO); // sockets are work that is not seen
        scope = ActorSystem.configure("silent").time(time).open();
        serve(WebRoomOptions.standard().presence(false));
        var others = time.pending();
        try (var listener = new EventClient(server.port(), "/events");
                var gone = new EventClient(server.port(), "/events")) {
            assertThat(listener.event()).contains("joined");
            assertThat(gone.event()).contains("joined");
            listener.endOutput(); // such a client still listens
            gone.reset();
            for (var beats = 0; room.room().members().size() > 1; beats++) {
                assertThat(beats).isLessThan(10);
                Waits.until("timers are set", () -> time.pending() >= others + room.room().members().size());
                time.advance(HEARTBEAT);
                assertThat(listener.event()).isEqualTo(":");
            }
            awaitMembers("reader");
        }
    }

    @Promise("76.4")
    @Test
    void theEndOfARoomEndsItsClients() throws Exception {
        serve(WebRoomOptions.standard().presence(false));
        try (var ann = join("ann"); var events = new EventClient(server.port(), "/events")) {
            next(ann);
            assertThat(events.event()).contains("joined");
            say(ann, "last");
            assertThat(next(ann)).isEqualTo(said(1, "ann", "last"));
            room.close();
            assertThat(ann.closeCode()).isEqualTo(WebSocketClose.GOING_AWAY);
            assertThat(events.event()).contains("last");
            assertThat(events.event()).isEqualTo("END");
            try (var late = join("late")) {
                assertThat(late.closeCode()).isEqualTo(WebSocketClose.TRY_LATER);
            }
        }
    }

    @Promise("76.4")
    @Test
    void aSocketThatVanishesLeaves() throws Exception {
        serve(WebRoomOptions.standard());
        var ann = join("ann");
        next(ann);
        ann.close();
        awaitMembers();
    }

    @Promise("76.1")
    @Test
    void listenersAreServedByTheOtherServerToo() throws Exception {
        serve(WebRoomOptions.standard().presence(false));
        var other = Stereotypes.with(scope.anonymous())
                .embeddedHttpServer(HttpOptions.localPort(0), routes(WebSocketOptions.standard()));
        try (var ann = join("ann"); var events = new EventClient(other.port(), "/events")) {
            next(ann);
            assertThat(events.event()).contains("joined");
            say(ann, "hello");
            next(ann);
            assertThat(events.event()).contains(epoch + "1").contains("hello");
        }
    }

    @Test
    void typedSocketsReadRecords() throws Exception {
        WebSocketJsonHandler<Json.Line> echo = (socket, line) -> socket
                .send(WebMessage.json(Json.TEST, new Json.Line(line.text() + "!")));
        server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                HttpRoutes.none().get("/", WebSocketRoute.of(echo.reading(Json.TEST, Json.Line.class))));
        try (var client = RawSocket.open(server.port(), "/")) {
            say(client, "tea");
            assertThat(client.read().text()).isEqualTo("{\"text\":\"tea!\"}");
            client.text("tea");
            assertThat(client.closeCode()).isEqualTo(WebSocketClose.INVALID_TEXT);
        }
    }

    @Test
    void reasonsAreShortenedBetweenCharacters() {
        assertThat(WebSocketClose.shortened("short")).isEqualTo("short");
        assertThat(WebSocketClose.shortened("x".repeat(200))).hasSize(123);
        assertThat(WebSocketClose.shortened("\u20ac".repeat(60))).hasSize(41);
        assertThat(WebSocketClose.shortened("a" + "\ud83d\ude00".repeat(60)))
                .isEqualTo("a" + "\ud83d\ude00".repeat(30));
        assertThat(WebSocketClose.shortened("\ud83d\ude00".repeat(60))).isEqualTo("\ud83d\ude00".repeat(30));
    }

    @Test
    void wrongUseIsRefused() {
        serve(WebRoomOptions.standard());
        assertThatThrownBy(() -> WebRoomOptions.standard().heartbeat(Duration.ZERO))
                .hasMessage("heartbeat must be more than zero: PT0S");
        assertThatThrownBy(
                () -> WebRoom.open(scope, " ", Json.Line.class, Json.TEST, WebRoomOptions.standard()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> room.sockets(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> room.events(null)).isInstanceOf(NullPointerException.class);
        room.close();
        room.close();
        assertThat(room.room().onStopped()).succeedsWithin(Duration.ofMillis(Patience.MILLIS));
    }
}
