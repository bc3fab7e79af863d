package io.fibry.durable;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
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

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.codec", "io.fibry.durable",
                "io.fibry.keyed", "java.nio.file", "java.time", "java.util");
        blocks.add("durable.md");
        blocks.compile();
        return blocks.runs();
    }
}
