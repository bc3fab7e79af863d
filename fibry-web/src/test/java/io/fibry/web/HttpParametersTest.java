package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpParameters;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.Promise;
import io.fibry.web.SetCookie.SameSite;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries, forms and cookies. */
class HttpParametersTest {
    private static final String FORM = "application/x-www-form-urlencoded";

    private static final HttpRoutes ROUTES = HttpRoutes.none()
            .get("/queries",
                    call -> HttpAnswer.text(call.queries().names() + " " + call.queries().all("a") + " "
                            + call.query("a").orElse("none")))
            .get("/query", call -> HttpAnswer.text(call.query("a").orElse("none")))
            .get("/required", call -> HttpAnswer.text(call.queries().required("a")))
            .post("/form", call -> {
                var form = call.form();
                return HttpAnswer.text(form.required("name") + " " + form.all("tag"));
            })
            .get("/cookie", call -> HttpAnswer.text(call.cookie("id").orElse("none")))
            .get("/many", call -> {
                var answer = HttpAnswer.text("many");
                for (var i = 0; i < 10; i++) {
                    answer = answer.header("Set-Cookie", SetCookie.of("c" + i, "x".repeat(4_000)).encoded());
                }
                return answer;
            })
            .get("/set", call -> HttpAnswer.empty(204).header("Set-Cookie", SetCookie.of("a", "1").encoded())
                    .header("Set-Cookie", SetCookie.forgetting("b").path("/x").encoded()));

    @ParameterizedTest
    @EnumSource
    @Promise("60.3")
    void aNameMayHaveSeveralValues(Site.On engine) throws Exception {
        try (var site = new Site(engine, ROUTES)) {
            assertThat(site.get("/queries").body()).isEqualTo("[] [] none");
            assertThat(site.get("/queries?a=1&b&a=J%C3%B8rgen+x&&%61=3").body())
                    .isEqualTo("[a, b] [1, J\u00f8rgen x, 3] 1");
            assertThat(site.get("/queries?b=2&a").body()).isEqualTo("[b, a] [] ");
            assertThat(site.get("/required?b=1").statusCode()).isEqualTo(400);
            assertThat(site.get("/required?b=1").body()).contains("'a' is missing");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.3")
    void aFormIsReadOnceAndRefusedIfItIsNone(Site.On engine) throws Exception {
        try (var site = new Site(engine, ROUTES)) {
            assertThat(site.ask("POST", "/form", "name=Ann+%26+Bob&tag=a&tag=b", "Content-Type",
                    FORM + "; charset=UTF-8").body()).isEqualTo("Ann & Bob [a, b]");
            assertThat(site.ask("POST", "/form", "name=x").statusCode()).isEqualTo(415);
            assertThat(site.ask("POST", "/form", "{}", "Content-Type", "application/json").statusCode())
                    .isEqualTo(415);
            assertThat(site.ask("POST", "/form", "tag=x", "Content-Type", FORM).statusCode()).isEqualTo(400);
            assertThat(site.ask("POST", "/form", "name=%ff", "Content-Type", FORM).statusCode())
                    .isEqualTo(400);
            assertThat(site.ask("POST", "/form", "x&".repeat(1_001), "Content-Type", FORM).statusCode())
                    .isEqualTo(400);
            assertThat(site.ask("POST", "/form", "name=" + "x".repeat(200_000), "Content-Type", FORM)
                    .statusCode())
                    .isEqualTo(413);
        }
    }

    /** Bytes that are no UTF-8 are refused whether the client encodes them or not. */
    @ParameterizedTest
    @EnumSource(names = {"CORE", "WEB"})
    @Promise("60.3")
    void textIsUtf8(Site.On engine) throws Exception {
        var routes = ROUTES.post("/text", call -> HttpAnswer.text(call.text()))
                .post("/bytes", call -> HttpAnswer.text("" + call.bytes().length))
                .post("/parts",
                        call -> HttpAnswer.text(Multipart.form(call, MultipartOptions.standard()).fields()
                                .required("name")));
        try (var site = new Site(engine, routes)) {
            for (var wrong : List.of("\u00ff", "J\u00f8rgen", "\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00c3",
                    "a\u0080")) {
                assertThat(post(site, "/form", FORM, "name=" + wrong)).startsWith("HTTP/1.1 400 ");
                assertThat(post(site, "/form", FORM, "name=a&" + wrong + "=b")).startsWith("HTTP/1.1 400 ");
                assertThat(post(site, "/parts", "multipart/form-data; boundary=b", part(wrong)))
                        .startsWith("HTTP/1.1 400 ").contains("name is not UTF-8");
                assertThat(post(site, "/text", "text/plain", wrong)).startsWith("HTTP/1.1 400 ");
                assertThat(post(site, "/bytes", "text/plain", wrong)).endsWith("\r\n\r\n" + wrong.length());
            }
            var right = "J\u00c3\u00b8rgen";
            assertThat(post(site, "/form", FORM, "name=" + right)).endsWith("\r\n\r\n" + right + " []");
            assertThat(post(site, "/parts", "multipart/form-data; boundary=b", part(right)))
                    .endsWith("\n" + right);
            assertThat(post(site, "/text", "text/plain", right)).endsWith("\n" + right);
        }
    }

    private static String part(String content) {
        return "--b\r\nContent-Disposition: form-data; name=name\r\n\r\n" + content + "\r\n--b--";
    }

    private static String post(Site site, String path, String type, String content) throws Exception {
        return site.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: " + type
                + "\r\nContent-Length: " + content.length() + "\r\n\r\n" + content);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%", "a=%4", "a=%zz", "%ff=1", "a=%c0%af", "a=%ed%a0%80", "a=%-1", "a=%+1"})
    @Promise("60.3")
    void whatIsNotWellEncodedIsRefused(String encoded) {
        assertThatThrownBy(() -> HttpParameters.decode(encoded)).isInstanceOf(HttpProblem.class)
                .hasMessageContaining("not well encoded");
    }

    @Test
    @Promise("60.3")
    void whatIsStrangeIsRead() {
        assertThat(HttpParameters.decode("=1&a==2&a=&\u00e4=\ud83d\ude00+%20").names()).containsExactly("",
                "a",
                "\u00e4");
        assertThat(HttpParameters.decode("a==2&a=").all("a")).containsExactly("=2", "");
        assertThat(HttpParameters.decode("a=\ud83d\ude00+%20").first("a")).hasValue("\ud83d\ude00  ");
        assertThat(HttpParameters.decode("pin=1234").toString()).doesNotContain("1234");
        assertThatThrownBy(() -> HttpParameters.decode("a&".repeat(1_001))).isInstanceOf(HttpProblem.class);
        assertThat(HttpParameters.decode("a&".repeat(1_000)).all("a")).hasSize(1_000);
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.3")
    void cookiesComeAndGo(Site.On engine) throws Exception {
        try (var site = new Site(engine, ROUTES)) {
            assertThat(site.get("/cookie").body()).isEqualTo("none");
            assertThat(site.get("/cookie", "Cookie", "xid=1; id=2=3; id=4").body()).isEqualTo("2=3");
            assertThat(site.get("/cookie", "Cookie", "a=b;id=\"5\"").body()).isEqualTo("5");
            assertThat(site.get("/cookie", "Cookie", "a=b", "Cookie", "id=6").body()).isEqualTo("6");
            assertThat(site.get("/cookie", "Cookie", ";;id;=; id").body()).isEqualTo("none");
            assertThat(site.get("/set").headers().allValues("Set-Cookie")).containsExactly(
                    "a=1; Path=/; Secure; HttpOnly; SameSite=Lax",
                    "b=; Path=/x; Max-Age=0; Secure; HttpOnly; SameSite=Lax");
            for (var i = 0; i < 2; i++) { // the second time the connection is still in order
                var many = site.get("/many");
                assertThat(many.headers().allValues("Set-Cookie")).hasSize(10)
                        .allMatch(c -> c.length() > 4_000);
                assertThat(many.body()).isEqualTo("many");
            }
        }
    }

    @Test
    @Promise("60.3")
    void aCookieThatABrowserWouldNotTakeIsRefused() {
        assertThat(SetCookie.of("id", "v").domain("example.com").maxAge(Duration.ofHours(1)).httpOnly(false)
                .secure(false).sameSite(SameSite.STRICT).encoded())
                .isEqualTo("id=v; Path=/; Domain=example.com; Max-Age=3600; SameSite=Strict");
        for (var value : List.of("a b", "a;b", "a,b", "\"a\"", "a\\", "\u00e4", "a\r\nb", "\0")) {
            assertThatThrownBy(() -> SetCookie.of("id", value)).as(value)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("cookie id")
                    .hasMessageContaining("U+");
        }
        for (var name : List.of("", "a b", "a=b", "a;", "\u00e4")) {
            assertThatThrownBy(() -> SetCookie.of(name, "x")).isInstanceOf(IllegalArgumentException.class);
        }
        var cookie = SetCookie.of("id", "secret-value");
        assertThat(cookie.toString()).doesNotContain("secret-value");
        assertThatThrownBy(() -> SetCookie.of("id", "x".repeat(5_000))).hasMessageContaining("4096");
        assertThatThrownBy(() -> cookie.path("x")).hasMessageContaining("slash");
        assertThatThrownBy(() -> cookie.path("/;Secure")).hasMessageContaining("U+003B");
        assertThatThrownBy(() -> cookie.domain("x\r\n")).hasMessageContaining("U+000D");
        assertThatThrownBy(() -> cookie.maxAge(Duration.ofSeconds(-1))).hasMessageContaining("negative");
        assertThatThrownBy(() -> cookie.sameSite(SameSite.NONE).secure(false).encoded())
                .hasMessageContaining("secure(true)");
        assertThatThrownBy(() -> SetCookie.of("__Host-id", "x").domain("a").encoded())
                .hasMessageContaining("__Host-");
        assertThatThrownBy(() -> SetCookie.of("__Secure-id", "x").secure(false).encoded())
                .hasMessageContaining("secure(true)");
    }

    @Test
    void anAnswerTellsAndReplacesItsHeaders() {
        var answer = HttpAnswer.text("x").header("A", "1").header("a", "2");
        assertThat(answer.header("A")).hasValue("1");
        assertThat(answer.replaceHeader("A", "3").headers()).containsExactly(
                new HttpAnswer.Header("Content-Type", "text/plain; charset=utf-8"),
                new HttpAnswer.Header("A", "3"));
        assertThat(answer.header("B")).isEmpty();
        assertThat(HttpAnswer.redirect("/there").status()).isEqualTo(303);
        assertThat(new HttpProblem(503, "later").answer().header("Retry-After")).hasValue("1");
    }
}
