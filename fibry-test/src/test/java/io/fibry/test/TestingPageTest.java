package io.fibry.test;

import io.fibry.docs.DocBlocks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/testing.md}. */
class TestingPageTest {
    @TempDir
    private static Path classes;
    private static DocBlocks blocks;

    @BeforeAll
    static void compileAll() throws IOException {
        blocks = new DocBlocks(classes, TestingGiven.class, "io.fibry", "java.time", "java.util",
                "java.util.concurrent",
                "java.util.concurrent.atomic");
        blocks.add("testing.md");
        blocks.compile();
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() {
        return blocks.runs();
    }
}
