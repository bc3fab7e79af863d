package io.fibry.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Requests whose framing or target is not clear, which servers must answer once, with 400, and close the connection.
 * A second request follows each, which must not be answered. The servers have {@code GET /}, {@code POST /read}, which
 * reads its content, and {@code /admin}, which must not be reached.
 */
public final class HttpFraming {
    private static final String HOST = "Host: x\r\n";
    private static final String POST = "POST /read HTTP/1.1\r\n" + HOST;
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String SMUGGLED = "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n";

    /**
     * A request.
     *
     * @param request its bytes, as ISO 8859-1
     */
    public record Row(String request) {
        @Override
        public String toString() {
            var text = new StringBuilder();
            request.chars().forEach(c -> text.append(switch (c) {
                case '\r' -> "\\r";
                case '\n' -> "\\n";
                default -> c < ' ' || c > '~' ? "\\x%02x".formatted(c) : Character.toString(c);
            }));
            return text.toString();
        }
    }

    private HttpFraming() {
    }

    private static Row refused(String request) {
        return new Row(request);
    }

    private static Row line(String line) {
        return refused(line + "\r\n" + HOST + "\r\n");
    }

    private static Row target(String target) {
        return line("GET " + target + " HTTP/1.1");
    }

    private static Row headers(String headers) {
        return refused("GET / HTTP/1.1\r\n" + headers + "\r\n\r\n");
    }

    private static Row content(String headers) {
        return refused(POST + headers + "\r\n\r\nhello");
    }

    private static Row chunks(String chunks) {
        return refused(CHUNKED + chunks);
    }

    /** All of them. */
    public static Stream<Row> rows() {
        return Stream.of(lines(), targets(), headers(), lengths(), chunks()).flatMap(List::stream);
    }

    private static List<Row> lines() {
        return List.of(line("get / HTTP/1.1"), line("Post /read HTTP/1.1"), line("G@T / HTTP/1.1"),
                line("GET  / HTTP/1.1"), line(" GET / HTTP/1.1"), line("GET / HTTP/1.1 "),
                line("GET / HTTP/1.1 x"),
                line("GET\t/\tHTTP/1.1"), line("GET /"), line("GET"), line("GET / HTTP/1.2"),
                line("GET / HTTP/2.0"),
                line("GET / HTTP/2"), line("GET / HTTP/0.9"), line("GET / HTTP/1"), line("GET / HTTP/11"),
                line("GET / HTTP/1.10"), line("GET / HTTP/01.1"), line("GET / http/1.1"),
                line("GET / HTTPS/1.1"),
                line("GET / HTTP/1.1\0"), line("G\0T / HTTP/1.1"), line("/ HTTP/1.1"),
                refused("GET / HTTP/1.1\n" + HOST + "\r\n"), refused("GET / HTTP/1.1\r" + HOST + "\r\n"),
                refused("GET / HTTP/1.1\r\r\n" + HOST + "\r\n"));
    }

    private static List<Row> targets() {
        return List.of(target("//x/admin"), target("//x"), target("///admin"), target("//"),
                target("foo:/admin"),
                target("foo:admin"), target("http:/admin"), target("http:///admin"),
                target("http://y/admin"),
                target("http://x:81/admin"), target("http://u@x/admin"), target("ftp://x/admin"),
                target("http://x//admin"), target("admin"), target("x/admin"),
                target("?admin"), target("*"),
                line("CONNECT x:80 HTTP/1.1"), line("CONNECT / HTTP/1.1"), target("/a/../admin"),
                target("/./admin"),
                target("/admin/."),
                target("/admin/.."), target("/%2e%2e/admin"), target("/%2E/admin"), target("/a%2f..%2fadmin"),
                target("/..%5cadmin"), target("/\\admin"), target("/a/\\../admin"), target("/admin#a"),
                target("#/admin"), target("/%00"), target("/%0d%0aA:b"), target("/%7f"),
                target("/\0admin"),
                target("/\u0001"), target("/%zz"), target("/%"), target("/%2"), target("/%c0%ae"),
                target("/caf\u00e9"), target("/ad|min"), target("/{admin}"), target("/a?b=%z"));
    }

    private static List<Row> headers() {
        return List.of(headers("A: b"), headers("Host: x\r\nHost: y"), headers("Host: x\r\nHost: x"),
                headers("Host: x\r\nhost: x"), headers("Host:"), headers("Host: a b"), headers("Host: u@x"),
                headers("Host: x/y"), headers("Host: x,y"), headers("Host: x#"), headers("Host: x?y"),
                headers("Host: x:99999"), headers("Host: x:"), headers("Host: x:http"), headers("Host: x:+1"),
                headers("Host: :80"), headers("Host: [::1"), headers("Host: ::1"), headers("Host: []"),
                headers("Host: \u00e9"), headers("Host: http://x"), headers("Host : x"), headers(" Host: x"),
                headers("Host: x\r\n: empty"), headers("Host: x\r\nA b: c"), headers("Host: x\r\nA(: c"),
                headers("Host: x\r\nA\0: c"), headers("Host: x\r\n\u00c4: c"), headers("Host: x\r\nA : c"),
                headers("Host: x\r\nA"), headers("Host: x\r\nA: b\0c"), headers("Host: x\r\nA: b\rc"),
                headers("Host: x\r\nA: b\r"), headers("Host: x\r\nA: b\nC: d"),
                headers("Host: x\r\nA: b\u007f"),
                headers("Host: x\r\nA: \u0001"), headers("Host: x\r\nA: b\r\n c"),
                headers("Host: x\r\nA: b\r\n\tc"),
                refused("GET / HTTP/1.1\nHost: x\n\n"),
                refused("GET / HTTP/1.1\r\nHost: x\r\n\n"));
    }

    private static List<Row> lengths() {
        return List.of(content("Content-Length: +5"), content("Content-Length: -5"),
                content("Content-Length: 5x"),
                content("Content-Length: 0x5"), content("Content-Length: 5 5"),
                content("Content-Length: 5, 5"),
                content("Content-Length: 5,"), content("Content-Length:"), content("Content-Length: 5.0"),
                content("Content-Length: 1_0"), content("Content-Length: 5;"),
                content("Content-Length: \"5\""),
                content("Content-Length: \u00b2"), content("Content-Length: 99999999999999999999"),
                content("Content-Length: 18446744073709551621"),
                content("Content-Length: 5\r\nContent-Length: 6"),
                content("Content-Length: 5\r\nContent-Length: 5"), content("Content-Length : 5"),
                content("Content-Length: 5\r\nTransfer-Encoding: chunked"),
                content("Transfer-Encoding: chunked\r\nContent-Length: 5"),
                content("Transfer-Encoding: gzip, chunked"),
                content("Transfer-Encoding: chunked, chunked"),
                content("Transfer-Encoding: chunked, identity"),
                content("Transfer-Encoding: xchunked"),
                content("Transfer-Encoding: identity"), content("Transfer-Encoding: chunked;q=1"),
                content("Transfer-Encoding: \"chunked\""), content("Transfer-Encoding:"),
                content("Transfer-Encoding: \u000bchunked"), content("Transfer-Encoding : chunked"),
                content("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
                content("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
                refused("POST /read HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    }

    private static List<Row> chunks() {
        var end = "\r\nhello\r\n0\r\n\r\n";
        return List.of(chunks("+5" + end), chunks("-5" + end), chunks("0x5" + end), chunks(" 5" + end),
                chunks("5 " + end), chunks("5_" + end), chunks("g" + end), chunks(end), chunks(";a" + end),
                chunks("5,5" + end), chunks("10000000000000005" + end), chunks("ffffffffffffffff" + end),
                chunks("8000000000000000" + end), chunks("7fffffffffffffff1" + end),
                chunks("00000000000000000000000000005" + end), chunks("5\nhello\r\n0\r\n\r\n"),
                chunks("5;a\nb" + end), chunks("5;a\0" + end), chunks("5\r\nhello\n0\r\n\r\n"),
                chunks("5\r\nhello0\r\n\r\n"), chunks("5\r\nhelloX\r\n0\r\n\r\n"),
                chunks("5\r\nhello\r0\r\n\r\n"),
                chunks("5\r\nhello\r\n0\n\r\n"), chunks("5\r\nhello\r\n0\r\nA b: c\r\n\r\n"),
                chunks("5\r\nhello\r\n0\r\nA: b\n\r\n"), chunks("5\r\nhello\r\n0\r\nA: \0\r\n\r\n"),
                chunks("5\r\nhello\r\n0\r\n: b\r\n\r\n"), chunks("5\r\nhello\r\n0\r\nA: b\r\n c\r\n\r\n"),
                chunks("5;" + "a".repeat(100_000) + end));
    }

    /** Requests that are in order, though unusual; each is answered with 200. */
    public static Stream<String> good() {
        return Stream.of("GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET HTTP://X:80/ HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET https://x/ HTTP/1.1\r\nHost: x:443\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
                "GET /?a=b/../c HTTP/1.1\r\nHost: a_b.example-1.com:8080\r\n\r\n",
                "GET / HTTP/1.1\r\nhOST:x\r\nA:\r\nB: \u00e9\t;\r\n\r\n",
                CHUNKED + "5\r\nhello\r\n0\r\n\r\n", CHUNKED + "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n",
                CHUNKED + "00005;a=b;c=\"d\"\r\nhello\r\n000\r\n\r\n",
                POST + "Content-Length: 5\r\n\r\nhello", POST + "Content-Length: 0005\r\n\r\nhello",
                POST + "Transfer-Encoding: Chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
    }

    /** All that a server sends to a client that sends this, and then asks for what it must not get. */
    public static String answers(int port, String request) throws IOException {
        return answersTo(port, request + SMUGGLED);
    }

    /** All that a server sends to a client that sends this and then no more. */
    public static String answersTo(int port, String bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Patience.MILLIS);
            var answers = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                socket.shutdownOutput();
                socket.getInputStream().transferTo(answers);
            } catch (java.net.SocketException reset) {
                // what was read before counts
            }
            return answers.toString(StandardCharsets.ISO_8859_1);
        }
    }

    /** The statuses of answers whose contents do not look like answers. */
    public static List<Integer> statuses(String answers) {
        return java.util.regex.Pattern.compile("HTTP/1\\.1 (\\d{3}) ").matcher(answers).results()
                .map(found -> Integer.valueOf(found.group(1))).toList();
    }
}
