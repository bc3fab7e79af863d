package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.net.HttpRoutes;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Autobahn's test suite, of web sockets, with a part of its cases of compression. It comes from PyPI and needs Python 2.7: that on
 * the PATH or of pyenv, or what the environment variable {@code FIBRY_PYTHON2} names. Part of the thorough build:
 * {@code mvn -B verify -Pthorough}.
 */
@Tag("thorough")
class AutobahnTest {
    private static final String SUITE = "autobahntestsuite==25.10.1";
    private static final String VIRTUALENV = "virtualenv==20.15.1";
    private static final int CASES = 301;
    /** Without 13.3 and 13.5, which ask for a window of 9 bits alone: Java has one of 15 bits, so nothing is agreed on. */
    private static final List<String> COMPRESSED_GROUPS =
            List.of("12.1", "12.2", "12.3", "12.4", "12.5", "13.1", "13.2", "13.4", "13.6", "13.7");
    /** Messages of 16 to 8,192 bytes, and fragments. */
    private static final List<Integer> COMPRESSED = List.of(1, 2, 3, 4, 5, 6, 11);
    private static final int MESSAGE_BYTES = 1 << 25;
    private static final Pattern CASE = Pattern.compile("\"(\\d+\\.\\d+(?:\\.\\d+)?)\":\\s*\\{([^}]*)}");
    private static final Pattern BEHAVIOR = Pattern.compile("\"behavior\":\\s*\"([^\"]*)\"");
    private static final Pattern CLOSE = Pattern.compile("\"behaviorClose\":\\s*\"([^\"]*)\"");

    private static String python() throws Exception {
        var named = System.getenv("FIBRY_PYTHON2");
        if (named != null) {
            return named;
        }
        var onPath = Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(Path::of)
                .filter(folder -> !folder.endsWith("shims")).map(folder -> folder.resolve("python2.7"));
        return Stream.concat(onPath, ofPyenv()).filter(Files::isExecutable).findFirst()
                .map(Path::toString)
                .orElseThrow(() -> new AssertionError("Autobahn's test suite needs Python 2.7, which"
                        + " is neither on the PATH nor among pyenv's; install it, or set FIBRY_PYTHON2 to it"));
    }

    private static Stream<Path> ofPyenv() throws Exception {
        var root = Optional.ofNullable(System.getenv("PYENV_ROOT")).map(Path::of)
                .orElse(Path.of(System.getProperty("user.home"), ".pyenv")).resolve("versions");
        if (!Files.isDirectory(root)) {
            return Stream.empty();
        }
        try (var versions = Files.list(root)) {
            return versions.map(version -> version.resolve("bin/python2.7")).toList().stream();
        }
    }

    private static Path suite(Path folder) throws Exception {
        var suite = folder.resolve("python/bin/wstest");
        if (!Files.isExecutable(suite)) {
            var python = python();
            var virtualenv = folder.resolve("virtualenv");
            Suite.fetch(
                    List.of(python, "-m", "pip", "install", "--target", virtualenv.toString(), "--upgrade",
                            VIRTUALENV),
                    Map.of(), folder.resolve("fetch-virtualenv.log"));
            Suite.fetch(List.of(python, "-m", "virtualenv", folder.resolve("python").toString()),
                    Map.of("PYTHONPATH", virtualenv.toString()), folder.resolve("make-virtualenv.log"));
            Suite.fetch(List.of(folder.resolve("python/bin/pip").toString(), "install", SUITE), Map.of(),
                    folder.resolve("fetch.log"));
        }
        return suite;
    }

    private static WebSocketHandler echo() {
        return new WebSocketHandler() {
            @Override
            public void text(WebSocket socket, String text) {
                socket.send(text);
            }

            @Override
            public void binary(WebSocket socket, byte[] bytes) {
                socket.send(bytes);
            }
        };
    }

    @Timeout(1_200)
    @Test
    void noCaseFails() throws Exception {
        var behaviors = behaviors("all", "[\"*\"]", "[\"12.*\", \"13.*\"]", WebSocketOptions.standard());
        assertThat(behaviors.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(CASES);
        assertThat(behaviors.getOrDefault("NON-STRICT", 0)).isLessThanOrEqualTo(2);
    }

    /** A part of the cases of compression: each has a thousand messages, and the longest take the suite minutes. */
    @Timeout(1_200)
    @Test
    void noCaseOfCompressionFails() throws Exception {
        var cases = COMPRESSED_GROUPS.stream()
                .flatMap(group -> COMPRESSED.stream().map(each -> "\"" + group + "." + each + "\"")).toList();
        var behaviors = behaviors("compressed", cases.toString(), "[]",
                WebSocketOptions.standard()
                        .deflate(WebSocketDeflate.standard().leastBytes(1).keepsContext(true)));
        assertThat(behaviors.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(cases.size());
        assertThat(behaviors).doesNotContainKey("NON-STRICT");
    }

    private static Map<String, Integer> behaviors(String name, String cases, String excluded,
            WebSocketOptions options)
            throws Exception {
        var folder = Suite.folder("autobahn");
        var suite = suite(folder);
        var reports = folder.resolve(name);
        try (var scope = ActorSystem.open("autobahn")) {
            var route = WebSocketRoute.of(echo()).with(options.messageBytes(MESSAGE_BYTES));
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                    HttpRoutes.none().get("/", route));
            var spec = Files.writeString(folder.resolve(name + ".json"), """
                    {"outdir": "%s", "servers": [{"agent": "fibry", "url": "ws://127.0.0.1:%d/"}],
                     "cases": %s, "exclude-cases": %s, "exclude-agent-cases": {}}
                    """.formatted(reports, server.port(), cases, excluded));
            Suite.run(List.of(suite.toString(), "-m", "fuzzingclient", "-s", spec.toString()), Map.of(),
                    folder.resolve(name + ".log"), 15);
        }
        var behaviors = new HashMap<String, Integer>();
        for (var found : CASE.matcher(Files.readString(reports.resolve("index.json"))).results().toList()) {
            var behavior = value(BEHAVIOR, found.group(2));
            behaviors.merge(behavior, 1, Integer::sum);
            assertThat(behavior).as("case " + found.group(1)).isIn("OK", "INFORMATIONAL", "NON-STRICT");
            assertThat(value(CLOSE, found.group(2))).as("end of case " + found.group(1)).isIn("OK",
                    "INFORMATIONAL");
        }
        System.out.println("Autobahn: " + name + ": " + behaviors);
        return behaviors;
    }

    private static String value(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        return found.find() ? found.group(1) : "";
    }
}
