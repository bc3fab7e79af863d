package io.fibry.inside;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An answer of a server, as it came, to a request that is sent as it is given. */
record Asked(int status, String head, String content) {
    private static final String NOTHING = "";

    static Asked get(Inside inside, String path, String... headers) throws IOException {
        return ask(inside, "GET", path, NOTHING, headers);
    }

    static Asked ask(Inside inside, String method, String path, String content, String... headers)
            throws IOException {
        var head = new StringBuilder(method).append(' ').append(path).append(" HTTP/1.1\r\n");
        var all = String.join("\r\n", headers);
        if (!all.contains("Host:")) {
            head.append("Host: 127.0.0.1:").append(inside.port()).append("\r\n");
        }
        head.append(all).append(all.isEmpty() ? "" : "\r\n").append("Connection: close\r\n");
        if (!content.isEmpty()) {
            head.append("Content-Length: ").append(content.length()).append("\r\n");
        }
        head.append("\r\n").append(content);
        try (var socket = new Socket("127.0.0.1", inside.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.UTF_8));
            var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var end = answer.indexOf("\r\n\r\n");
            return new Asked(Integer.parseInt(answer.substring(9, 12)), answer.substring(0, end),
                    answer.substring(end + 4));
        }
    }

    String header(String name) {
        return head.lines().filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip()).findFirst().orElse("");
    }
}
