package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Comments of main sources name a subject: a thread, an actor, a caller. Words without one show a translated sentence. */
class CommentsTest {
    private static final Path ROOT = Path.of("..");
    private static final Set<String> NOT_SOURCES = Set.of("target", ".git", "test", "resources");
    private static final Pattern COMMENT = Pattern.compile("^\\s*(?:/?\\*+|//)(.*)|\\s//\\s(.*)");
    private static final Pattern REFUSED = Pattern.compile(
            "\\b(who(m)?ever|nobody|somebody|anybody|everybody|had better|says? so|th(at|is) one's)\\b",
            Pattern.CASE_INSENSITIVE);

    private static boolean isRefused(String line) {
        return !line.contains("// mutant:")
                && COMMENT.matcher(line).results().anyMatch(found -> REFUSED.matcher(found.group()).find());
    }

    @Test
    void eachCommentHasASubject() throws IOException {
        var refused = new ArrayList<String>();
        var read = new ArrayList<Path>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_SOURCES.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().replace('\\', '/').contains("src/main/")
                        && file.toString().matches(".*\\.(java|kt)")) {
                    read.add(file);
                    int number = 0;
                    for (var line : Files.readAllLines(file)) {
                        number++;
                        if (isRefused(line)) {
                            refused.add(ROOT.relativize(file) + ":" + number + ": " + line.strip());
                        }
                    }
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(read).hasSizeGreaterThan(500);
        assertThat(refused).as("comments without a subject; name the thread, the actor or the caller")
                .isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> theRuleSeesComments() {
        return Stream.of(
                DynamicTest.dynamicTest("refused", () -> assertThat(List.of(
                        "    /** Whoever waits goes on. */",
                        "     * the lock, and that one's owner",
                        "        // nobody is told",
                        "        call(); // the builder says so")).allMatch(CommentsTest::isRefused)),
                DynamicTest.dynamicTest("accepted", () -> assertThat(List.of(
                        "        var text = \"nobody is here\";",
                        "        // mutant: nobody-comes-for-the-overflow",
                        "    /** A thread that waits goes on. */")).noneMatch(CommentsTest::isRefused)));
    }
}
