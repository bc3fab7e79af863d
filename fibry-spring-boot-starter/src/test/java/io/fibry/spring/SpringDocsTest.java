package io.fibry.spring;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class SpringDocsTest {
    @TempDir
    private static Path classes;

    /** Readers of the document take nothing for granted but imports. */
    public static final class Given {
        private Given() {
        }
    }

    @BeforeAll
    static void serveThisMachineOnly() {
        System.setProperty("server.address", "127.0.0.1");
        System.setProperty("spring.main.banner-mode", "off");
    }

    @AfterAll
    static void restore() {
        System.clearProperty("server.address");
        System.clearProperty("spring.main.banner-mode");
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.time", "io.fibry.spring",
                "io.fibry.spring.test", "java.time", "java.util.concurrent.atomic",
                "org.springframework.boot",
                "org.springframework.boot.autoconfigure", "org.springframework.beans.factory.annotation",
                "org.springframework.context.annotation", "org.springframework.test.context",
                "org.junit.jupiter.api");
        blocks.add("spring.md");
        blocks.compile();
        return blocks.runs();
    }
}
