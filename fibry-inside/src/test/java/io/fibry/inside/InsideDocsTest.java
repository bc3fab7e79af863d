package io.fibry.inside;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module, and about what is to be seen without it. */
public class InsideDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final SSLContext sslContext = tls();

        private Given() {
        }

        private static SSLContext tls() {
            try {
                return SSLContext.getDefault();
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.inside", "java.net");
        blocks.add("inside.md");
        blocks.compile();
        return blocks.runs();
    }
}
