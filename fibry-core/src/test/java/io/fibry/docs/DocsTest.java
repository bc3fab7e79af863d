package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of all documents about this module. README and the guide are tested with the examples. */
class DocsTest {
    /** Tested where what they are about is on the class path. */
    private static final Set<String> ELSEWHERE =
            Set.of("cluster.md", "codec.md", "durable.md", "guide.md", "inside.md", "install.md", "json.md",
                    "kotlin.md",
                    "meters.md", "patterns.md", "recipes.md", "sockets.md", "spring.md", "testing.md",
                    "tracing.md",
                    "web.md");

    @TempDir
    private static Path classes;
    private static DocBlocks blocks;

    private static Stream<String> documents() throws IOException {
        try (var files = Files.list(DocBlocks.FOLDER)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".md"))
                    .filter(name -> !ELSEWHERE.contains(name)).sorted().toList().stream();
        }
    }

    @BeforeAll
    static void compileAll() throws IOException {
        assumeTrue(ToolProvider.getSystemJavaCompiler() != null, "this Java has no compiler");
        blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.event", "io.fibry.function",
                "io.fibry.net",
                "io.fibry.message",
                "io.fibry.time",
                "java.io", "java.net", "java.net.http",
                "java.net.http.HttpResponse", "java.time", "java.util", "java.util.concurrent",
                "java.util.concurrent.atomic",
                "org.slf4j");
        for (var document : documents().toList()) {
            blocks.add(document);
        }
        blocks.compile();
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() {
        return blocks.runs();
    }

    @Test
    void allDocumentsAreThere() throws IOException {
        assertThat(documents()).contains("context.md", "deadlines.md", "net.md", "overload.md",
                "supervision.md",
                "time.md");
    }
}
