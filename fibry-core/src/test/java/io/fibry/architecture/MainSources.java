package io.fibry.architecture;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The main sources of all modules: the library, the benchmarks, the stress tests and the examples. */
final class MainSources {
    static final Path ROOT = Path.of("..");
    private static final Set<String> OTHER_DIRECTORIES = Set.of("target", ".git", "resources");

    /** A package may be named "test" as well. */
    private static final Path TESTS = Path.of("src", "test");

    private MainSources() {
    }

    /** Returns the files in Java and Kotlin. */
    static List<Path> files() throws IOException {
        return sources(directory -> !directory.endsWith(TESTS), ".*src/(main|threads)/.*\\.(java|kt)");
    }

    /** Returns all files in Java, those of tests as well. */
    static List<Path> withTests() throws IOException {
        return sources(directory -> true, ".*src/.*\\.java");
    }

    /** Returns the files whose paths match. The folders of other files are not entered. */
    private static List<Path> sources(Predicate<Path> entered, String pattern) throws IOException {
        var found = new ArrayList<Path>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return OTHER_DIRECTORIES.contains(directory.getFileName().toString())
                        || !entered.test(directory) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().replace('\\', '/').matches(pattern)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
