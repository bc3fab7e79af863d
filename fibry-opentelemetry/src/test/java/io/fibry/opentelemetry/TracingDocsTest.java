package io.fibry.opentelemetry;

import io.fibry.docs.DocBlocks;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class TracingDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final OpenTelemetry openTelemetry = OpenTelemetrySdk.builder().build();

        private Given() {
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.opentelemetry",
                "io.opentelemetry.api", "io.opentelemetry.api.trace", "io.opentelemetry.context");
        blocks.add("tracing.md");
        blocks.compile();
        return blocks.runs();
    }
}
