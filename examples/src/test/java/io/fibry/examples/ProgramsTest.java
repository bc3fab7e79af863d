package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples as a user runs them: in a JVM of their own. */
@Timeout(120)
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
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "helo;                       there is no example 'helo'; there are servers, hello, ",
        "servers --port x;      --port wants a number from 0 to 65535, not 'x'",
        "servers --tcp-port 65536;   --tcp-port wants a number from 0 to 65535, not '65536'",
        "http-hello --port;          --port wants a value",
        "hello --port 1;             unknown argument '--port'"})
    void aBadArgumentIsNamed(String args, String message) throws Exception {
        var ended = run(args.split(" "));

        assertThat(ended.output()).startsWith(message).doesNotContain("\tat ");
        assertThat(ended.exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-hello", "tcp-hello", "devices"})
    void aPortThatIsTakenIsNamed(String example) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var port = String.valueOf(taken.getLocalPort());

            var ended = run(example, "devices".equals(example) ? "--device-port" : "--port", port);

            assertThat(ended.output()).contains("cannot listen on ", "127.0.0.1:" + port
                    + ": Address already in use", "choose another port, or 0 for any free one");
            assertThat(ended.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void theListNamesTheExamplesAndEachExplainsItself() throws Exception {
        var list = run("--list").output();

        assertThat(list).contains("  hello ", "  http-hello ", "  devices ", "-Dexample=...");
        assertThat(run("list").exitCode()).isZero();
        var help = run("http-hello", "--help");
        assertThat(help.output()).contains("--port ", "(8080)");
        assertThat(help.exitCode()).isZero();
    }

    @Test
    void anExampleShowsItsActorsOnAPage() throws Exception {
        var process = start("http-hello", "--inside", "--port", "0");
        try (var lines = process.inputReader(); var client = HttpClient.newHttpClient()) {
            var first = lines.readLine();
            assertThat(first).startsWith("look inside: http://127.0.0.1:");
            while (!lines.readLine().equals("Ctrl-C stops it.")) {
                // the rest of what it says
            }
            var page = URI.create(first.substring("look inside: ".length()));
            assertThat(
                    client.send(HttpRequest.newBuilder(page.resolve("/now")).build(), BodyHandlers.ofString())
                            .body())
                    .contains("\"http-hello\"");
        } finally {
            process.destroyForcibly();
        }
        var ended = run("hello", "--inside");
        assertThat(ended.output()).startsWith("look inside: ");
        assertThat(ended.exitCode()).isZero();
    }

    @Test
    void serversServeUntilTheyAreToldToEnd() throws Exception {
        var process = start("servers", "--port", "0", "--tcp-port", "0");
        try (var lines = process.inputReader()) {
            assertThat(lines.readLine()).startsWith("HTTP: http://127.0.0.1:");
            var port = Integer.parseInt(lines.readLine().replaceAll("^TCP: +127.0.0.1:([0-9]+) .*", "$1"));
            while (!lines.readLine().equals("Ctrl-C stops it.")) {
                // the rest of what it says
            }
            try (var client = new Raw(port)) {
                client.send(Raw.REQUEST);
                assertThat(client.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);

                process.toHandle().destroy(); // does what Ctrl-C does, and leaves its output open

                assertThat(client.receiveAll()).isEmpty();
            }
            assertThat(lines.lines()).last().isEqualTo("stopped");
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Five thousand names of one file: more than anybody reads until the end comes. */
    @Test
    void ctrlCEndsThePipelineAndNothingIsHalfWritten(@TempDir Path folder) throws Exception {
        var sales = Files.createDirectory(folder.resolve("sales"));
        var data = Files.writeString(folder.resolve("data"), "Porto;12\n".repeat(200_000));
        for (int i = 0; i < 5_000; i++) {
            Files.createSymbolicLink(sales.resolve("sales-" + i), data);
        }
        var out = Files.createDirectory(folder.resolve("out"));
        var process =
                start("pipeline", "--folder", sales.toString(), "--out", out.resolve("sums.csv").toString());
        try (var said = process.inputReader()) {
            while (said.read() != '%') {
                // until it draws
            }
            process.toHandle().destroy();

            assertThat(said.lines()).last()
                    .isEqualTo("cancelled; nothing was written to " + out.resolve("sums.csv"));
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(out).isEmptyDirectory();
    }
}
