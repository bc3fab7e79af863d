package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpTlsTest {
    @TempDir
    Path folder;

    @BeforeEach
    void requireKeytool() {
        Assumptions.assumeTrue(
                Files.exists(Path.of(System.getProperty("java.home"), "bin", "keytool")),
                "this runs on a runtime without keytool");
    }

    @Test
    void httpsIsHttpWithKeys() throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        try (var scope = ActorSystem.open("test");
                var client = HttpClient.newBuilder().sslContext(keys).build()) {
            var server = in(scope).embeddedHttpServer(local().tls(keys), exchange -> "secret");
            for (int i = 0; i < 5; i++) {
                var response = client.send(
                        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/"))
                                .build(),
                        BodyHandlers.ofString());
                assertThat(response.body()).isEqualTo("secret");
            }
            // Shorter than the half minute after which the client itself closes an idle connection.
            assertThat(server.stop(Duration.ofSeconds(20)).forced()).isFalse();
        }
    }

    @Test
    @Promise("14.4")
    void whoDoesNotSpeakTlsIsNotAnswered() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var server =
                    in(scope).embeddedHttpServer(local().tls(HttpKeys.selfSigned(folder)),
                            exchange -> "secret");
            try (var client = new RawHttp(server)) {
                client.send(RawHttp.GET);
                assertThat(isWithout(client, "secret")).isTrue();
            }
            await().until(() -> server.connections() == 0);
        }
    }

    /** The close of TLS waits for whoever writes, who waits for the client. */
    @Test
    @Promise("14.4")
    void aClientThatDoesNotReadKeepsNoBrokenConnection() throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        try (var scope = ActorSystem.open("test")) {
            var answer = HttpAnswer.stream("text/plain", out -> {
                var writer = Thread.startVirtualThread(() -> writeMuch(out));
                await().until(() -> writer.getState() == Thread.State.WAITING);
                throw new IOException("broken");
            });
            var server = in(scope).embeddedHttpServer(local().tls(keys),
                    HttpRoutes.none().get("/", call -> answer));
            try (var client = (SSLSocket) keys.getSocketFactory().createSocket("localhost", server.port())) {
                client.getOutputStream().write(RawHttp.GET.getBytes());
                assertThat(client.getInputStream().read()).isEqualTo('H');
                await().until(() -> server.connections() == 0);
            }
        }
    }

    private static void writeMuch(OutputStream out) {
        try {
            out.write(new byte[50_000_000]);
        } catch (IOException cut) {
            // as it should be
        }
    }

    private static boolean isWithout(RawHttp client, String word) throws IOException {
        try {
            return !new String(client.socket.getInputStream().readAllBytes()).contains(word);
        } catch (java.net.SocketException reset) {
            return true;
        }
    }
}
