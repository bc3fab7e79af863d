package io.fibry.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The rules of fibry-core, where they are not the compiler's. */
class WebArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(compiled());

    private static Path compiled() {
        try {
            return Path.of(WebServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nothingIsSynchronizedAndNobodySleepsOrMakesThreads() {
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
        noClasses().should().callMethod(Thread.class, "sleep", long.class).orShould()
                .callMethod(Thread.class, "ofVirtual").orShould().callMethod(Thread.class, "ofPlatform")
                .orShould()
                .callMethod(Thread.class, "startVirtualThread", Runnable.class).check(CLASSES);
        noClasses().should().callMethod(System.class, "nanoTime").orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    @Test
    void theApiNamesNeitherTheEngineNorTheInside() {
        methods().that().arePublic().and().areDeclaredInClassesThat().resideInAPackage("io.fibry.web")
                .should().notHaveRawReturnType(JavaClass.Predicates
                        .resideInAnyPackage("io.helidon..", "io.fibry..internal.."))
                .check(CLASSES);
        noClasses().that().resideInAPackage("io.fibry.web").should().dependOnClassesThat()
                .resideInAPackage("io.helidon..").check(CLASSES);
    }

    @Test
    void noClassIsCalledAfterNothingAndFilesAreSmall() throws IOException {
        noClasses().should().haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Common)").check(CLASSES);
        var sizes = new ArrayList<Long>();
        try (var files = Files.walk(Path.of("src", "main", "java"))) {
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                try (var lines = Files.lines(file)) {
                    sizes.add(lines.count());
                }
            }
        }
        sizes.sort(null);
        assertThat(sizes.getLast()).as("lines of the longest").isLessThanOrEqualTo(500);
        assertThat(sizes.get(sizes.size() / 2)).as("median").isLessThanOrEqualTo(100);
        assertThat(sizes.stream().mapToLong(lines -> lines).sum()).as("all lines").isLessThanOrEqualTo(7_200);
    }
}
