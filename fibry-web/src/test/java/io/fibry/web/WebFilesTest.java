package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of a folder, and of the class path. */
class WebFilesTest {
    private static final String TEN = "0123456789";
    private static final String CHANGED = "Fri, 02 Jan 2026 03:04:05 GMT";

    @TempDir
    private Path outside;
    private Path root;

    @BeforeEach
    void makeFiles() throws IOException {
        root = Files.createDirectories(outside.resolve("root"));
        Files.createDirectories(root.resolve("sub"));
        Files.createDirectories(root.resolve("bare"));
        Files.createDirectories(root.resolve(".git"));
        Files.writeString(outside.resolve("secret.txt"), "secret");
        Files.writeString(root.resolve(".env"), "secret");
        Files.writeString(root.resolve(".git/config"), "secret");
        Files.writeString(root.resolve("ten.txt"), TEN);
        Files.writeString(root.resolve("empty.css"), "");
        Files.writeString(root.resolve("index.html"), "root index");
        Files.writeString(root.resolve("sub/index.html"), "sub index");
        Files.writeString(root.resolve("sub/J\u00f8rgen b.txt"), "hello");
        Files.setLastModifiedTime(root.resolve("ten.txt"),
                FileTime.from(Instant.parse("2026-01-02T03:04:05.678Z")));
    }

    private Site site(Site.On engine) {
        return new Site(engine, HttpRoutes.none()
                .get("/own", call -> HttpAnswer.text("own"))
                .get("/f/{path*}", WebFiles.in(root).maxAge(Duration.ofHours(1)))
                .get("/r/{path*}", WebResources.beside(WebFilesTest.class, "pages")));
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("none");
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.6")
    void filesAreServedWithTheirTypeAndVersion(Site.On engine) throws Exception {
        try (var site = site(engine)) {
            var ten = site.get("/f/ten.txt");
            assertThat(ten.body()).isEqualTo(TEN);
            assertThat(header(ten, "Content-Type")).isEqualTo("text/plain; charset=utf-8");
            assertThat(header(ten, "Content-Length")).isEqualTo("10");
            assertThat(header(ten, "Last-Modified")).isEqualTo(CHANGED);
            assertThat(header(ten, "ETag")).matches("\"[0-9a-f.-]+\"");
            assertThat(header(ten, "Cache-Control")).isEqualTo("max-age=3600");
            assertThat(header(ten, "X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(header(ten, "Accept-Ranges")).isEqualTo("bytes");
            assertThat(site.get("/f/").body()).isEqualTo("root index");
            assertThat(site.get("/f/sub/").body()).isEqualTo("sub index");
            assertThat(site.get("/f/sub/J%C3%B8rgen%20b.txt").body()).isEqualTo("hello");
            assertThat(site.get("/f/empty.css").body()).isEmpty();
            assertThat(header(site.get("/f/empty.css"), "Content-Type")).startsWith("text/css");
            var head = site.ask("HEAD", "/f/ten.txt", "", "Range", "bytes=0-1");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(header(head, "Content-Length")).isEqualTo("10");
            var moved = site.get("/f/sub?a=b");
            assertThat(moved.statusCode()).isEqualTo(308);
            assertThat(header(moved, "Location")).isEqualTo("/f/sub/?a=b");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.6")
    void aLongFileArrivesWholeAndInParts(Site.On engine) throws Exception {
        var bytes = new byte[1_000_003];
        new java.util.Random(1).nextBytes(bytes);
        Files.write(root.resolve("long.bin"), bytes);
        try (var site = site(engine)) {
            assertThat(site.bytes("/f/long.bin").body()).isEqualTo(bytes);
            var part = site.bytes("/f/long.bin", "Range", "bytes=100000-300001");
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.body()).isEqualTo(java.util.Arrays.copyOfRange(bytes, 100_000, 300_002));
            assertThat(header(part, "Content-Range")).isEqualTo("bytes 100000-300001/1000003");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "bytes=0-0;            206; 0;          bytes 0-0/10",
        "bytes=2-4;            206; 234;        bytes 2-4/10",
        "bytes=8-;             206; 89;         bytes 8-9/10",
        "bytes=8-999;          206; 89;         bytes 8-9/10",
        "bytes=-3;             206; 789;        bytes 7-9/10",
        "bytes=-99;            206; 0123456789; bytes 0-9/10",
        "bytes=10-;            416; -;          bytes */10",
        "bytes=99-100;         416; -;          bytes */10",
        "bytes=-0;             416; -;          bytes */10",
        "bytes=4-2;            200; 0123456789; none",
        "bytes=0-1,3-4;        200; 0123456789; none",
        "bytes=a-b;            200; 0123456789; none",
        "bytes=-;              200; 0123456789; none",
        "bytes=;               200; 0123456789; none",
        "lines=1-2;            200; 0123456789; none",
        "bytes=9999999999999999999-; 200; 0123456789; none",
        "bytes=--1;            200; 0123456789; none"})
    @Promise("60.6")
    void aPartIsServed(String range, int status, String text, String contentRange) throws Exception {
        try (var site = site(Site.On.WEB)) {
            for (var path : List.of("/f/ten.txt", "/r/ten.txt")) {
                var answer = site.get(path, "Range", range);
                assertThat(answer.statusCode()).isEqualTo(status);
                assertThat(header(answer, "Content-Range")).isEqualTo(contentRange);
                if (!text.equals("-")) {
                    assertThat(answer.body()).isEqualTo(text);
                }
            }
            assertThat(site.get("/f/empty.css", "Range", "bytes=0-").statusCode()).isEqualTo(416);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.6")
    void aClientThatHasTheFileIsToldSo(Site.On engine) throws Exception {
        try (var site = site(engine)) {
            for (var path : List.of("/f/ten.txt", "/r/ten.txt")) {
                var tag = header(site.get(path), "ETag");
                for (var known : List.of(tag, "W/" + tag, "\"x\", " + tag, "*")) {
                    var answer = site.get(path, "If-None-Match", known);
                    assertThat(answer.statusCode()).as(known).isEqualTo(304);
                    assertThat(answer.body()).isEmpty();
                    assertThat(header(answer, "ETag")).isEqualTo(tag);
                }
                assertThat(
                        site.get(path, "If-None-Match", "\"x\"", "If-Modified-Since", CHANGED).statusCode())
                        .isEqualTo(200);
                assertThat(site.get(path, "If-Match", tag).statusCode()).isEqualTo(200);
                assertThat(site.get(path, "If-Match", "\"x\"").statusCode()).isEqualTo(412);
                assertThat(site.get(path, "If-Match", "W/" + tag).statusCode()).isEqualTo(412);
                assertThat(site.get(path, "Range", "bytes=1-1", "If-Range", tag).body()).isEqualTo("1");
                assertThat(site.get(path, "Range", "bytes=1-1", "If-Range", "\"x\"").body()).startsWith(TEN);
                assertThat(site.get(path, "Range", "bytes=1-1", "If-Range", "W/" + tag).body())
                        .startsWith(TEN);
            }
            for (var row : List.of("If-Modified-Since 304 200", "If-Unmodified-Since 200 412")) {
                var parts = row.split(" ");
                assertThat(site.get("/f/ten.txt", parts[0], CHANGED).statusCode()).as(row)
                        .isEqualTo(Integer.parseInt(parts[1]));
                assertThat(site.get("/f/ten.txt", parts[0], CHANGED.replace("05 GMT", "04 GMT")).statusCode())
                        .as(row)
                        .isEqualTo(Integer.parseInt(parts[2]));
                assertThat(site.get("/f/ten.txt", parts[0], "yesterday").statusCode()).isEqualTo(200);
            }
            assertThat(site.get("/f/ten.txt", "Range", "bytes=1-1", "If-Range", CHANGED).body())
                    .isEqualTo("1");
            var before = header(site.get("/f/ten.txt"), "ETag");
            Files.writeString(root.resolve("ten.txt"), "9876543210");
            assertThat(site.get("/f/ten.txt", "If-None-Match", before).body()).isEqualTo("9876543210");
        }
    }

    private static final List<String> ELSEWHERE = List.of("/f/../secret.txt", "/f/%2e%2e/secret.txt",
            "/f/..%2fsecret.txt", "/f/%2e%2e%2fsecret.txt",
            "/f/%252e%252e%252fsecret.txt", "/f/..%5csecret.txt", "/f/..\\secret.txt",
            "/f/%5c..%5csecret.txt",
            "/f/sub/..%2f..%2fsecret.txt", "/f/%00/../secret.txt", "/f/ten.txt%00.html",
            "/f/%c0%ae%c0%ae/secret.txt",
            "/f//etc/passwd", "/f/%2fetc%2fpasswd", "/f/.env", "/f/%2eenv", "/f/.git/config",
            "/f/.git%2fconfig", "/f/C:",
            "/f/ten.txt::$DATA", "/f/ten.txt.", "/f/ten.txt%20", "/f/ten.txt/", "/f/ten.txt/x", "/f/bare/",
            "/f/none",
            "/f/./ten.txt", "/f/sub//index.html", "/f/link.txt", "/f/linked/secret.txt", "/f/hidden",
            "/f/loop",
            "/f/broken", "/f/....//secret.txt", "/f/%EF%BC%8E%EF%BC%8E/secret.txt");

    @ParameterizedTest
    @EnumSource(names = {"CORE", "WEB"})
    @Promise("60.6")
    void nothingElseIsServed(Site.On engine) throws Exception {
        link("link.txt", outside.resolve("secret.txt"));
        link("linked", outside);
        link("hidden", root.resolve(".env"));
        link("loop", root.resolve("loop"));
        link("broken", root.resolve("gone"));
        try (var site = site(engine)) {
            for (var path : ELSEWHERE) {
                for (var start : List.of("/f/", "/r/")) {
                    var answer = site.raw("GET " + path.replace("/f/", start)
                            + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                    assertThat(answer).as(path).matches("(?s)HTTP/1.1 (400|404) .*").doesNotContain("secret",
                            "root:", TEN);
                }
            }
        }
    }

    /** The route of a guarded folder takes an encoded slash for a character of a name, so nothing else may take it for a slash. */
    @ParameterizedTest
    @EnumSource
    @Promise("60.6")
    void anEncodedSlashLeadsIntoNoFolder(Site.On engine) throws Exception {
        var guarded = HttpRoutes.none().get("/{path*}", WebFiles.in(root.resolve("sub"))).before(call -> {
            throw new HttpProblem(400, "who are you?");
        });
        try (var site = new Site(engine, HttpRoutes.none().get("/f/{path*}", WebFiles.in(root))
                .get("/r/{path*}", WebResources.beside(WebFilesTest.class, "pages"))
                .under("/f/sub", guarded).under("/r/sub", guarded))) {
            assertThat(site.get("/f/sub/index.html").statusCode()).isEqualTo(400);
            for (var path : List.of("/f/sub%2Findex.html", "/f/sub%2findex.html", "/f/sub%2F",
                    "/r/sub%2Fpage.txt")) {
                assertThat(site.get(path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }

    private void link(String name, Path target) throws IOException {
        try {
            Files.createSymbolicLink(root.resolve(name), target);
        } catch (UnsupportedOperationException e) {
            assumeTrue(false, "no links here");
        }
    }

    @Test
    @Promise("60.6")
    void aLinkInsideTheFolderIsFollowed() throws Exception {
        link("again.txt", root.resolve("ten.txt"));
        link("also", root.resolve("sub"));
        var linked = outside.resolve("linked");
        Files.createSymbolicLink(linked, root);
        try (var site = new Site(Site.On.WEB, HttpRoutes.none().get("/f/{path*}", WebFiles.in(linked)))) {
            assertThat(site.get("/f/again.txt").body()).isEqualTo(TEN);
            assertThat(site.get("/f/also/").body()).isEqualTo("sub index");
        }
    }

    @Test
    @Promise("60.6")
    void aFileThatBecomesShorterIsSeenToBeBroken() throws Exception {
        var file = root.resolve("shrinking");
        try (var site = new Site(Site.On.WEB, HttpRoutes.none().get("/f/{path*}", WebFiles.in(root))
                .before(call -> Files.write(file, new byte[100])) // clients may try again
                .around((call, next) -> {
                    var answer = next.handle(call);
                    Files.write(file, new byte[10]);
                    return answer;
                }))) {
            assertThatThrownBy(() -> site.get("/f/shrinking")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void wrongUseIsNamed() {
        assertThatThrownBy(() -> WebFiles.in(root.resolve("none"))).hasMessageContaining("none");
        assertThatThrownBy(() -> WebFiles.in(root.resolve("ten.txt"))).hasMessageContaining("no folder");
        assertThatThrownBy(() -> WebFiles.in(root).maxAge(Duration.ofSeconds(-1)))
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> WebFiles.in(root).cacheControl("a\r\nb"))
                .hasMessageContaining("Cache-Control");
    }
}
