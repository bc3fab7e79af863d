package io.fibry.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The recording that {@code docs/inside.md} shows looks as that of its program does, apart from times and numbers. */
@Tag("once")
class InsidePageTest {
    private static final Path DOCS = Path.of("..", "docs").toAbsolutePath();
    private static final Pattern FIELD = Pattern.compile("^  ([a-zA-Z]+) = (\".*?\")?", Pattern.MULTILINE);
    private static final Pattern NAME =
            Pattern.compile("^ ?(fibry\\.[A-Za-z]+)(?= +\\d| \\{)", Pattern.MULTILINE);

    @Test
    void thePageShowsWhatTheToolsPrint() throws Exception {
        var page = Files.readString(DOCS.resolve("inside.md"));
        var file = Files.createTempFile("fibry", ".jfr");
        try {
            Child.run(SlowMill.class, List.of("-XX:StartFlightRecording:settings=default,settings="
                    + DOCS.resolve("fibry.jfc") + ",filename=" + file));
            var printed = Child.tool("jfr", List.of("print", "--events", "fibry.*", file.toString()));
            var summary = Child.tool("jfr", List.of("summary", file.toString()));
            assertThat(found(FIELD, printed)).containsAll(found(FIELD, page));
            assertThat(found(NAME, printed + summary)).hasSizeGreaterThan(5).containsAll(found(NAME, page));
            if (Runtime.version().feature() >= 25) {
                var header =
                        page.lines().filter(line -> line.startsWith("Start Time")).findFirst().orElseThrow();
                var view = Child.tool("jfr",
                        List.of("view", "--width", "200", "fibry.MessageHandled", file.toString()));
                assertThat(view).contains("stones");
                assertThat(words(view)).containsAll(words(header));
            }
        } finally {
            Files.delete(file);
        }
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group().strip())
                // The thread of the asker or that of the timers notices first that the time of an ask is over.
                .map(each -> each.startsWith("eventThread") ? "eventThread" : each)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> words(String text) {
        return new TreeSet<>(List.of(text.strip().split("\\s+")));
    }
}
