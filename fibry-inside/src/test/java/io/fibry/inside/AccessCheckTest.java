package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may look, and who may not. */
class AccessCheckTest {
    private static final String TOKEN = "0123456789abcdef-_XYZ";
    private static final List<String> ALL =
            List.of("/", "/page.css", "/page.js", "/icon.svg", "/now", "/actors", "/dump.txt", "/dump.json");

    @Promise("54.2")
    @Test
    void aHostWithANameOfItsOwnIsRefused() throws IOException {
        try (var inside = Inside.open(0)) {
            for (var path : ALL) {
                for (var host : List.of("evil.example", "evil.example:" + inside.port(),
                        "127.0.0.1.evil.example",
                        "localhost.evil.example", "1.2.3", "127.0.0.1x")) {
                    assertThat(Asked.get(inside, path, "Host: " + host).status()).as(path + " " + host)
                            .isEqualTo(403);
                }
            }
            for (var host : List.of("localhost", "LOCALHOST:8080", "127.0.0.1:" + inside.port(), "[::1]:9")) {
                assertThat(Asked.get(inside, "/", "Host: " + host).status()).as(host).isEqualTo(200);
            }
        }
    }

    @Promise("54.2")
    @Test
    void otherSitesMayHaveALinkAndNothingElse() throws IOException {
        try (var inside = Inside.open(0)) {
            for (var path : ALL) {
                for (var from : List.of("cross-site", "same-site")) {
                    assertThat(Asked.get(inside, path, "Sec-Fetch-Site: " + from).status()).as(path)
                            .isEqualTo(path.equals("/") ? 200 : 403);
                }
                if (!path.equals("/actors")) {
                    assertThat(Asked.get(inside, path, "Sec-Fetch-Site: same-origin").status())
                            .isEqualTo(200);
                }
                var answer = Asked.get(inside, path);
                assertThat(answer.header("content-security-policy")).contains("default-src 'none'",
                        "frame-ancestors 'none'").doesNotContain("unsafe");
                assertThat(answer.header("cross-origin-resource-policy")).isEqualTo("same-origin");
                assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
                assertThat(answer.header("access-control-allow-origin")).isEmpty();
            }
        }
    }

    @Promise("54.2")
    @Test
    void withATokenNothingIsServedWithoutIt() throws IOException {
        try (var inside = Inside.open(InsideOptions.localPort(0).token(TOKEN))) {
            assertThat(inside.address())
                    .hasToString("http://127.0.0.1:" + inside.port() + "/?token=" + TOKEN);
            for (var path : ALL) {
                assertThat(Asked.get(inside, path).status()).as(path).isEqualTo(401);
                assertThat(Asked.get(inside, path, "Authorization: Bearer " + TOKEN + "x").status())
                        .isEqualTo(401);
                assertThat(Asked.get(inside, path, "Cookie: a=b; fibry-inside-=; fibry-inside=" + TOKEN)
                        .status()).isEqualTo(401);
            }
            assertThat(Asked.get(inside, "/now?token=" + TOKEN).status()).isEqualTo(401);
            assertThat(Asked.get(inside, "/?token=x").status()).isEqualTo(401);

            var welcome = Asked.get(inside, "/?token=" + TOKEN);
            assertThat(welcome.status()).isEqualTo(303);
            assertThat(welcome.header("location")).isEqualTo("/");
            var cookie = welcome.header("set-cookie");
            assertThat(cookie).contains("; HttpOnly", "; SameSite=Lax");
            var known = "Cookie: other=1; " + cookie.substring(0, cookie.indexOf(';'));
            assertThat(Asked.get(inside, "/", known).status()).isEqualTo(200);
            assertThat(Asked.get(inside, "/now", known, "Host: shop.example").status()).isEqualTo(200);
            assertThat(Asked.get(inside, "/dump.txt", "Authorization: Bearer " + TOKEN).content())
                    .startsWith("Dump of scope");
        }
    }

    @Promise("54.2")
    @Test
    void pagesOfOneMachineDoNotTakeTheCookiesOfOneAnother() throws IOException {
        try (var one = Inside.open(InsideOptions.localPort(0).token(TOKEN));
                var two = Inside.open(InsideOptions.localPort(0).token(TOKEN + "2"))) {
            assertThat(cookie(one, TOKEN)).isNotEqualTo(cookie(two, TOKEN + "2"));
        }
    }

    /** Returns the name of the cookie of a page. Cookies belong to a host with all its ports. */
    private static String cookie(Inside inside, String token) throws IOException {
        var cookie = Asked.get(inside, "/?token=" + token).header("set-cookie");
        return cookie.substring(0, cookie.indexOf('='));
    }

    @Promise("54.2")
    @Test
    void otherAddressesNeedATokenAndNoTextShowsIt() throws IOException {
        var any = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
        assertThatThrownBy(
                () -> new InsideOptions(any, java.util.Optional.empty(), java.util.Optional.empty(),
                        List.of()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("0.0.0.0")
                .hasMessageContaining("needs a token");
        for (var bad : List.of("", "short", "0123456789abcde", "0123456789abcdef ", "0123456789abcdef&",
                "x".repeat(257))) {
            assertThatThrownBy(() -> InsideOptions.address(any, bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("16 to 256").hasMessageContaining(bad.length() + " characters")
                    .satisfies(refused -> assertThat(bad.isEmpty() || !refused.getMessage().contains(bad))
                            .as("the text without %s", bad).isTrue());
        }
        var options = InsideOptions.address(any, TOKEN);
        assertThat(options).asString().doesNotContain(TOKEN).contains("with a token");
        assertThatThrownBy(() -> InsideOptions
                .address(InetSocketAddress.createUnresolved("no.such.host.invalid", 0), TOKEN))
                .hasMessageContaining("no.such.host.invalid");
        assertThatThrownBy(() -> InsideOptions.localPort(0).token(null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> InsideOptions.localPort(0).tls(null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Inside.open(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Inside.open(65_536)).isInstanceOf(IllegalArgumentException.class);
        try (var inside = Inside.open(options)) {
            assertThat(inside.address().getHost()).isEqualTo("localhost");
            assertThat(inside).asString().doesNotContain(TOKEN);
            assertThat(Asked.get(inside, "/now").status()).isEqualTo(401);
        }
    }
}
