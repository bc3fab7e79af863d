package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.Promise;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms with several parts. */
class MultipartTest {
    private static final String TYPE = "multipart/form-data; boundary=";
    private static final MultipartOptions LIMITS = MultipartOptions.standard().parts(3).partBytes(20_000);

    @TempDir
    private Path folder;

    private HttpRoutes routes() {
        return HttpRoutes.none()
                .post("/form", call -> {
                    var form = Multipart.form(call, LIMITS);
                    var text = new StringBuilder();
                    form.fields().names().forEach(name -> text.append(name).append('=')
                            .append(form.fields().all(name)).append(' '));
                    form.files().forEach(file -> text.append(file.name()).append(':')
                            .append(file.fileName().orElse("-")).append(':').append(file.contentType())
                            .append(':')
                            .append(new String(file.bytes(), StandardCharsets.UTF_8)).append(' '));
                    return HttpAnswer.text(text.toString());
                })
                .post("/names", call -> {
                    var text = new StringBuilder();
                    Multipart.read(call, LIMITS, part -> text.append(part.name()).append(','));
                    return HttpAnswer.text(text.toString());
                })
                .post("/save", call -> {
                    Multipart.read(call, LIMITS, part -> part.saveTo(folder.resolve("saved")));
                    return HttpAnswer.text(Long.toString(Files.size(folder.resolve("saved"))));
                });
    }

    private static String part(String disposition, String content) {
        return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.3")
    void fieldsAndFilesArrive(Site.On engine) throws Exception {
        var content = part("name=\"a\"", "1") + part("name=a", "2 \r\n--bb\r\n--")
                + "--b \t\r\ncontent-disposition: form-data; filename=\"C:\\fakepath\\J\u00f8rgen;.png\";  name=\"f\\\"\"\r\n"
                + "Content-Type: image/png\r\n\r\n\r\n\r\r\n--\r\n--b--\r\nan epilogue";
        try (var site = new Site(engine, routes())) {
            for (var boundary : new String[]{"b", "\"b\"", "b; charset=utf-8"}) {
                var answer = site.ask("POST", "/form", content, "Content-Type", TYPE + boundary);
                if (boundary.equals("b")) {
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400); // --bb begins with the boundary
                }
                answer = site.ask("POST", "/form", content.replace("--bb", "--cb"), "Content-Type",
                        TYPE + boundary);
                assertThat(answer.body()).isEqualTo(
                        "a=[1, 2 \r\n--cb\r\n--] f\":J\u00f8rgen;.png:image/png:\r\n\r\r\n-- ");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Promise("60.3")
    void partsThatAreNotReadAreSkippedAndFilesAreSaved(Site.On engine) throws Exception {
        var content = part("name=a", "x".repeat(19_000)) + part("name=b; filename=\"\"", "") + "--b--";
        try (var site = new Site(engine, routes())) {
            assertThat(site.ask("POST", "/names", content, "Content-Type", TYPE + "b").body())
                    .isEqualTo("a,b,");
            var one = part("name=a", "x".repeat(19_000)) + "--b--";
            assertThat(site.ask("POST", "/save", one, "Content-Type", TYPE + "b").body()).isEqualTo("19000");
            Files.delete(folder.resolve("saved"));
            assertThat(site
                    .ask("POST", "/save", one.replace("xx\r\n--b--", "xx" + "x".repeat(2_000) + "\r\n--b--"),
                            "Content-Type", TYPE + "b")
                    .statusCode()).isEqualTo(413);
            assertThat(folder.resolve("saved")).doesNotExist();
        }
    }

    /** Whatever the bytes are and wherever a piece ends, the content is what was sent. */
    @Test
    @Promise("60.3")
    void contentThatLooksLikeABoundaryIsContent() throws Exception {
        var random = new Random(7);
        try (var site = new Site(Site.On.WEB, routes())) {
            for (var i = 0; i < 50; i++) {
                var text = new StringBuilder();
                while (text.length() < 18_000) {
                    text.append("\r\n--boundary".substring(0, random.nextInt(12)))
                            .append("x".repeat(random.nextInt(i < 25 ? 3 : 400)));
                }
                var content = "--boundary\r\nContent-Disposition: form-data; name=a\r\n\r\n" + text
                        + "\r\n--boundary--\r\n";
                assertThat(site.ask("POST", "/form", content, "Content-Type", TYPE + "boundary").body())
                        .isEqualTo("a=[" + text + "] ");
            }
        }
    }

    /** A form that comes in pieces of a given length, without a server. */
    private record Sent(byte[] content, int piece) implements HttpCall {
        @Override
        public Optional<String> header(String name) {
            return Optional.of(TYPE + "b");
        }

        @Override
        public InputStream body() {
            return new ByteArrayInputStream(content) {
                @Override
                public int read(byte[] bytes, int offset, int length) {
                    return super.read(bytes, offset, Math.min(length, piece));
                }
            };
        }

        @Override
        public String method() {
            return "POST";
        }

        @Override
        public URI uri() {
            return URI.create("/");
        }

        @Override
        public String protocol() {
            return "HTTP/1.1";
        }

        @Override
        public InetSocketAddress remoteAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> headers(String name) {
            return header(name).stream().toList();
        }

        @Override
        public String parameter(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> Optional<T> attribute(Class<T> type) {
            return Optional.empty();
        }

        @Override
        public <T> void put(Class<T> type, T value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] bytes() {
            return content;
        }

        @Override
        public String text() {
            throw new UnsupportedOperationException();
        }
    }

    /** Whatever the content looks like, a reader gets as much at once as has come. */
    @ParameterizedTest
    @ValueSource(strings = {"\r", "\r\n", "\r\n--", "\r\n--\r", "\r\n-\r\n--", "\n", "--b", "x"})
    @Promise("60.3")
    void contentIsReadInLargePieces(String piece) throws Exception {
        var text = piece.repeat(1_000_000 / piece.length());
        var form = (part("name=a; filename=b", text) + "--b--").getBytes(StandardCharsets.UTF_8);
        Multipart.read(new Sent(form, Integer.MAX_VALUE), MultipartOptions.standard(), part -> {
            var reads = 0;
            var read = new ByteArrayOutputStream();
            var bytes = new byte[20_000];
            for (var count = part.content().read(bytes); count >= 0; count = part.content().read(bytes)) {
                read.write(bytes, 0, count);
                reads++;
            }
            assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo(text);
            assertThat(reads).isLessThan(1_000_000 / 16_384 * 2);
        });
        Multipart.read(new Sent(form, Integer.MAX_VALUE), MultipartOptions.standard(), part -> {
            var read = new StringBuilder();
            for (var b = part.content().read(); b >= 0; b = part.content().read()) {
                read.append((char) b);
            }
            assertThat(read.toString()).isEqualTo(text);
        });
        for (var length : new int[]{1, 7, Integer.MAX_VALUE}) {
            var saved = folder.resolve("saved" + length);
            Multipart.read(new Sent(form, length), MultipartOptions.standard(),
                    part -> assertThat(part.saveTo(saved)).isEqualTo(text.length()));
            assertThat(saved).hasBinaryContent(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "415 | text/plain | x",
        "415 | multipart/mixed; boundary=b | --b--",
        "400 | multipart/form-data | --b--",
        "400 | multipart/form-data; boundary= | --b--",
        "400 | multipart/form-data; boundary=a; boundary=b | --b--",
        "400 | multipart/form-data; boundary=\"b | --b--",
        "400 | multipart/form-data; boundary=b@ | --b@--",
        "400 | multipart/form-data; boundary=b | ~",
        "400 | multipart/form-data; boundary=b | --b",
        "400 | multipart/form-data; boundary=b | --b-",
        "400 | multipart/form-data; boundary=b | --b-x",
        "400 | multipart/form-data; boundary=b | --b~~1",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=a",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=a~~1",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=a~~1~--b",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: attachment; name=a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=a; name=b~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=\"a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=\"a\"x~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; =a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content Disposition: form-data; name=a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data;~ name=a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~A: 1~A: 2~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~Content-Disposition: form-data; name=a~Content-Transfer-Encoding: base64~~1~--b--",
        "400 | multipart/form-data; boundary=b | --bContent-Disposition: form-data; name=a~~1~--b--",
        "400 | multipart/form-data; boundary=b | --b~no colon~~1~--b--",
        "200 | multipart/form-data; boundary=b | ~~--b--",
        "200 | Multipart/Form-Data; Boundary=b | a preamble~--b--"})
    @Promise("60.3")
    void whatIsNotWellFormedIsRefused(int status, String type, String content) throws Exception {
        try (var site = new Site(Site.On.WEB, routes())) {
            var answer = site.ask("POST", "/form", content.replace("~", "\r\n"), "Content-Type", type);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"parts", "part", "headers", "control", "encoding", "preamble", "all", "many"})
    @Promise("60.3")
    void whatIsTooMuchIsRefused(String what) throws Exception {
        var content = switch (what) {
            case "parts" -> part("name=a", "").repeat(4);
            case "part" -> part("name=a", "x".repeat(20_001));
            case "headers" -> part("name=" + "x".repeat(8_200), "");
            case "control" -> part("name=\"\t\u0001\"", "");
            case "encoding" -> part("name=~", "");
            case "preamble" -> "x".repeat(2_000) + "\r\n" + part("name=a", "");
            case "many" -> "--b\r\n" + "A%d: 1\r\n".repeat(30);
            default -> part("name=a", "x".repeat(150_000));
        };
        var status = switch (what) {
            case "parts", "part", "all" -> 413;
            default -> 400;
        };
        try (var site = new Site(Site.On.WEB, routes())) {
            var request = ("POST /form HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: " + TYPE
                    + "b\r\nContent-Length: " + (content.length() + 5) + "\r\n\r\n" + content + "--b--")
                    .replace("~", "\u00ff");
            assertThat(site.raw(request)).startsWith("HTTP/1.1 " + status + " ");
        }
    }

    @ParameterizedTest
    @CsvSource({"a.png,a.png", "/etc/passwd,passwd", "C:\\x\\y.txt,y.txt", "..,-", "a/..,-", "'',-", "x/,-",
        ".,-",
        ".htaccess,.htaccess"})
    @Promise("60.3")
    void theNameOfAFileHasNoFolders(String stated, String name) throws Exception {
        try (var site = new Site(Site.On.WEB, routes())) {
            assertThat(site.ask("POST", "/form", part("name=f; filename=\"" + stated + "\"", "x") + "--b--",
                    "Content-Type", TYPE + "b").body()).isEqualTo("f:" + name + ":text/plain:x ");
        }
    }

    @Test
    void wrongUseIsNamed() {
        assertThatThrownBy(() -> LIMITS.parts(0)).hasMessageContaining("parts must be at least 1: 0");
        assertThatThrownBy(() -> LIMITS.partBytes(-1)).hasMessageContaining("-1");
    }
}
