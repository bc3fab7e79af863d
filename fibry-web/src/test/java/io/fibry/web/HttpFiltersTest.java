package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoute;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters of routes, and answers to failures by their classes. */
class HttpFiltersTest {
    private static final Class<String> USER = String.class;

    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());

    private ReplyHandler<HttpCall, HttpAnswer> says(String text) {
        return call -> {
            steps.add(text);
            return HttpAnswer.text(text);
        };
    }

    private static ReplyHandler<HttpCall, HttpAnswer> throwing(Exception failure) {
        return call -> {
            throw failure;
        };
    }

    /** A request without a route is a problem as any other one: its answer is that of the handler for problems. */
    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void whatHasNoRouteIsAProblem(Site.On engine) throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        var group = HttpRoutes.none().get("/a", call -> HttpAnswer.text("a"))
                .post("/a", call -> HttpAnswer.text("a"))
                .failing(HttpProblem.class, (call, problem) -> HttpAnswer.text("group " + problem.status())
                        .status(problem.status()));
        var routes = HttpRoutes.none().under("/group", group).delete("/other", call -> HttpAnswer.text("b"))
                .get("/hidden", call -> HttpAnswer.text("c"))
                .failing(HttpProblem.class, (call, problem) -> problem.text().contains("GET, HEAD, OPTIONS")
                        ? HttpAnswer.text("hidden").status(404)
                        : problem.answer().body(
                                HttpBody.of(("all " + problem.status()).getBytes(StandardCharsets.UTF_8))))
                .around((call, next) -> {
                    var answer = next.handle(call);
                    seen.add(call.path() + " " + answer.status());
                    return answer;
                });
        try (var site = new Site(engine, routes)) {
            var none = site.get("/none");
            assertThat(none.statusCode() + " " + none.body()).isEqualTo("404 all 404");
            var other = site.get("/other");
            assertThat(other.statusCode() + " " + other.body()).isEqualTo("405 all 405");
            assertThat(other.headers().firstValue("Allow")).hasValue("DELETE, OPTIONS");
            var inGroup = site.ask("DELETE", "/group/a", "");
            assertThat(inGroup.statusCode() + " " + inGroup.body()).isEqualTo("405 group 405");
            assertThat(inGroup.headers().firstValue("Allow")).hasValue("GET, HEAD, OPTIONS, POST");
            assertThat(site.get("/group/none").body()).isEqualTo("all 404");
            var hidden = site.ask("POST", "/hidden", "x");
            assertThat(hidden.statusCode() + " " + hidden.body()).isEqualTo("404 hidden");
            assertThat(hidden.headers().firstValue("Allow")).isEmpty();
            assertThat(site.ask("OPTIONS", "/other", "").statusCode()).isEqualTo(204);
            assertThat(seen).containsExactly("/none 404", "/other 405", "/group/a 405", "/group/none 404",
                    "/hidden 404",
                    "/other 204");
        }
        var plain = HttpRoutes.none().get("/a", call -> HttpAnswer.text("a"));
        try (var site = new Site(engine, plain)) {
            assertThat(site.get("/b").body()).isEqualTo("there is nothing here\n");
            var other = site.ask("DELETE", "/a", "");
            assertThat(other.statusCode() + " " + other.body())
                    .isEqualTo("405 this can be done here: GET, HEAD, OPTIONS\n");
            assertThat(other.headers().firstValue("Allow")).hasValue("GET, HEAD, OPTIONS");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void theFirstFilterIsTheOutermost(Site.On engine) throws Exception {
        var routes = HttpRoutes.none()
                .before(call -> steps.add("before"))
                .around((call, next) -> {
                    steps.add("in");
                    var answer = next.handle(call);
                    steps.add("out");
                    return answer.header("X-Around", "yes");
                })
                .get("/", says("handler"))
                .after(answer -> {
                    steps.add("after");
                    return answer.status(201);
                });
        try (var site = new Site(engine, routes)) {
            var answer = site.get("/");
            assertThat(answer.statusCode()).isEqualTo(201);
            assertThat(answer.body()).isEqualTo("handler");
            assertThat(answer.headers().firstValue("X-Around")).hasValue("yes");
            assertThat(steps).containsExactly("before", "in", "handler", "after", "out");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void filtersOfTheServerSeeAllRequestsAndThoseOfAGroupItsOwn(Site.On engine) throws Exception {
        var api = HttpRoutes.none().get("/", says("list")).get("/users/{id}", says("user"))
                .post("/users", says("new"))
                .around((call, next) -> next.handle(call).header("X-Api", "yes"));
        var routes = HttpRoutes.none().get("/", says("root")).under("/api", api)
                .and(HttpRoutes.none().get("/about", says("about"))
                        .after(answer -> answer.header("X-About", "yes")))
                .around((call, next) -> next.handle(call).header("X-All", "yes"));
        try (var site = new Site(engine, routes)) {
            for (var path : List.of("/", "/about", "/none", "/api", "/api/users/7", "/api/users",
                    "/api/none")) {
                var answer = site.get(path);
                var isOfApi = List.of("/api", "/api/users/7", "/api/users").contains(path); // the last one is a 405
                assertThat(answer.headers().allValues("X-All")).as(path).containsExactly("yes");
                assertThat(answer.headers().allValues("X-Api")).as(path).hasSize(isOfApi ? 1 : 0);
                assertThat(answer.headers().allValues("X-About")).as(path)
                        .hasSize(path.equals("/about") ? 1 : 0);
            }
            assertThat(site.get("/api/none").statusCode()).isEqualTo(404);
            assertThat(site.get("/api/users").statusCode()).isEqualTo(405);
            var options = site.ask("OPTIONS", "/api/users", "");
            assertThat(options.headers().firstValue("Allow")).hasValue("OPTIONS, POST");
            assertThat(options.headers().firstValue("X-Api")).hasValue("yes");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void aFilterRefusesOrLeavesAValue(Site.On engine) throws Exception {
        var routes = HttpRoutes.none().before(call -> call.put(USER, call.header("User")
                .orElseThrow(() -> new HttpProblem(401, "who are you?"))))
                .get("/", call -> HttpAnswer.text(call.attribute(USER).orElseThrow()))
                .around((call, next) -> next.handle(call).header("X-After",
                        call.attribute(USER).orElse("nobody")));
        try (var site = new Site(engine, routes)) {
            assertThat(site.get("/", "User", "Ann").body()).isEqualTo("Ann");
            assertThat(site.get("/", "User", "Bob").headers().firstValue("X-After")).hasValue("Bob");
            var refused = site.get("/");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.body()).isEqualTo("who are you?\n");
            assertThat(refused.headers().firstValue("X-After")).isEmpty(); // it is inside the filter that refused
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void theNearestClassAnswersAndFiltersSeeTheAnswer(Site.On engine) throws Exception {
        var routes = HttpRoutes.none()
                .after(answer -> answer.header("X-Status", Integer.toString(answer.status())))
                .failing(Exception.class, (call, failure) -> HttpAnswer.text("any").status(500))
                .failing(NoSuchElementException.class,
                        (call, failure) -> HttpAnswer.text("no " + failure.getMessage()).status(404))
                .failing(HttpProblem.class,
                        (call, problem) -> HttpAnswer.json("\"" + problem.text() + "\"")
                                .status(problem.status()))
                .get("/item", throwing(new NoSuchElementException("item")))
                .get("/other", throwing(new IllegalStateException("secret")))
                .get("/problem", throwing(new HttpProblem(409, "sold")))
                .before(call -> {
                    if (call.path().equals("/early")) {
                        throw new NoSuchElementException("early");
                    }
                });
        try (var site = new Site(engine, routes)) {
            for (var row : List.of("/item 404 no item", "/other 500 any", "/problem 409 \"sold\"",
                    "/early 404 no early")) {
                var parts = row.split(" ", 3);
                var answer = site.get(parts[0]);
                assertThat(answer.statusCode()).as(row).isEqualTo(Integer.parseInt(parts[1]));
                assertThat(answer.body()).as(row).isEqualTo(parts[2]);
                assertThat(answer.headers().firstValue("X-Status")).as(row).hasValue(parts[1]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.1")
    void aGroupAnswersItsFailuresFirst(Site.On engine) throws Exception {
        var group = HttpRoutes.none().get("/a", throwing(new IllegalStateException("a")))
                .get("/b", throwing(new IOException("b"))).get("/c", throwing(new Exception("c")))
                .failing(RuntimeException.class, (call, failure) -> HttpAnswer.text("group"));
        var routes = HttpRoutes.none().under("/in", group).get("/a", throwing(new IllegalStateException("a")))
                .failing(IllegalStateException.class, (call, failure) -> HttpAnswer.text("server"))
                .failing(IOException.class, (call, failure) -> {
                    throw new HttpProblem(502, "elsewhere");
                });
        try (var site = new Site(engine, routes)) {
            assertThat(site.get("/in/a").body()).isEqualTo("group");
            assertThat(site.get("/a").body()).isEqualTo("server");
            assertThat(site.get("/in/b").statusCode()).isEqualTo(502);
            var unknown = site.get("/in/c");
            assertThat(unknown.statusCode()).isEqualTo(500);
            assertThat(unknown.body()).startsWith("internal error ");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.1")
    void contentThatIsTooLongIsTheServersAnswer(Site.On engine) throws Exception {
        var routes = HttpRoutes.none().post("/", call -> HttpAnswer.text(call.text()))
                .failing(Throwable.class, (call, failure) -> HttpAnswer.text("mine"));
        try (var site = new Site(engine, routes)) {
            var chunks = "1000\r\n" + "x".repeat(0x1000) + "\r\n";
            if (engine != Site.On.HTTP2) {
                assertThat(site.raw("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + chunks.repeat(30) + "0\r\n\r\n")).startsWith("HTTP/1.1 413 ")
                        .doesNotContain("mine");
                assertThat(
                        site.raw("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"))
                        .doesNotContain("mine");
            }
            assertThat(site.ask("POST", "/", "x".repeat(100)).body()).hasSize(100);
        }
    }

    /** What the server itself does with a request does not depend on the object that filters pass on. */
    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.1")
    void aFilterMayPassAnotherCallOn(Site.On engine) throws Exception {
        var group = HttpRoutes.none().post("/", call -> HttpAnswer.text(call.text()))
                .get("/fails", throwing(new IllegalStateException("as wanted")))
                .get("/socket", WebSocketRoute.opening(call -> (socket, text) -> socket.send(text)))
                .around(Cors.of("https://other.example"))
                .failing(HttpProblem.class, (call, problem) -> HttpAnswer.text("mine"));
        var routes = HttpRoutes.none().and(group).around((call, next) -> next.handle(new PassedOn(call)));
        try (var site = new Site(engine, routes)) {
            if (engine != Site.On.HTTP2) {
                assertThat(site.raw("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + ("1000\r\n" + "x".repeat(0x1000) + "\r\n").repeat(30) + "0\r\n\r\n"))
                        .startsWith("HTTP/1.1 413 ").doesNotContain("mine");
                assertThat(
                        site.raw("GET /fails HTTP/1.1\r\nHost: x\r\nOrigin: https://other.example\r\n\r\n"))
                        .startsWith("HTTP/1.1 500 ")
                        .contains("Access-Control-Allow-Origin: https://other.example");
            }
            assertThat(site.get("/fails").statusCode()).isEqualTo(500);
            assertThat(site.ask("POST", "/", "x".repeat(100)).body()).hasSize(100);
            if (engine == Site.On.WEB) {
                try (var client = RawSocket.open(site.port(), "/socket")) {
                    client.text("hello");
                    assertThat(client.read().text()).isEqualTo("hello");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.1")
    void aFilterWithoutAnAnswerIsAFailure(Site.On engine) throws Exception {
        var routes = HttpRoutes.none().get("/", says("x")).after(answer -> null);
        try (var site = new Site(engine, routes)) {
            assertThat(site.get("/").statusCode()).isEqualTo(500);
        }
    }

    @Test
    @Promise("60.1")
    void aFilterMayPutAnotherAnswerInThePlaceOfAWebSocket() throws Exception {
        var opened = new CompletableFuture<String>();
        var routes = HttpRoutes.none().get("/{room}", WebSocketRoute.opening(call -> {
            opened.complete(call.attribute(USER).orElse("?"));
            return (socket, text) -> socket.send(text);
        })).before(call -> call.put(USER, "Ann"))
                .around((call, next) -> call.parameter("room").equals("full") ? HttpAnswer.text("full")
                        : next.handle(call));
        try (var site = new Site(Site.On.WEB, routes)) {
            try (var socket = RawSocket.open(site.port(), "/free")) {
                socket.text("hello");
                assertThat(socket.read().text()).isEqualTo("hello");
                assertThat(opened).isCompletedWithValue("Ann");
            }
            try (var raw = new RawSocket(site.port())) {
                assertThat(raw.ask("/full")).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    void aHandlerWithoutFiltersIsNotWrapped() {
        var handler = says("x");
        var routes = HttpRoutes.none().and(HttpRoutes.none().get("/", handler)).under("/a", HttpRoutes.none()
                .get("/b", handler));
        assertThat(routes.routes()).extracting(HttpRoute::path).containsExactly("/", "/a/b");
        assertThat(routes.routes()).allMatch(route -> route.handler() == handler);
    }

    @Test
    void wrongUseIsNamed() {
        var routes = HttpRoutes.none().get("/a/b", says("x"));
        assertThatThrownBy(() -> routes.under("a", routes)).hasMessageContaining("'a'");
        assertThatThrownBy(() -> routes.under("/a/", routes)).hasMessageContaining("'/a/'");
        assertThatThrownBy(() -> routes.under("/{x", routes)).hasMessageContaining("{x");
        assertThatThrownBy(() -> routes.and(routes))
                .hasMessageContaining("there is a route GET /a/b already");
        assertThatThrownBy(() -> routes.failing(IOException.class, (call, e) -> HttpAnswer.empty(200))
                .failing(IOException.class, (call, e) -> HttpAnswer.empty(200)))
                .hasMessageContaining("java.io.IOException");
        assertThatThrownBy(() -> routes.before(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> routes.after(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> routes.around(null)).isInstanceOf(NullPointerException.class);
    }
}
