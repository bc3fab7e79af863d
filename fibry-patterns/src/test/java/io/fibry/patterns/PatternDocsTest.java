package io.fibry.patterns;

import io.fibry.docs.DocBlocks;
import io.fibry.docs.Given;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the documents that use patterns. */
class PatternDocsTest {
    @TempDir
    private static Path classes;

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.event", "io.fibry.function",
                "io.fibry.net", "io.fibry.message", "io.fibry.time",
                "io.fibry.files", "io.fibry.flow", "io.fibry.fsm", "io.fibry.pool", "io.fibry.topic",
                "io.fibry.work", "java.io", "java.net", "java.net.http",
                "java.net.http.HttpResponse", "java.time", "java.util", "java.util.concurrent",
                "java.util.concurrent.atomic", "java.util.stream", "org.slf4j");
        blocks.add("patterns.md");
        blocks.add("recipes.md");
        blocks.compile();
        return blocks.runs();
    }
}
