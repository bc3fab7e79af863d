package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions that are actors. */
class WebSessionsTest {
    private final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.configure("sessions").time(time).open();
    private final AtomicInteger closed = new AtomicInteger();
    private final WebSessions<Cart> carts = WebSessions.open(scope, Cart::new,
            WebSessionOptions.standard().idle(Duration.ofMinutes(30)).lifetime(Duration.ofHours(1)).most(3));
    private final HttpRoutes routes = HttpRoutes.none()
            .post("/add", call -> HttpAnswer.text("" + carts.begin(call).ask(Cart::add)))
            .get("/count", call -> HttpAnswer.text("" + mine(call).ask(cart -> cart.items)))
            .post("/login", call -> {
                mine(call).renew();
                return HttpAnswer.empty(204).header("Cache-Control", "private");
            })
            .post("/logout", call -> {
                mine(call).end();
                return HttpAnswer.text(carts.find(call).isPresent() ? "still there" : "bye");
            })
            .post("/login/fail", call -> {
                mine(call).renew();
                throw new IllegalStateException("as asked");
            })
            .post("/fail", call -> {
                carts.begin(call);
                throw new IllegalStateException("as asked");
            })
            .get("/problem", call -> mine(call).ask(cart -> {
                throw new HttpProblem(409, "sold");
            }))
            .around(carts);

    /** Not thread-safe, and it need not be. */
    private final class Cart implements AutoCloseable {
        private int items;

        int add() {
            var before = items;
            Thread.yield();
            items = before + 1;
            return items;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    private WebSession<Cart> mine(HttpCall call) {
        return carts.find(call).orElseThrow(() -> new HttpProblem(401, "no session"));
    }

    @AfterEach
    void close() {
        scope.close();
    }

    private static String cookie(HttpResponse<?> answer) {
        var set = answer.headers().firstValue("Set-Cookie").orElse("none");
        return set.contains(";") ? set.substring(0, set.indexOf(';')) : set;
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.16")
    void aSessionHasAKeyThatNobodyGuesses(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes)) {
            assertThat(site.get("/count").statusCode()).isEqualTo(401);
            var first = site.ask("POST", "/add", "");
            assertThat(first.headers().firstValue("Set-Cookie").orElseThrow()).matches(
                    "__Host-session=[A-Za-z0-9_-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax");
            assertThat(first.headers().firstValue("Cache-Control")).hasValue("no-store");
            var key = cookie(first);
            var second = site.ask("POST", "/add", "", "Cookie", key);
            assertThat(second.body()).isEqualTo("2");
            assertThat(second.headers().firstValue("Set-Cookie")).isEmpty();
            assertThat(site.get("/count", "Cookie", "a=b; " + key).body()).isEqualTo("2");
            assertThat(cookie(site.ask("POST", "/add", ""))).isNotEqualTo(key);
            assertThat(carts.size()).isEqualTo(2);
        }
    }

    @Test
    @Promise("60.16")
    void aKeyThatTheServerHasNotMadeStandsForNothing() throws Exception {
        try (var site = new Site(Site.On.WEB, routes)) {
            var planted = "__Host-session=" + "A".repeat(43);
            assertThat(site.get("/count", "Cookie", planted).statusCode()).isEqualTo(401);
            var begun = site.ask("POST", "/add", "", "Cookie", planted);
            assertThat(cookie(begun)).isNotEqualTo("none").isNotEqualTo(planted);
            assertThat(site.get("/count", "Cookie", "session=" + cookie(begun).substring(15)).statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    @Promise("60.16")
    void aLoginChangesTheKeyAndALogoutEndsTheSession() throws Exception {
        try (var site = new Site(Site.On.WEB, routes)) {
            var before = cookie(site.ask("POST", "/add", ""));
            var login = site.ask("POST", "/login", "", "Cookie", before);
            var after = cookie(login);
            assertThat(login.headers().allValues("Cache-Control")).containsExactly("private");
            assertThat(after).isNotEqualTo(before).isNotEqualTo("none");
            assertThat(site.get("/count", "Cookie", before).statusCode()).isEqualTo(401);
            assertThat(site.get("/count", "Cookie", after).body()).isEqualTo("1");
            var logout = site.ask("POST", "/logout", "", "Cookie", after);
            assertThat(logout.body()).isEqualTo("bye");
            assertThat(logout.headers().firstValue("Set-Cookie")).hasValue(
                    "__Host-session=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax");
            assertThat(site.get("/count", "Cookie", after).statusCode()).isEqualTo(401);
            Waits.until("it has ended", () -> carts.size() == 0 && closed.get() == 1);
        }
    }

    @Test
    @Promise("60.16")
    void aSessionEndsWhenItIsNotUsedOrTooOld() throws Exception {
        try (var site = new Site(Site.On.WEB, routes)) {
            var used = cookie(site.ask("POST", "/add", ""));
            var unused = cookie(site.ask("POST", "/add", ""));
            for (var i = 0; i < 2; i++) {
                time.advance(Duration.ofMinutes(20));
                assertThat(site.get("/count", "Cookie", used).body()).isEqualTo("1");
            }
            Waits.until("the unused one has ended", () -> closed.get() == 1);
            assertThat(site.get("/count", "Cookie", unused).statusCode()).isEqualTo(401);
            assertThat(carts.size()).isEqualTo(1);
            time.advance(Duration.ofMinutes(20));
            assertThat(site.get("/count", "Cookie", used).body()).isEqualTo("1"); // an hour to the nanosecond
            time.advance(Duration.ofMinutes(1));
            assertThat(site.get("/count", "Cookie", used).statusCode()).isEqualTo(401);
            Waits.until("the old one has ended", () -> closed.get() == 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.16")
    void theClientLearnsTheNewKeyThoughItsRequestFails(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes)) {
            var key = cookie(site.ask("POST", "/add", ""));
            var failed = site.ask("POST", "/login/fail", "", "Cookie", key);
            assertThat(failed.statusCode()).isEqualTo(500);
            assertThat(failed.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(site.get("/count", "Cookie", key).statusCode()).isEqualTo(401);
            assertThat(site.get("/count", "Cookie", cookie(failed)).body()).isEqualTo("1");
            assertThat(cookie(site.ask("POST", "/fail", ""))).isEqualTo("none"); // its session has ended
        }
    }

    @Test
    @LogsErrors
    @Promise("60.16")
    void thereAreNoMoreSessionsThanWasChosen() throws Exception {
        try (var site = new Site(Site.On.WEB, routes)) {
            assertThat(site.ask("POST", "/fail", "").statusCode()).isEqualTo(500); // its session is not kept
            Waits.until("it has ended", () -> closed.get() == 1);
            var keys = new ArrayList<String>();
            for (var i = 0; i < 3; i++) {
                keys.add(cookie(site.ask("POST", "/add", "")));
            }
            assertThat(site.ask("POST", "/add", "").statusCode()).isEqualTo(503);
            assertThat(site.ask("POST", "/add", "", "Cookie", keys.getFirst()).body()).isEqualTo("2");
            site.ask("POST", "/logout", "", "Cookie", keys.getLast());
            Waits.until("there is a place", () -> closed.get() == 2);
            assertThat(site.ask("POST", "/add", "").body()).isEqualTo("1");
        }
    }

    @Test
    @Promise("60.16")
    void requestsOfASessionRunOneAfterAnother() throws Exception {
        try (var site = new Site(Site.On.WEB, routes);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var key = cookie(site.ask("POST", "/add", ""));
            var asked = new ArrayList<Future<?>>();
            for (var i = 0; i < 50; i++) {
                asked.add(threads.submit(() -> site.ask("POST", "/add", "", "Cookie", key)));
            }
            for (var each : asked) {
                each.get();
            }
            assertThat(site.get("/count", "Cookie", key).body()).isEqualTo("51");
            assertThat(site.get("/problem", "Cookie", key).statusCode()).isEqualTo(409);
            assertThat(site.get("/count", "Cookie", key).body()).isEqualTo("51");
        }
        scope.close();
        assertThat(closed).hasValue(1);
        assertThat(carts.size()).isZero();
    }

    @Test
    @Promise("60.16")
    void aSessionThatEndsMeanwhileIsNoneAndAClosedScopeBeginsNone() throws Exception {
        var seen = new CompletableFuture<String>();
        var two = routes.get("/ends", call -> {
            var session = mine(call);
            session.end();
            try {
                session.ask(cart -> cart.items);
            } catch (HttpProblem problem) {
                seen.complete(problem.status() + " " + problem.text());
            }
            return HttpAnswer.text("" + carts.begin(call).ask(cart -> cart.items));
        });
        try (var site = new Site(Site.On.WEB, two)) {
            var key = cookie(site.ask("POST", "/add", ""));
            var again = site.get("/ends", "Cookie", key);
            assertThat(again.body()).isEqualTo("0");
            assertThat(cookie(again)).isNotEqualTo(key).isNotEqualTo("__Host-session=");
            assertThat(Waits.on(seen)).isEqualTo("401 the session has ended");
            scope.close();
            assertThat(site.ask("POST", "/add", "").statusCode()).isEqualTo(503);
            assertThat(site.get("/count", "Cookie", cookie(again)).statusCode()).isEqualTo(401);
        }
    }

    @Test
    @Promise("60.16")
    void aStateIsClosedIfItsScopeIsClosedWhileItIsMade() throws Exception {
        var late = WebSessions.open(scope, () -> {
            scope.close();
            return new Cart();
        }, WebSessionOptions.standard());
        try (var site = new Site(Site.On.WEB, HttpRoutes.none().get("/", call -> {
            late.begin(call);
            return HttpAnswer.empty(204);
        }).around(late))) {
            assertThat(site.get("/").statusCode()).isEqualTo(503);
            assertThat(closed).hasValue(1);
        }
    }

    /** It would otherwise be answered with 503, and nobody would learn of it. */
    @Test
    @LogsErrors
    @Promise("60.1")
    void aStateThatCannotBeMadeIsAFailure() throws Exception {
        WebSessions<Cart> broken = WebSessions.open(scope, () -> {
            throw new IllegalStateException("as it must");
        }, WebSessionOptions.standard().most(1));
        try (var site = new Site(Site.On.WEB, HttpRoutes.none().get("/", call -> {
            broken.begin(call);
            return HttpAnswer.empty(204);
        }).around(broken))) {
            assertThat(site.get("/").statusCode()).isEqualTo(500);
            assertThat(site.get("/").statusCode()).as("the place is free").isEqualTo(500);
        }
    }

    @Test
    @LogsErrors
    void wrongUseIsNamed() throws Exception {
        var without = HttpRoutes.none().get("/", call -> HttpAnswer.text(carts.begin(call).toString()));
        try (var site = new Site(Site.On.WEB, without)) {
            assertThat(site.get("/").statusCode()).isEqualTo(500);
        }
        var options = WebSessionOptions.standard();
        assertThat(List.of(options.askLimit(Duration.ofSeconds(1)).askLimit(), options.cookie("x").cookie(),
                options.secure(false).secure())).containsExactly(Duration.ofSeconds(1), "x", false);
        assertThatThrownBy(() -> options.cookie("a b")).hasMessageContaining("'a b'");
        assertThatThrownBy(() -> options.idle(Duration.ZERO)).hasMessageContaining("idle");
        assertThatThrownBy(() -> options.lifetime(Duration.ZERO)).hasMessageContaining("lifetime");
        assertThatThrownBy(() -> options.most(0)).hasMessageContaining("most");
        assertThatThrownBy(() -> WebSessions.open(null, Cart::new, options))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> WebSessions.open(scope, null, options))
                .isInstanceOf(NullPointerException.class);
    }
}
