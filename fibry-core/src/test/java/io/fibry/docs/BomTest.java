package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM names each module that is published, and no other, in the version of the build. */
class BomTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MANAGED = Pattern
            .compile("<artifactId>(fibry-[^<]+)</artifactId>\\s*<version>\\$\\{project\\.version}</version>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

    @Test
    void theBomNamesTheModulesThatArePublished() throws IOException {
        var published = published().stream()
                .filter(module -> !module.equals("fibry-bom") && !module.startsWith("build/")).toList();
        assertThat(published).contains("fibry-core");
        assertThat(all(MANAGED, read("fibry-bom/pom.xml"))).containsExactlyInAnyOrderElementsOf(published);
    }

    /** {@code mvn install -Dlibrary} builds what users need, and nothing else. */
    @Test
    void theFirstListOfModulesHasThoseThatArePublishedAndTheProfileHasTheRest() throws IOException {
        assertThat(published()).allMatch(BomTest::isPublished);
        assertThat(
                all(MODULE, parts(read("pom.xml"))[1]).stream().filter(module -> module.startsWith("fibry-")))
                .isNotEmpty().noneMatch(BomTest::isPublished);
    }

    @Test
    void theBomHasTheVersionOfTheBuild() throws IOException {
        assertThat(all(VERSION, read("fibry-bom/pom.xml")).getFirst())
                .isEqualTo(all(VERSION, read("build/pins/pom.xml")).getFirst());
    }

    /** What the root's first list of modules names, which each build has; the second one is that of a profile. */
    private static List<String> published() throws IOException {
        return all(MODULE, parts(read("pom.xml"))[0]);
    }

    private static String[] parts(String pom) {
        return pom.split("</modules>", 2);
    }

    private static boolean isPublished(String module) {
        try {
            return !read(module + "/pom.xml").contains("<maven.deploy.skip>true</maven.deploy.skip>");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }
}
