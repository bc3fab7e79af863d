package io.fibry.jackson;

import io.fibry.docs.DocBlocks;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class JsonDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final Users users = new Users();

        private Given() {
        }
    }

    public record User(String name) {
    }

    public static final class Users {
        public Optional<User> find(String id) {
            return Optional.of(new User(id));
        }

        public User add(User user) {
            return user;
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks = new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.net", "io.fibry.jackson",
                "java.net", "java.net.http", "java.net.http.HttpRequest", "java.net.http.HttpResponse",
                "java.util",
                "java.util.concurrent", "tools.jackson.databind.json");
        blocks.add("json.md");
        blocks.compile();
        return blocks.runs();
    }
}
