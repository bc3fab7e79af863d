package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import io.fibry.testing.PromiseCoverage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PromiseCoverageTest {
    @Test
    void everySentenceHasATestAndEveryTestASentence() throws Exception {
        assertThat(PromiseCoverage.faults("fibry-core", getClass())).as("see docs/semantics*.md").isEmpty();
    }

    @Test
    void noNumberOfAPromiseThatWentIsUsedAgain() throws Exception {
        var retired = new HashSet<String>();
        for (var line : Files.readAllLines(Path.of("src", "test", "resources", "retired-promises.txt"))) {
            if (!line.startsWith("#")) {
                var section = line.split(": ");
                Stream.of(section[1].split(" ")).forEach(number -> retired.add(section[0] + "." + number));
            }
        }
        assertThat(retired).hasSizeGreaterThan(390);
        for (var page : PromiseCoverage.pages()) {
            assertThat(PromiseCoverage.sentences(Files.readString(page))).as(page.toString()).isNotEmpty()
                    .doesNotContainAnyElementsOf(retired);
        }
    }

    /** A user reads them: a promise more is one that nobody finds. */
    @Test
    void thereAreAtMost350PromisesOfFortyWords() throws Exception {
        int promises = 0;
        for (var page : PromiseCoverage.pages()) {
            for (var line : Files.readAllLines(page)) {
                if (line.startsWith("- **")) {
                    promises++;
                    assertThat(line.substring(line.indexOf("** ") + 3).split("\\s+")).as(line)
                            .hasSizeLessThanOrEqualTo(40);
                }
            }
        }
        assertThat(promises).isBetween(300, 350);
    }

    @Test
    void everyModuleThatOwnsASectionIsThere() throws Exception {
        var modules = new HashSet<String>();
        for (var page : PromiseCoverage.pages()) {
            modules.addAll(PromiseCoverage.modules(Files.readString(page)));
        }
        assertThat(modules).contains("fibry-patterns", "fibry-durable", "fibry-cluster", "fibry-web")
                .allMatch(module -> Files.exists(Path.of("..", module, "pom.xml")));
    }

    @Test
    void sectionsOfOtherModulesAreTheirs() {
        var page = """
                ## 1. Ours
                - **1.1** First.
                ## 2. Theirs (fibry-other)
                - **2.1** Second.
                ## 3. Ours (again)
                - **3.1** Third.
                """;
        assertThat(PromiseCoverage.sentences(page, "fibry-core")).containsExactly("1.1", "3.1");
        assertThat(PromiseCoverage.sentences(page, "fibry-other")).containsExactly("2.1");
    }

    @Test
    void sectionsBelongToTheModuleOfTheirPage() {
        var page = """
                # What others promise (fibry-other)
                ## 1. Ours
                - **1.1** First.
                ## 2. Theirs (fibry-third)
                - **2.1** Second.
                """;
        assertThat(PromiseCoverage.sentences(page, "fibry-core")).isEmpty();
        assertThat(PromiseCoverage.sentences(page, "fibry-other")).containsExactly("1.1");
        assertThat(PromiseCoverage.sentences(page, "fibry-third")).containsExactly("2.1");
    }

    @Test
    void numbersAreReadFromThePage() {
        assertThat(PromiseCoverage.sentences("""
                ## A section
                - **1.1** First.
                - **12.34** Second, not **5.6**
                text - **7.8** neither
                """, "fibry-core")).containsExactly("1.1", "12.34");
    }

    @Test
    void aSentenceWithoutATestIsAFault() {
        assertThat(PromiseCoverage.faults(List.of("1.1", "1.2"), Set.of("1.1")))
                .containsExactly("no test carries @Promise(\"1.2\")");
    }

    @Test
    void aNumberWithoutASentenceIsAFault() {
        assertThat(PromiseCoverage.faults(List.of("1.1"), Set.of("1.1", "9.9"))).singleElement().asString()
                .contains("9.9", "docs/semantics*.md");
    }

    @Test
    void anEmptyPageAndARepeatedNumberAreFaults() {
        assertThat(PromiseCoverage.faults(List.of(), Set.of())).hasSize(1);
        assertThat(PromiseCoverage.faults(List.of("1.1", "1.1"), Set.of("1.1"))).hasSize(1);
    }

    /** Not run: it is looked at. The numbers are those of real sentences. */
    @Promise("1.1")
    private static final class Looked {
        @Promise({"2.1", "3.1"})
        void first() {
        }

        void second() {
        }
    }

    @Test
    void numbersOfClassesAndMethodsAreFound() {
        assertThat(PromiseCoverage.proved(Looked.class)).containsExactly("1.1", "2.1", "3.1");
    }
}
