package io.fibry.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Workers for tests. */
public final class Lines {
    private Lines() {
    }

    static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    static void write(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Answers each line with itself. */
    public static void echo(Socket socket) throws IOException {
        var in = reader(socket);
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            write(socket, line);
        }
    }
}
