package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.Watchdog;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.TcpOptions;
import io.fibry.net.UdpOptions;
import io.fibry.testing.Recorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What cannot be made leaves nothing behind: no scope of its own, no actor in it, no socket. */
class FailedMakingTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Map<String, Consumer<ActorBuilder>> MADE = new LinkedHashMap<>();

    static {
        MADE.put("workers", builder -> Stereotypes.with(builder).workers((Integer n) -> {
        }));
        MADE.put("an HTTP server",
                builder -> Stereotypes.with(builder).embeddedHttpServer(HttpOptions.localPort(0),
                        HttpRoutes.none()));
        MADE.put("a TCP server", builder -> Stereotypes.with(builder).tcpAcceptor(TcpOptions.localPort(0),
                socket -> {
                }, null));
        MADE.put("a UDP server", builder -> Stereotypes.with(builder).udpReceiver(UdpOptions.address(ANY),
                (socket, packet) -> {
                }, null));
    }

    static Stream<String> made() {
        return MADE.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("made")
    void itsScopeIsClosed(String what) {
        var recorder = new Recorder();
        try (var scope = ActorSystem.configure("test").listener(recorder)
                .watchdog(Watchdog.none().stuckAfter(Duration.ofHours(1))).open()) {
            scope.named("tom").newActor((Integer n) -> {
            });
            var watched = EngineProbe.watched(scope);
            assertThatThrownBy(() -> MADE.get(what).accept(scope.named("tom")))
                    .hasMessageContaining("'tom'");
            assertThat(EngineProbe.watched(scope)).as("scopes that the watchdog looks at").isEqualTo(watched);
            assertThat(recorder.of(Stopped.class)).as("actors that have stopped, all but tom")
                    .hasSize(recorder.of(Started.class).size() - 1);
        }
    }

    @Test
    void anHttpServerThatIsRefusedGivesItsPortBack() throws IOException {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (var scope = ActorSystem.open("test")) {
            assertThatThrownBy(() -> Stereotypes
                    .with(scope.anonymous().abandonStuck(Duration.ofSeconds(1), Duration.ofSeconds(1)))
                    .embeddedHttpServer(HttpOptions.localPort(port), HttpRoutes.none()))
                    .hasMessageContaining("a server");
            try (var again = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(again.isBound()).isTrue();
            }
        }
    }
}
