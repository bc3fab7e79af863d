package io.fibry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a program shows whose class path has slf4j-api and nothing else, as README's first snippet may leave it. */
class FirstProgramLogTest {
    private static final String ADVICE = "slf4j has no provider";

    @TempDir
    private Path directory;

    private static Path placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (java.net.URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** What it prints, on both streams. */
    private static String stranger(List<String> options, List<Path> more, String... arguments)
            throws Exception {
        var path = Stream.concat(Stream.of(placeOf(Actor.class), placeOf(LoggerFactory.class),
                placeOf(SilentProvider.class)), more.stream()).map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        var command = new ArrayList<>(options);
        command.addAll(List.of("-cp", path, "io.fibry.logging.StrangerChild"));
        command.addAll(List.of(arguments));
        return Child.tool("java", command);
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    private static void assertVisible(String seen) {
        assertThat(seen).contains("answer 42", "the end",
                "actor 'ledger' failed on a message of java.lang.String",
                "java.lang.IllegalStateException: no book for order 0", "StrangerChild.java",
                "actor 'gone' did not get a message of java.lang.String: STOPPED",
                "org.slf4j:slf4j-simple", "ch.qos.logback:logback-classic");
        assertThat(count(seen, ADVICE)).as("one line of advice in: %s", seen).isOne();
        assertThat(count(seen, "actor 'ledger' failed")).as("once of a kind in: %s", seen).isOne();
        assertThat(count(seen, "actor 'gone' did not get")).as("once of a kind in: %s", seen).isOne();
    }

    @Promise("29.1")
    @Test
    void withoutAProviderFailuresAreSeenOnTheConsole() throws Exception {
        var seen = stranger(List.of(), List.of(), "http");
        assertVisible(seen);
        assertThat(seen).contains("status 500", "failed: GET /boom/0",
                "java.lang.UnsupportedOperationException: no page /boom/0");
        assertThat(count(seen, "failed: GET")).as("once of a kind in: %s", seen).isOne();
    }

    @Promise("29.1")
    @Test
    void withoutTheModuleOfTheJdksLoggingTheyAreSeenAsWell() throws Exception {
        assertVisible(stranger(List.of("--limit-modules", "java.base"), List.of()));
    }

    @Promise("29.1")
    @Test
    void aProviderThatIsToSayNothingIsTakenAtItsWord() throws Exception {
        var services = Files.createDirectories(directory.resolve("META-INF").resolve("services"));
        Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"),
                SilentProvider.class.getName());
        var seen = stranger(List.of(), List.of(directory));
        assertThat(seen).contains("answer 42", "the end").doesNotContain("ledger", ADVICE);
        assertThat(stranger(List.of("-Dslf4j.provider=" + SilentProvider.class.getName()), List.of()))
                .contains("answer 42", "the end").doesNotContain("'ledger'", ADVICE);
    }

    private static final Pattern LOGGER = Pattern.compile("Logs\\.of\\(\"([^\"]+)\"\\)");
    private static final Pattern ROW = Pattern.compile("^\\| `(io\\.fibry[a-z.]*)` \\|", Pattern.MULTILINE);

    @Promise("29.1")
    @Test
    void theLoggersAreThoseOfTheGuide() throws IOException {
        var root = Path.of("").toAbsolutePath().getParent();
        var used = new TreeSet<String>();
        var strangers = new TreeSet<String>();
        for (var module : List.of("fibry-core", "fibry-web")) {
            try (var files = Files.walk(root.resolve(module).resolve(Path.of("src", "main", "java")))) {
                for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    var code = Files.readString(file);
                    LOGGER.matcher(code).results().forEach(match -> used.add(match.group(1)));
                    if (code.contains("LoggerFactory.getLogger(") || code.contains("System.getLogger(")) {
                        strangers.add(file.getFileName().toString());
                    }
                }
            }
        }
        assertThat(strangers).as("where a logger is not asked of Logs").isEqualTo(Set.of("Logs.java"));
        assertThat(ROW.matcher(Files.readString(root.resolve("docs").resolve("guide.md"))).results()
                .map(match -> match.group(1))).as("the rows of docs/guide.md")
                .containsExactlyInAnyOrderElementsOf(used);
    }
}
