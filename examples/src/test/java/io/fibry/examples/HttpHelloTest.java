package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class HttpHelloTest {
    private static HttpRequest.Builder to(HttpHello hello, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + hello.port() + path));
    }

    @Test
    void itSaysHelloAndKnowsNothingElse() throws Exception {
        try (var hello = HttpHello.start(0); var client = HttpClient.newHttpClient()) {
            var found = client.send(to(hello, "/").build(), BodyHandlers.ofString());
            var missing = client.send(to(hello, "/nobody").build(), BodyHandlers.ofString());

            assertThat(found.statusCode()).isEqualTo(200);
            assertThat(found.body()).isEqualTo("Hello World!\n");
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(missing.body()).isEqualTo("There is nothing at /nobody\n");
        }
    }

    @Test
    void aHeadRequestGetsNoBody() throws Exception {
        try (var hello = HttpHello.start(0); var client = HttpClient.newHttpClient()) {
            var answer = client.send(to(hello, "/").method("HEAD", BodyPublishers.noBody()).build(),
                    BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEmpty();
        }
    }

    @Test
    void everyRequestIsCountedOnce() throws Exception {
        try (var hello = HttpHello.start(0); var client = HttpClient.newHttpClient()) {
            var requests = IntStream.range(0, 200)
                    .mapToObj(i -> client.sendAsync(to(hello, "/").build(), BodyHandlers.ofString()))
                    .toList();
            CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new)).join();

            assertThat(requests).extracting(CompletableFuture::join).extracting(HttpResponse::body)
                    .containsOnly("Hello World!\n");
            var visits = client.send(to(hello, "/visits").build(), BodyHandlers.ofString());
            assertThat(visits.body()).isEqualTo("201\n");
        }
    }

    /** As ab does with -k. */
    @Test
    void aConnectionOfHttp10IsKeptIfAskedFor() throws IOException {
        try (var hello = HttpHello.start(0); var client = new Raw(hello.port())) {
            client.send(Raw.REQUEST);
            var answer = new StringBuilder();
            while (!answer.toString().endsWith("Hello World!\n")) {
                answer.append(client.receive(1));
            }
            assertThat(answer.toString().toLowerCase(Locale.ROOT))
                    .contains("connection: keep-alive", "content-length: 13");
            client.send(Raw.REQUEST.replace("Keep-Alive", "close"));
            assertThat(client.receiveAll()).endsWith("Hello World!\n");
        }
    }

    @Test
    void afterClosingNobodyListens() throws Exception {
        var hello = HttpHello.start(0);
        hello.close();

        assertThatThrownBy(() -> new Raw(hello.port())).isInstanceOf(IOException.class);
    }
}
