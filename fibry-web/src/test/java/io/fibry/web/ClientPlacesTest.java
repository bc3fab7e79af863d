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
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The connections of each client are limited. */
class ClientPlacesTest {
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
