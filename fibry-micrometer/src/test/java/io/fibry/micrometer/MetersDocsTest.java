package io.fibry.micrometer;

import io.fibry.docs.DocBlocks;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class MetersDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        private Given() {
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks =
                new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.measure", "io.fibry.micrometer",
                        "io.micrometer.core.instrument", "io.micrometer.prometheusmetrics");
        blocks.add("meters.md");
        blocks.compile();
        return blocks.runs();
    }
}
