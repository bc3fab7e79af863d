package io.fibry.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpJson;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A service that speaks JSON. */
class HttpJsonTest {
    private static final String JSON = "application/json";

    private final ActorScope scope = ActorSystem.open("json");
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpJson json = HttpJson.found();
    private final ConcurrentHashMap<Integer, Item> items = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private Server server;

    record Item(String name, int price, LocalDate since, List<String> tags) {
        Item {
            if (price < 0) {
                throw new IllegalArgumentException("secret rule");
            }
        }
    }

    record Numbered(int id, Item item) {
    }

    /** No JSON is one. */
    interface Strange {
        void strange();
    }

    record Unwritable(int value) {
        @Override
        public int value() {
            throw new IllegalStateException("as asked");
        }
    }

    private Numbered find(String id) {
        var number = Integer.parseInt(id);
        var item = items.get(number);
        if (item == null) {
            throw new NoSuchElementException("no item " + id);
        }
        return new Numbered(number, item);
    }

    @BeforeEach
    void start() {
        var routes = HttpRoutes.none()
                .get("/items/{id}", call -> json.answer(find(call.parameter("id"))))
                .post("/items", call -> {
                    var number = numbers.incrementAndGet();
                    items.put(number, json.read(call, Item.class));
                    return json.answer(find(Integer.toString(number))).status(201);
                })
                .put("/items", call -> json.answer(json.readList(call, Item.class).size()))
                .post("/strange", call -> json.answer(json.read(call, Strange.class)))
                .get("/unwritable", call -> json.answer(new Unwritable(1)))
                .get("/events", call -> HttpAnswer.events(
                        events -> events.send("pair", "", json.text(List.of("a\nb", 1)))))
                .failing(HttpProblem.class, json::problem)
                .failing(NoSuchElementException.class,
                        (call, e) -> json.problem(call, new HttpProblem(404, e.getMessage())));
        server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(
                HttpOptions.localPort(0).bodyBytes(100_000), routes);
    }

    @AfterEach
    void stop() {
        client.close();
        scope.close();
    }

    private HttpResponse<String> ask(String method, String path, String type, String content)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .method(method, BodyPublishers.ofString(content));
        return client.send((type.isEmpty() ? request : request.header("Content-Type", type)).build(),
                BodyHandlers.ofString());
    }

    @Test
    @Promise("62.1")
    void valuesComeAndGo() throws Exception {
        var made = ask("POST", "/items", JSON + "; charset=utf-8", """
                {"name": "J\u00f8rgen", "price": 3, "since": "2026-11-23", "tags": ["a", "b"]}""");
        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(made.headers().firstValue("Content-Type")).hasValue(JSON);
        assertThat(made.body()).isEqualTo("{\"id\":1,\"item\":{\"name\":\"J\u00f8rgen\",\"price\":3,"
                + "\"since\":\"2026-11-23\",\"tags\":[\"a\",\"b\"]}}");
        assertThat(ask("GET", "/items/1", "", "").body()).isEqualTo(made.body());
        assertThat(ask("PUT", "/items", "application/merge-patch+json", "[{\"price\": 1}, {\"price\": 2}]")
                .body())
                .isEqualTo("2");
        assertThat(ask("GET", "/events", "", "").body())
                .isEqualTo("event: pair\ndata: [\"a\\nb\",1]\n\n");
        var absent = ask("GET", "/items/7", "", "");
        assertThat(absent.statusCode()).isEqualTo(404);
        assertThat(absent.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(absent.body()).isEqualTo("{\"title\":\"no item 7\",\"status\":404}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"price\": \"x\"}            | price, line 1, column",
        "{\"price\": null}             | price, line 1, column",
        "{\"price\": 1.9}              | price, line 1, column",
        "{\"price\": -1}               | line 1, column",
        "{\"tags\": [1, {}], \"price\": 1} | tags[1], line 1, column",
        "{\"price\": 1, \"price\": 2}  | line 1, column",
        "{\"price\": 1} x              | line 1, column",
        "{\"price\": 1                 | line 1, column",
        "null                          | it is null",
        "[]                            | line 1, column",
        "~                             | ",
        "{\"since\": \"yesterday\"}    | since, line 1, column"})
    @Promise("62.1")
    void whatDoesNotFitIsTheClientsFault(String content, String place) throws Exception {
        var answer = ask("POST", "/items", JSON, content.replace("~", ""));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
                .startsWith("{\"title\":\"the JSON does not fit: " + (place == null ? "" : place))
                .doesNotContain("io.fibry", "Item", "secret", "jackson", "java");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text/plain", "application/jsonx", "application/x-www-form-urlencoded",
        "text/json"})
    @Promise("62.1")
    void contentOfAnotherTypeIsRefused(String type) throws Exception {
        assertThat(ask("POST", "/items", type, "{\"price\": 1}").statusCode()).isEqualTo(415);
    }

    @Test
    @Promise("62.1")
    void deepAndLongContentIsRefused() throws Exception {
        assertThat(ask("POST", "/items", JSON, "[".repeat(90_000)).statusCode()).isEqualTo(400);
        assertThat(ask("POST", "/items", JSON, "{\"price\":" + "1".repeat(90_000) + "}").statusCode())
                .isEqualTo(400);
        assertThat(ask("POST", "/items", JSON, " ".repeat(100_001)).statusCode()).isEqualTo(413);
        assertThat(ask("PUT", "/items", JSON, "[null]").body()).contains("[0] is null");
        assertThat(ask("PUT", "/items", JSON, "{}").statusCode()).isEqualTo(400);
    }

    @Test
    @Promise("62.1")
    void whatIsNoUtf8IsRefused() {
        for (var broken : List.of("\u00ff", "\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00c3")) {
            for (var text : List.of("{\"a\":\"" + broken + "\"}", "{\"" + broken + "\":1}", "{}" + broken)) {
                var content = text.getBytes(StandardCharsets.ISO_8859_1);
                assertThatThrownBy(() -> json.read(content, Map.class)).isInstanceOf(HttpProblem.class)
                        .hasMessageContaining("it is not UTF-8");
                assertThatThrownBy(() -> json.readList(content, String.class))
                        .isInstanceOf(HttpProblem.class).hasMessageContaining("it is not UTF-8");
            }
        }
        var text = json.read("\uFEFF{\"ä\":\"\uD83D\uDE00\"}".getBytes(StandardCharsets.UTF_8), Map.class);
        assertThat((Object) text).isEqualTo(Map.of("ä", "\uD83D\uDE00"));
    }

    /** A name that was kept would be found again. */
    @Test
    @Promise("62.1")
    void namesAreNotKept() {
        var content = "{\"a name\":1}".getBytes(StandardCharsets.UTF_8);
        var name = json.read(content, Map.class).keySet().iterator().next();
        assertThat(name).isEqualTo("a name")
                .isNotSameAs(json.read(content, Map.class).keySet().iterator().next());
    }

    @Test
    @LogsErrors
    @Promise("62.1")
    void whatTheProgramDoesWrongIsNotTheClientsFault() throws Exception {
        assertThat(ask("POST", "/strange", JSON, "{}").statusCode()).isEqualTo(500);
        assertThat(ask("GET", "/unwritable", "", "").statusCode()).isEqualTo(500);
    }

    @Test
    @Promise("62.1")
    void aProgramGivesItsOwnMapper() {
        var lenient = JacksonFormat.of(JsonMapper.builder().build());
        assertThat(new String(lenient.write(new Numbered(1, new Item("a", 1, null, null))),
                StandardCharsets.UTF_8))
                .isEqualTo("{\"id\":1,\"item\":{\"name\":\"a\",\"price\":1,\"since\":null,"
                        + "\"tags\":null}}");
        assertThat(HttpJson.found()).isInstanceOf(JacksonFormat.class);
        assertThatThrownBy(() -> JacksonFormat.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> json.answer(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new JacksonFormat().read("x".getBytes(StandardCharsets.UTF_8), Item.class))
                .isInstanceOf(HttpProblem.class);
        assertThat(HttpAnswer.text("x").body(HttpAnswer.text("y").body()).headers()).hasSize(1);
    }
}
