package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of other sites. */
class CorsTest {
    private static final String OURS = "https://app.example.com";
    private static final HttpRoutes ROUTES = HttpRoutes.none()
            .get("/ok", call -> HttpAnswer.text("ok").header("Vary", "Accept"))
            .get("/problem", call -> {
                throw new HttpProblem(409, "sold");
            })
            .get("/fail", call -> {
                throw new IllegalStateException("secret");
            })
            .post("/read", call -> HttpAnswer.text(call.text()));

    private static String allowed(HttpResponse<?> answer) {
        return answer.headers().firstValue("Access-Control-Allow-Origin").orElse("none");
    }

    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.9")
    void everyAnswerHasTheHeaders(Site.On engine) throws Exception {
        try (var site =
                new Site(engine, ROUTES.around(Cors.of(OURS).credentials(true).exposed("X-A", "ETag")))) {
            for (var path : List.of("/ok", "/problem", "/fail", "/none", "/read")) {
                var answer = site.get(path, "Origin", OURS);
                assertThat(answer.headers().allValues("Access-Control-Allow-Origin")).as(path)
                        .containsExactly(OURS);
                assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials")).hasValue("true");
                assertThat(answer.headers().firstValue("Access-Control-Expose-Headers"))
                        .hasValue("ETag, X-A");
                assertThat(answer.headers().allValues("Vary")).as(path).contains("Origin");
                var other = site.get(path, "Origin", "https://evil.example.com");
                assertThat(allowed(other)).isEqualTo("none");
                assertThat(other.statusCode()).isEqualTo(answer.statusCode());
                assertThat(site.get(path).headers().allValues("Vary")).contains("Origin");
                assertThat(allowed(site.get(path))).isEqualTo("none");
            }
            var tooLong = site.ask("POST", "/read", "x".repeat(90_000), "Origin", OURS);
            assertThat(allowed(tooLong)).isEqualTo(OURS);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void theQuestionIsAnsweredForEveryPathAndGroup(Site.On engine) throws Exception {
        var cors = Cors.of(OURS).headers("Content-Type", "Authorization").maxAge(Duration.ofMinutes(1));
        try (var site = new Site(engine, HttpRoutes.none().under("/api", ROUTES.around(cors))
                .get("/plain", call -> HttpAnswer.text("plain")))) {
            var answer = site.ask("OPTIONS", "/api/read", "", "Origin", OURS, "Access-Control-Request-Method",
                    "POST",
                    "Access-Control-Request-Headers", "authorization,content-type");
            assertThat(answer.statusCode()).isEqualTo(204);
            assertThat(allowed(answer)).isEqualTo(OURS);
            assertThat(answer.headers().firstValue("Access-Control-Allow-Methods"))
                    .hasValue("DELETE, GET, HEAD, PATCH, POST, PUT");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Headers"))
                    .hasValue("Authorization, Content-Type");
            assertThat(answer.headers().firstValue("Access-Control-Max-Age")).hasValue("60");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials")).isEmpty();
            for (var wrong : List.of(List.of("https://app.example.com.evil.org", "POST", ""),
                    List.of("null", "POST", ""), List.of(OURS, "TRACE", ""), List.of(OURS, "post", ""),
                    List.of(OURS, "POST", "X-Other"), List.of("http://app.example.com", "POST", ""))) {
                var refused = site.ask("OPTIONS", "/api/read", "", "Origin", wrong.get(0),
                        "Access-Control-Request-Method", wrong.get(1), "Access-Control-Request-Headers",
                        wrong.get(2));
                assertThat(refused.statusCode()).as(wrong.toString()).isEqualTo(403);
                assertThat(allowed(refused)).isEqualTo("none");
            }
            var plain = site.ask("OPTIONS", "/api/read", "", "Origin", OURS);
            assertThat(plain.headers().firstValue("Allow")).hasValue("OPTIONS, POST");
            assertThat(allowed(site.get("/plain", "Origin", OURS))).isEqualTo("none");
        }
    }

    @Test
    @Promise("60.9")
    void allSitesMayReadWhatNeedsNoCookies() throws Exception {
        try (var site = new Site(Site.On.WEB, ROUTES.around(Cors.any()))) {
            var answer = site.get("/ok", "Origin", "https://anything.example");
            assertThat(allowed(answer)).isEqualTo("*");
            assertThat(answer.headers().allValues("Vary")).containsExactly("Accept");
            assertThat(allowed(site.get("/ok", "Origin", "a", "Origin", "b"))).isEqualTo("none");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "app.example.com", "https://app.example.com/",
        "https://App.example.com",
        "https://a b", "https://*.example.com", "https://x:y", "https://u@x"})
    void whatIsNoOriginIsNamed(String origin) {
        assertThatThrownBy(() -> Cors.of(origin)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + origin + "'");
    }

    @Test
    void wrongUseIsNamed() {
        assertThatThrownBy(Cors::of).hasMessageContaining("any()");
        assertThatThrownBy(() -> Cors.any().credentials(true)).hasMessageContaining("must be named");
        assertThatThrownBy(() -> Cors.any().headers("a b")).hasMessageContaining("'a b'");
        assertThatThrownBy(() -> Cors.any().maxAge(Duration.ofSeconds(-1))).hasMessageContaining("PT-1S");
        assertThat(Cors.of("http://localhost:3000", "https://[::1]:8443", "capacitor://localhost").origins())
                .hasSize(3);
    }
}
