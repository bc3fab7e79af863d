package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.Actor;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A method that changes something has a verb as its name, and no simple name of a class is used twice. */
class NamesInCodeTest {
    private static final Path ROOT = Path.of("..");
    private static final Set<String> NOT_SOURCES = Set.of("target", ".git", "test", "resources");

    @Test
    void aMethodThatReturnsNothingIsNoQuestion() throws URISyntaxException {
        var main = Path.of(Actor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        noMethods().that().haveRawReturnType(void.class).should()
                .haveNameMatching("(is|are|has|was|were|does)[A-Z].*")
                .check(new ClassFileImporter().importPath(main));
    }

    /** This holds for the main sources of all modules: the library, the benchmarks, the stress tests and the examples. */
    @Test
    void noSimpleNameIsUsedTwice() throws IOException {
        var seen = new TreeMap<String, List<Path>>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_SOURCES.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                var path = ROOT.relativize(file);
                var name = file.getFileName().toString();
                if (path.toString().replace('\\', '/').contains("src/main/")
                        && name.matches("\\w+\\.(java|kt)")) {
                    seen.computeIfAbsent(name.replaceAll("\\.\\w+", ""), key -> new ArrayList<>()).add(path);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(seen).hasSizeGreaterThan(500).containsKeys("ActorShop", "HttpHelloExperiment",
                "WebListener");
        seen.values().removeIf(paths -> paths.size() == 1);
        assertThat(seen).isEmpty();
    }
}
