package io.fibry.durable;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The module is built on the public API of fibry-core, apart from what it has in common with a cluster, and makes no thread. */
class DurableArchitectureTest {
    @Test
    void onlyThePublicApiIsUsedAndNothingRunsByItself() throws Exception {
        var compiled = Durable.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        var classes = new ClassFileImporter().importPath(Path.of(compiled));
        noClasses().should()
                .dependOnClassesThat(resideInAPackage("io.fibry.internal..")
                        .and(not(resideInAPackage("io.fibry.internal.keyed"))))
                .orShould().dependOnClassesThat().haveSimpleName("Keyed").check(classes);
        noClasses().should().dependOnClassesThat()
                .resideOutsideOfPackages("java..", "javax.sql..", "io.fibry..", "org.slf4j..",
                        "tools.jackson..",
                        "org.jspecify..")
                .check(classes);
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(classes);
    }
}
