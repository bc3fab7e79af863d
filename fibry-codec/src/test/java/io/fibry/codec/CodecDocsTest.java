package io.fibry.codec;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class CodecDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        private Given() {
        }

        /** A root. */
        public sealed interface Event {
            record Deposited(long cents) implements Event {
            }
        }

        public record Note(String text) {
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry.codec", "java.nio.file", "java.time",
                "java.util");
        blocks.add("codec.md");
        blocks.compile();
        return blocks.runs();
    }
}
