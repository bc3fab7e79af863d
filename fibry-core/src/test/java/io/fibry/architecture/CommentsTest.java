package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Comments of main sources name a subject: a thread, an actor, a caller. Words without one show a translated sentence. */
class CommentsTest {
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
        var files = MainSources.files();
        assertThat(files).hasSizeGreaterThan(500);
        var refused = new ArrayList<String>();
        for (var file : files) {
            int number = 0;
            for (var line : Files.readAllLines(file)) {
                number++;
                if (isRefused(line)) {
                    refused.add(MainSources.ROOT.relativize(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        assertThat(refused).as("comments without a subject; name the thread, the actor or the caller")
                .isEmpty();
    }

    @Test
    void aWordWithoutASubjectIsRefused() {
        assertThat(List.of(
                "    /** Whoever waits goes on. */",
                "     * the lock, and that one's owner",
                "        // nobody is told",
                "        call(); // the builder says so")).allMatch(CommentsTest::isRefused);
    }

    @Test
    void codeAndIdsOfMutantsAreNoComments() {
        assertThat(List.of(
                "        var text = \"nobody is here\";",
                "        // mutant: nobody-comes-for-the-overflow",
                "    /** A thread that waits goes on. */")).noneMatch(CommentsTest::isRefused);
    }
}
