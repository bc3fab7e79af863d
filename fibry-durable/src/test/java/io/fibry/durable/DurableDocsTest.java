package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.docs.DocBlocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class DurableDocsTest {
    @TempDir
    private static Path classes;

    @TempDir
    private static Path stores;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final Path folder = stores;

        private Given() {
        }
    }

    /** The table for a person on call has a part of each warning, and no other text. */
    @Test
    void theTableHasEachWarningOfTheLog() throws Exception {
        var rows = texts("`([^`|]+)`", Files.readString(Path.of("../docs/durable.md")).lines()
                .dropWhile(line -> !line.equals("| a line has | what to do |")).skip(2)
                .takeWhile(line -> line.startsWith("|")).map(line -> line.split("\\|")[1])
                .collect(Collectors.joining()));
        assertThat(rows).isNotEmpty();
        var lines = new ArrayList<String>();
        try (var files = Files.list(Path.of("src/main/java/io/fibry/durable"))) {
            for (var file : files.toList()) {
                texts("(?s)LOG\\s*\\.warn\\((.*?)\\);", Files.readString(file)).forEach(call -> lines
                        .add(String.join("",
                                texts("\"(.*?)\"", call.replace("PARKED", '"' + Retries.PARKED + '"')))));
            }
        }
        assertThat(lines).allSatisfy(line -> assertThat(rows).anyMatch(line::contains));
        assertThat(rows).allSatisfy(row -> assertThat(lines).anyMatch(line -> line.contains(row)));
    }

    private static List<String> texts(String pattern, String in) {
        return Pattern.compile(pattern).matcher(in).results().map(found -> found.group(1)).toList();
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.codec", "io.fibry.durable",
                "io.fibry.inside", "io.fibry.keyed", "java.nio.file", "java.time", "java.util");
        blocks.add("durable.md");
        blocks.compile();
        return blocks.runs();
    }
}
