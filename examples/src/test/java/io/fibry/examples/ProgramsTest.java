package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples as a user runs them: in a JVM of their own. */
@Timeout(60)
class ProgramsTest {
    private record Ended(int exitCode, String output) {
    }

    private static Process start(String... args) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Examples.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static Ended run(String... args) throws Exception {
        var process = start(args);
        try {
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "Helo;                     there is no example 'Helo'; there are Hello, ",
        "Hello --http-port x;      --http-port wants a number from 0 to 65535, not 'x'",
        "Hello --tcp-port 65536;   --tcp-port wants a number from 0 to 65535, not '65536'",
        "Hello --tcp-port;         --tcp-port wants a number from 0 to 65535, not 'nothing'",
        "Hello --port 1;           unknown argument '--port'"})
    void aBadArgumentIsNamed(String args, String message) throws Exception {
        var ended = run(args.split(" "));

        assertThat(ended.output()).startsWith(message).doesNotContain("\tat ");
        assertThat(ended.exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"http, tcp, HTTP", "tcp, http, TCP"})
    void aPortThatIsTakenIsNamed(String kind, String otherKind, String protocol) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var port = String.valueOf(taken.getLocalPort());

            var ended = run("Hello", "--" + kind + "-port", port, "--" + otherKind + "-port", "0");

            assertThat(ended.output()).isEqualToIgnoringNewLines("cannot serve " + protocol + " on 127.0.0.1:"
                    + port + ": Address already in use. Choose another port with --" + kind
                    + "-port, or 0 for any free one.\n");
            assertThat(ended.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void theListNamesTheExamples() throws Exception {
        assertThat(run("--list").output()).contains("  Hello ", "  RequestReply ", "  Account ", "  Ping ",
                "  OwnStrategy ");
        assertThat(run("list").exitCode()).isZero();
    }

    @Test
    void helloServesUntilItIsToldToEnd() throws Exception {
        var process = start("Hello", "--http-port", "0", "--tcp-port", "0");
        try (var lines = process.inputReader()) {
            assertThat(lines.readLine()).startsWith("HTTP: http://127.0.0.1:");
            var port = Integer.parseInt(lines.readLine().replaceAll("^TCP: +127.0.0.1:([0-9]+) .*", "$1"));
            try (var client = new Raw(port)) {
                client.send(Raw.REQUEST);
                assertThat(client.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);

                process.toHandle().destroy(); // does what Ctrl-C does, and leaves its output open

                assertThat(client.receiveAll()).isEmpty();
            }
            assertThat(lines.lines()).last().isEqualTo("stopped");
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
