package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRoutesTest {
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    private static ReplyHandler<HttpCall, HttpAnswer> says(String text, String... names) {
        return call -> {
            var said = new StringBuilder(text);
            for (var name : names) {
                said.append(' ').append(call.parameter(name));
            }
            return HttpAnswer.text(said.toString());
        };
    }

    private RawHttp client(HttpRoutes routes) throws IOException {
        return new RawHttp(in(scope).embeddedHttpServer(local(), routes));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', nullValues = "-", value = {
        "GET;    /;                       200; root",
        "GET;    /users;                  200; all",
        "GET;    /users/me;               200; me",
        "GET;    /users/7;                200; user 7",
        "GET;    /users/J%C3%B8rg%2Fn+x;  200; user Jørg/n+x",
        "POST;   /users/me;               200; changed me",
        "GET;    /users/7/pets/3;         200; pet 7 3",
        "GET;    /files/a/b%20c;          200; file a/b c",
        "GET;    /files/;                 200; file",
        "PURGE;  /cache;                  200; purged",
        "GET;    /users/;                 404; -",
        "GET;    /nothing;                404; -",
        "GET;    /users/7/pets;           404; -",
        "GET;    //users;                 400; -",
        "DELETE; /users;                  405; -",
        "GET;    /files/../etc/passwd;    400; -",
        "GET;    /files/%2e%2e/passwd;    400; -",
        "GET;    /files/..%2Fpasswd;      400; -",
        "GET;    /files/a%5C..%5Cpasswd;  400; -",
        "GET;    /files/%00;              400; -",
        "GET;    /users/%FF;              400; -",
    })
    @Promise("14.3")
    void theRouteThatFitsBestAnswers(String method, String path, int status, String text) throws Exception {
        var routes = HttpRoutes.none().get("/", says("root")).get("/users/{id}", says("user", "id"))
                .get("/users", says("all")).get("/users/me", says("me"))
                .post("/users/{id}", says("changed", "id")).get("/users/{id}/pets/{pet}", says("pet", "id",
                        "pet"))
                .get("/files/{path*}", says("file", "path"))
                .route("PURGE", "/cache", says("purged"));
        try (var client = client(routes)) {
            var answer = client.ask(method, path);
            assertThat(answer.status()).isEqualTo(status);
            if (text != null) {
                assertThat(answer.body().strip()).isEqualTo(text);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"/cart; 200 cart", "/cart/; 404", "/cart/items; 200 items",
        "/cart/items/; 404",
        "/list/; 200 list", "/list; 404", "/a; 200 inner", "/a/; 404", "/both; 200 one", "/both/; 200 other",
        "/rest/; 200 rest",
        "/rest; 404", "/shop/7; 200 shop 7", "/shop/7/; 404", "/shop/; 404"})
    @Promise("14.3")
    void aSlashAtTheEndMakesAnotherPath(String path, String expected) throws Exception {
        var cart = HttpRoutes.none().get("/", says("cart")).get("/items", says("items"));
        var routes = HttpRoutes.none().under("/cart", cart).get("/list/", says("list"))
                .under("/a", HttpRoutes.none().and(HttpRoutes.none().get("/", says("inner"))))
                .get("/both", says("one")).get("/both/", says("other")).get("/rest/{path*}", says("rest"))
                .under("/shop/{id}", HttpRoutes.none().get("/", says("shop", "id")));
        try (var client = client(routes)) {
            var answer = client.ask("GET", path);
            assertThat((answer.status() + " " + (answer.status() == 200 ? answer.body() : "")).strip())
                    .isEqualTo(expected);
        }
    }

    @Test
    @Promise("14.3")
    void otherMethodsAreToldWhichThereAre() throws Exception {
        var routes =
                HttpRoutes.none().get("/a", says("a")).put("/a", says("a")).delete("/{any}", says("any"));
        try (var client = client(routes)) {
            var refused = client.ask("POST", "/a");
            assertThat(refused.status()).isEqualTo(405);
            assertThat(refused.header("Allow")).isEqualTo("DELETE, GET, HEAD, OPTIONS, PUT");
            var asked = client.ask("OPTIONS", "/a");
            assertThat(asked.status()).isEqualTo(204);
            assertThat(asked.header("Allow")).isEqualTo("DELETE, GET, HEAD, OPTIONS, PUT");
            assertThat(client.ask("DELETE", "/a").status()).isEqualTo(200);
        }
    }

    @Test
    @Promise("14.3")
    void headIsGetWithoutContent() throws Exception {
        var routes = HttpRoutes.none().get("/a", says("text")).get("/s", call -> HttpAnswer
                .stream("text/csv", out -> out.write(1)));
        try (var client = client(routes)) {
            var head = client.ask("HEAD", "/a");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo("4");
            assertThat(client.ask("HEAD", "/s").header("Content-Type")).isEqualTo("text/csv");
            assertThat(client.ask("HEAD", "/none").status()).isEqualTo(404);
            assertThat(client.get("/a").body()).isEqualTo("text");
        }
    }

    @Test
    void anAnswerHasStatusHeadersAndAnyKindOfContent() throws Exception {
        var routes = HttpRoutes.none()
                .post("/json", call -> HttpAnswer.json("{\"got\":" + call.text().length() + "}").status(201)
                        .header("Location", "/json/1"))
                .get("/bytes", call -> HttpAnswer.bytes("image/png", new byte[]{1, 2, 3}))
                .get("/stream", call -> HttpAnswer.stream("text/csv", HttpRoutesTest::manyLines))
                .get("/html", call -> HttpAnswer.html("<p>"))
                .get("/none", call -> HttpAnswer.empty(204))
                .get("/query", call -> HttpAnswer.text(
                        call.query("a").orElse("-") + call.query("b c").orElse("-")
                                + call.query("d").orElse("-")
                                + call.header("host").orElse("-")));
        try (var client = client(routes)) {
            var json =
                    client.send("POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello").receive();
            assertThat(json.status()).isEqualTo(201);
            assertThat(json.body()).isEqualTo("{\"got\":5}");
            assertThat(json.header("Location")).isEqualTo("/json/1");
            assertThat(json.header("Content-Type")).isEqualTo("application/json");
            assertThat(client.get("/bytes").body()).isEqualTo("\1\2\3");
            var stream = client.get("/stream");
            assertThat(stream.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(stream.body()).hasSize(60_000).endsWith("9999\n");
            assertThat(client.get("/html").header("Content-Type")).isEqualTo("text/html; charset=utf-8");
            var none = client.get("/none");
            assertThat(none.status()).isEqualTo(204);
            assertThat(none.header("Content-Length")).isNull();
            assertThat(client.get("/query?a=1%2B+1&b%20c&a=2").body()).isEqualTo("1+ 1-x");
            assertThat(client.get("/query?b+c=x").body()).isEqualTo("-x-x");
        }
    }

    private static void manyLines(OutputStream out) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            out.write("%05d\n".formatted(i).getBytes());
        }
    }

    @Test
    @LogsErrors
    @Promise("14.2")
    void anAnswerThatFailsInTheMiddleIsSeenToBeBroken() throws Exception {
        var routes = HttpRoutes.none().get("/", call -> HttpAnswer.stream("text/plain", out -> {
            out.write("the beginning".getBytes());
            out.flush();
            throw new IllegalStateException("no end");
        }));
        try (var client = client(routes)) {
            assertThatThrownBy(() -> client.get("/")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aUriThatIsNotWellEncodedIsTheClientsFault() throws Exception {
        for (var uri : new String[]{"/?a=%4", "/?a=%zz", "/%", "*", "x"}) {
            try (var client = client(HttpRoutes.none().get("/", says("never")))) {
                assertThat(client.get(uri).status()).as(uri).isBetween(400, 404);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "get;  /a;        no method of HTTP",
        "GET;  a;         starts with a slash",
        "GET;  /{a*}/b;   only the last part",
        "GET;  /x{a};     x{a}' in path",
        "GET;  /{a b};    {a b}",
        "GET;  /a?b=c;    a?b=c",
        "GET;  /users/{n}; there is a route GET /users/{id} already"})
    void aBadRouteIsNamed(String method, String path, String message) {
        var routes = HttpRoutes.none().get("/users/{id}", says("user", "id"));
        assertThatThrownBy(() -> routes.route(method, path, says("bad")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void manyRoutesAreAddedOneByOne() throws Exception {
        var all = CompletableFuture.supplyAsync(() -> {
            var routes = HttpRoutes.none();
            for (var i = 0; i < 1_000; i++) {
                routes = routes.get("/a" + i + "/{id}/b/{rest*}", says("found"));
            }
            return routes;
        });
        assertThatThrownBy(() -> Waits.on(all).get("/a7/{x}/b/{y*}", says("bad")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/a7/{id}/b/{rest*} already");
        assertThat(Waits.on(all).get("/a7/{x}/b/{y}", says("good")).routes()).hasSize(1_001);
    }

    @Test
    @LogsErrors
    void aParameterThatTheRouteHasNotIsTheHandlersFault() throws Exception {
        try (var client = client(HttpRoutes.none().get("/{a}", says("b", "b")))) {
            assertThat(client.get("/1").status()).isEqualTo(500);
        }
    }

    @Test
    void headersAreOneLine() {
        assertThatThrownBy(() -> HttpAnswer.text("x").header("A", "b\r\nC: d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header A must be one line");
        assertThatThrownBy(() -> HttpAnswer.text("x").header("A b", "c")).hasMessageContaining("'A b'");
        assertThatThrownBy(() -> HttpAnswer.empty(99)).hasMessageContaining("99");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u2192b", "a\u0001b", "a\u007fb", "a\u0000b", "a\rb", "a\u0085b"})
    @Promise("14.2")
    void whatCannotBeSentIsRefusedWhereItIsSaid(String value) {
        assertThatThrownBy(() -> HttpAnswer.text("x").header("A", value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header A")
                .hasMessageContaining("U+%04X at 1".formatted((int) value.charAt(1)));
    }

    @Test
    @Promise("14.2")
    void whatCanBeSentArrives() throws Exception {
        assertThat(HttpAnswer.text("x").header("A", " b\t").headers().getLast().value()).isEqualTo("b");
        for (var name : List.of("", "a/b", "a b", "a:", "\u00e4", "a\n")) {
            assertThatThrownBy(() -> HttpAnswer.text("x").header(name, "b")).hasMessageContaining("no name");
        }
        try (var client = client(HttpRoutes.none().get("/", call -> HttpAnswer.text("x").header("A", "b\tc~")
                .header("X-!#$%&'*+-.^_`|~", "")))) {
            assertThat(client.get("/").header("A")).isEqualTo("b\tc~");
        }
    }
}
