package io.fibry.web;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the documents about this module. */
class WebDocsTest {
    @TempDir
    private static Path classes;

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, WebGiven.class, "io.fibry", "io.fibry.net", "io.fibry.web",
                "java.time", "java.util",
                "java.util.concurrent", "javax.net.ssl");
        blocks.add("web.md");
        blocks.add("sockets.md");
        blocks.compile();
        return blocks.runs();
    }
}
