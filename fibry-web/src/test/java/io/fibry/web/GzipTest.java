package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are compressed. */
class GzipTest {
    private static final String TEXT = "a line of text that comes again and again\n".repeat(100);
    private static final byte[] LONG = "0123456789".repeat(100_000).getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path folder;
    private final CountDownLatch go = new CountDownLatch(1);

    private HttpRoutes routes() throws IOException {
        Files.writeString(folder.resolve("a.txt"), TEXT);
        var noise = new byte[5_000];
        new Random(1).nextBytes(noise);
        return HttpRoutes.none().get("/text", call -> HttpAnswer.text(TEXT).header("ETag", "\"1\""))
                .get("/short", call -> HttpAnswer.text("short"))
                .get("/long", call -> HttpAnswer.bytes("application/vnd.x+json", LONG))
                .get("/noise", call -> HttpAnswer.bytes("text/plain", noise))
                .get("/image", call -> HttpAnswer.bytes("image/png", LONG))
                .get("/empty", call -> HttpAnswer.empty(204).header("Content-Type", "text/plain"))
                .get("/encoded", call -> HttpAnswer.text(TEXT).header("Content-Encoding", "br"))
                .get("/fixed",
                        call -> HttpAnswer.text(TEXT).header("Cache-Control", "max-age=1, No-Transform"))
                .get("/stream", call -> HttpAnswer.stream("text/csv", out -> {
                    out.write("first".getBytes(StandardCharsets.US_ASCII));
                    out.flush();
                    go.await();
                    out.write(LONG);
                }))
                .get("/broken", call -> HttpAnswer.stream("text/csv", out -> {
                    out.write(LONG);
                    throw new IllegalStateException("as asked");
                }))
                .get("/events", call -> HttpAnswer.events(events -> events.send(TEXT)))
                .get("/files/{path*}", WebFiles.in(folder))
                .around(Gzip.standard());
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("none");
    }

    private static byte[] unzipped(byte[] bytes) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void whatIsLongAndTextIsCompressed(Site.On engine) throws Exception {
        go.countDown();
        try (var site = new Site(engine, routes())) {
            var text = site.bytes("/text", "Accept-Encoding", "deflate, gzip");
            assertThat(header(text, "Content-Encoding")).isEqualTo("gzip");
            assertThat(header(text, "Content-Length")).isEqualTo(Integer.toString(text.body().length));
            assertThat(header(text, "ETag")).isEqualTo("W/\"1\"");
            assertThat(header(text, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(new String(unzipped(text.body()), StandardCharsets.UTF_8)).isEqualTo(TEXT);
            var longer = site.bytes("/long", "Accept-Encoding", "gzip");
            assertThat(header(longer, "Content-Length")).isEqualTo("none");
            assertThat(unzipped(longer.body())).isEqualTo(LONG);
            assertThat(unzipped(site.bytes("/stream", "Accept-Encoding", "gzip").body()))
                    .hasSize(LONG.length + 5);
            var plain = site.bytes("/text");
            assertThat(header(plain, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(header(plain, "ETag")).isEqualTo("\"1\"");
            assertThat(new String(plain.body(), StandardCharsets.UTF_8)).isEqualTo(TEXT);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void everythingElseStaysAsItIs(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes())) {
            for (var path : new String[]{"/short", "/noise", "/image", "/empty", "/encoded", "/fixed",
                "/events",
                "/none"}) {
                var answer = site.bytes(path, "Accept-Encoding", "gzip");
                assertThat(header(answer, "Content-Encoding")).as(path)
                        .isEqualTo(path.equals("/encoded") ? "br" : "none");
                assertThat(header(answer, "Vary")).as(path).isEqualTo(
                        path.equals("/short") || path.equals("/noise") || path.equals("/none")
                                ? "Accept-Encoding"
                                : "none");
            }
        }
    }

    /** Caches find the answer that they have by these headers. */
    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void anAnswerWithoutChangesHasTheTagOfTheWholeOne(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes())) {
            for (var accepted : new String[]{"gzip", "identity"}) {
                var whole = site.bytes("/files/a.txt", "Accept-Encoding", accepted);
                var known = site.get("/files/a.txt", "Accept-Encoding", accepted, "If-None-Match",
                        header(whole, "ETag"));
                assertThat(known.statusCode()).isEqualTo(304);
                for (var name : new String[]{"ETag", "Vary", "Cache-Control"}) {
                    assertThat(header(known, name)).as(name).isEqualTo(header(whole, name))
                            .isNotEqualTo("none");
                }
                assertThat(header(known, "Content-Encoding")).isEqualTo("none");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void filesAreCompressedWholeAndServedInPartsAsTheyAre(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes())) {
            var whole = site.bytes("/files/a.txt", "Accept-Encoding", "gzip");
            assertThat(new String(unzipped(whole.body()), StandardCharsets.UTF_8)).isEqualTo(TEXT);
            assertThat(header(whole, "Accept-Ranges")).isEqualTo("none");
            assertThat(header(whole, "ETag")).startsWith("W/\"");
            assertThat(site
                    .get("/files/a.txt", "Accept-Encoding", "gzip", "If-None-Match", header(whole, "ETag"))
                    .statusCode()).isEqualTo(304);
            var part = site.get("/files/a.txt", "Accept-Encoding", "gzip", "Range", "bytes=2-5");
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(header(part, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(part.body()).isEqualTo("line");
            var head = site.ask("HEAD", "/files/a.txt", "", "Accept-Encoding", "gzip");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(header(head, "Content-Encoding")).isEqualTo("gzip");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.9")
    void whatIsFlushedArrives(Site.On engine) throws Exception {
        try (var site = new Site(engine, routes()); var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + site.port() + "/stream"))
                    .header("Accept-Encoding", "gzip").build();
            var in = new GZIPInputStream(client.send(request, BodyHandlers.ofInputStream()).body());
            var first = CompletableFuture.supplyAsync(() -> {
                try {
                    return new String(in.readNBytes(5), StandardCharsets.US_ASCII);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            assertThat(Waits.on(first)).isEqualTo("first");
            go.countDown();
            assertThat(in.readAllBytes()).isEqualTo(LONG);
        }
    }

    @Test
    @LogsErrors
    @Promise("60.9")
    void aFailureInTheMiddleIsSeen() throws Exception {
        try (var site = new Site(Site.On.WEB, routes())) {
            assertThatThrownBy(() -> site.bytes("/broken", "Accept-Encoding", "gzip"))
                    .isInstanceOf(IOException.class);
            var old = site.raw("GET /broken HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            var start = new String(old, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
            var content = java.util.Arrays.copyOfRange(old, start, old.length);
            assertThatThrownBy(() -> unzipped(content)).isInstanceOf(IOException.class); // there is no end
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip; true", "GZIP; true", "x-gzip; true", "*; true", "br, gzip;q=0.5; true",
        "deflate; false", "identity; false", "gzip;q=0; false", "gzip; q=0.000; false", "*;q=0; false",
        "gzip;q=0, *; false", "gzip;q=0.5, identity; false", "gzip;q=0.5, identity;q=0.5; true",
        "gzip;q=2; false",
        "gzip;q=x; false", "gzipp; false", "gzip;q=1.000; true", "identity;q=0, *;q=0.1; true"})
    @Promise("60.9")
    void theClientDecides(String row) throws Exception {
        var accepted = row.substring(0, row.lastIndexOf(';')).strip();
        try (var site = new Site(Site.On.WEB, routes())) {
            assertThat(header(site.bytes("/text", "Accept-Encoding", accepted), "Content-Encoding")
                    .equals("gzip"))
                    .isEqualTo(row.endsWith("true"));
        }
    }

    @Test
    void wrongUseIsNamed() {
        assertThatThrownBy(() -> Gzip.standard().minBytes(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> Gzip.standard().moreTypes("x")).hasMessageContaining("'x'");
        assertThat(Gzip.standard().moreTypes("application/x-tar").moreTypes())
                .containsExactly("application/x-tar");
    }
}
