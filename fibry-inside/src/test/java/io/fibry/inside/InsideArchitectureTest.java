package io.fibry.inside;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.testing.Promise;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The module is built on the public API of fibry-core, and makes no thread. */
class InsideArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(compiled());

    private static Path compiled() {
        try {
            return Path.of(Inside.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Promise("54.8")
    @Test
    void nothingRunsByItself() {
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
        noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class).check(CLASSES);
        noClasses().should().callMethod(System.class, "nanoTime").orShould()
                .callMethod(System.class, "currentTimeMillis").check(CLASSES);
    }

    @Test
    void onlyThePublicApiIsUsed() {
        noClasses().should().dependOnClassesThat().resideInAPackage("io.fibry.internal..").check(CLASSES);
        noClasses().should().dependOnClassesThat().resideOutsideOfPackages("java..", "javax.net.ssl..",
                "io.fibry..", "org.jspecify..", "org.slf4j..").check(CLASSES);
    }
}
