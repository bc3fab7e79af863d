package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients behind proxies, and limits for each client. */
class ProxiesTest {
    private static final Proxies TRUSTED =
            Proxies.trusting("10.0.0.0/8", "127.0.0.1", "fd00::/8", "2001:db8::1");

    private static WebAccess from(String peer, Map<String, List<String>> headers) throws Exception {
        return new WebAccess(Instant.EPOCH, Duration.ZERO,
                new InetSocketAddress(InetAddress.getByName(peer), 1), "GET",
                "/", "HTTP/1.1", headers, 200, 0, true);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "192.0.2.7; 203.0.113.9;                    192.0.2.7",
        "10.1.2.3;  203.0.113.9;                    203.0.113.9",
        "10.1.2.3;  1.2.3.4, 203.0.113.9;           203.0.113.9",
        "10.1.2.3;  1.2.3.4, 203.0.113.9 , 10.0.0.1, 127.0.0.1; 203.0.113.9",
        "10.1.2.3;  10.0.0.5, 10.0.0.6;             10.0.0.5",
        "10.1.2.3;  '';                             10.1.2.3",
        "10.1.2.3;  unknown;                        10.1.2.3",
        "10.1.2.3;  1.2.3.4, evil, 10.0.0.9;        10.0.0.9",
        "10.1.2.3;  203.0.113.9:4711;               203.0.113.9",
        "10.1.2.3;  [2001:db8::7]:4711;             2001:db8:0:0:0:0:0:7",
        "10.1.2.3;  2001:db8::7;                    2001:db8:0:0:0:0:0:7",
        "10.1.2.3;  ::ffff:203.0.113.9;             203.0.113.9",
        "10.1.2.3;  1.2.3.4, 256.1.1.1;             10.1.2.3",
        "10.1.2.3;  localhost;                      10.1.2.3",
        "10.1.2.3;  1.2.3;                          10.1.2.3",
        "10.1.2.3;  010.1.1.1;                      10.1.2.3",
        "10.1.2.3;  fe80::1%eth0;                   10.1.2.3",
        "10.1.2.3;  .::1;                           10.1.2.3",
        "10.1.2.3;  1.1.1.1\", 203.0.113.9;         203.0.113.9",
        "10.1.2.3;  203.0.113.9,;                   10.1.2.3",
        "10.1.2.3;  203.0.113.9:;                   10.1.2.3",
        "fd00::5;   203.0.113.9;                    203.0.113.9",
        "2001:db8::1; 203.0.113.9;                  203.0.113.9",
        "2001:db8::2; 203.0.113.9;                  2001:db8:0:0:0:0:0:2"})
    @Promise("60.13")
    void theClientIsTheFirstThatIsNoProxy(String peer, String header, String client) throws Exception {
        assertThat(TRUSTED.client(from(peer, Map.of("X-forwarded-for", List.of(header)))).address()
                .getHostAddress())
                .isEqualTo(client);
        assertThat(Proxies.none().client(from(peer, Map.of("X-forwarded-for", List.of(header)))).address())
                .isEqualTo(InetAddress.getByName(peer));
    }

    @Test
    @Promise("60.13")
    void severalHeadersAreOneListAndSchemeAndHostBelongToTheClient() throws Exception {
        var client = TRUSTED.client(from("10.1.2.3",
                Map.of("X-forwarded-for", List.of("1.2.3.4", "203.0.113.9, 10.0.0.1"),
                        "X-forwarded-proto", List.of("https, http"), "X-forwarded-host",
                        List.of("shop.example.com"))));
        assertThat(client.address().getHostAddress()).isEqualTo("203.0.113.9");
        assertThat(client.isSecure()).hasValue(true);
        assertThat(client.host()).hasValue("shop.example.com");
        var forged = TRUSTED.client(from("10.1.2.3", Map.of("X-forwarded-for", List.of("203.0.113.9"),
                "X-forwarded-proto", List.of("gopher"), "X-forwarded-host", List.of("a b/../"))));
        assertThat(forged.isSecure()).isEmpty();
        assertThat(forged.host()).isEmpty();
    }

    /** Whatever the client sends, in one line or in several, the client is what the proxy states. */
    @Test
    @Promise("60.13")
    void nothingThatAClientSendsHidesWhatTheProxyStates() throws Exception {
        var random = new Random(3);
        var pieces = List.of("for=", "1.1.1.1", "10.0.0.1", "x=", "\"", "\\", ",", ";", "=", " ", "\t",
                "[::1]", "[");
        for (var i = 0; i < 20_000; i++) {
            var sent = new StringBuilder();
            for (var j = random.nextInt(12); j > 0; j--) {
                sent.append(pieces.get(random.nextInt(pieces.size())));
            }
            var plain = List.of(sent + ", 203.0.113.9, 10.0.0.1");
            assertThat(TRUSTED.client(from("10.1.2.3", Map.of("X-Forwarded-For", plain))).address()
                    .getHostAddress())
                    .as("%s", plain).isEqualTo("203.0.113.9");
        }
    }

    /** What a client states for a longer list than the proxies have made is not taken for theirs. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"https; 203.0.113.9, 10.0.0.1, 10.0.0.2; true",
        "https, http; 203.0.113.9, 10.0.0.1, 10.0.0.2; -", "https, http; 203.0.113.9, 10.0.0.1; true",
        "https, http; 203.0.113.9; false"})
    @Promise("60.13")
    void aSchemeBelongsToItsClient(String schemes, String addresses, String isSecure) throws Exception {
        var client = TRUSTED.client(from("10.1.2.3",
                Map.of("X-forwarded-for", List.of(addresses), "X-forwarded-proto", List.of(schemes))));
        assertThat(client.isSecure().map(Object::toString).orElse("-")).isEqualTo(isSecure);
    }

    /** If each element cost as much as the whole list, this would take hours. */
    @Test
    @Promise("60.13")
    void longListsCostNoMoreThanTheirLength() throws Exception {
        var count = 300_000;
        var access = from("10.1.2.3",
                Map.of("X-forwarded-for", List.of("10.0.0.1,".repeat(count) + "10.0.0.2"),
                        "X-forwarded-host", List.of("a".repeat(count * 8), "b,".repeat(count) + "c"),
                        "X-forwarded-proto",
                        List.of("http,".repeat(count))));
        assertThat(TRUSTED.client(access).address().getHostAddress()).isEqualTo("10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/x", "10.0.0.0/",
        "fd00::/129",
        "fd00::1/8", "::/-1", "1.2.3", "10.0.0.0/8/8", "example.com/8", ":"})
    void whatIsNoBlockIsNamed(String block) {
        assertThatThrownBy(() -> Proxies.trusting(block)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + block + "'");
    }

    @Test
    @Promise("60.13")
    void aClientHasNoMoreConnectionsThanWasChosen() throws Exception {
        var options = WebOptions.localPort(0).connectionsPerClient(2);
        try (var site = new Site(options, HttpRoutes.none().get("/", call -> HttpAnswer.text("ok")))) {
            var request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes();
            for (var round = 0; round < 3; round++) { // the places come back
                try (var one = new RawSocket(site.port()); var two = new RawSocket(site.port())) {
                    assertThat(one.request(new String(request))).contains(" 200 ");
                    assertThat(two.request(new String(request))).contains(" 200 ");
                    try (var three = new Socket(InetAddress.getLoopbackAddress(), site.port())) {
                        assertThat(isClosed(three)).isTrue();
                    }
                }
                io.fibry.testing.Waits.until("the places are back", () -> site.connections() == 0);
            }
        }
    }

    /** However many connections one client holds in silence, another one gets in. */
    @Test
    @Promise("60.13")
    void noClientTakesAllConnectionsByDefault() throws Exception {
        var options = WebOptions.address(new InetSocketAddress("0.0.0.0", 0)).connections(40);
        var routes = HttpRoutes.none().get("/", call -> HttpAnswer.text("ok"));
        try (var site = new Site(options, routes)) {
            var silent = new ArrayList<Socket>();
            try {
                for (var i = 0; i < 60; i++) {
                    silent.add(new Socket(InetAddress.getByName("127.0.0.1"), site.port()));
                }
                io.fibry.testing.Waits.until("no more are open than half", () -> site.connections() == 20);
                for (var i = 0; i < 3; i++) {
                    try (var other = new Socket(InetAddress.getByName("127.0.0.2"), site.port(),
                            InetAddress.getByName("127.0.0.2"), 0)) {
                        other.setSoTimeout(Patience.MILLIS);
                        other.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes());
                        assertThat(new String(other.getInputStream().readNBytes(15)))
                                .isEqualTo("HTTP/1.1 200 OK");
                    }
                }
            } finally {
                for (var socket : silent) {
                    socket.close();
                }
            }
        }
        assertThat(WebOptions.localPort(0).connectionsPerClient()).isEmpty();
        assertThat(WebOptions.localPort(0).connectionsPerClient(7).connectionsPerClient()).hasValue(7);
    }

    /** A browser that is alone finds all the places that it needs, however few connections there are. */
    @Test
    @Promise("60.13")
    void aFewConnectionsAreForEveryClient() throws Exception {
        try (var site = new Site(WebOptions.localPort(0).connections(8), HttpRoutes.none().get("/",
                call -> HttpAnswer.text("ok")))) {
            var open = new ArrayList<RawSocket>();
            for (var i = 0; i < 8; i++) {
                open.add(new RawSocket(site.port()));
                assertThat(open.getLast().request("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).contains(" 200 ");
            }
            for (var socket : open) {
                socket.close();
            }
        }
    }

    private static boolean isClosed(Socket socket) throws Exception {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    @Test
    void wrongUseIsNamed() {
        assertThatThrownBy(() -> WebOptions.localPort(0).connectionsPerClient(0)).hasMessageContaining("0");
    }
}
