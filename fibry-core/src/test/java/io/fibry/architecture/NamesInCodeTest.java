package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.Actor;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What changes something has the name of a verb, and no simple name of a class is used twice. */
class NamesInCodeTest {
    private static final List<Path> SOURCES =
            List.of(Path.of("src/main/java"), Path.of("../fibry-web/src/main/java"));

    @Test
    void aMethodThatReturnsNothingIsNoQuestion() throws URISyntaxException {
        var main = Path.of(Actor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        noMethods().that().haveRawReturnType(void.class).should()
                .haveNameMatching("(is|are|has|was|were|does)[A-Z].*")
                .check(new ClassFileImporter().importPath(main));
    }

    @Test
    void noSimpleNameIsUsedTwice() throws IOException {
        var seen = new TreeMap<String, Integer>();
        for (var root : SOURCES) {
            try (var files = Files.walk(root)) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".java") && !name.endsWith("-info.java"))
                        .forEach(name -> seen.merge(name, 1, Integer::sum));
            }
        }
        assertThat(seen).hasSizeGreaterThan(300);
        seen.values().removeIf(count -> count == 1);
        assertThat(seen).isEmpty();
    }
}
