package io.fibry.cluster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.cluster.engine.ClusterEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClusterArchitectureTest {
    @Test
    void streamsKnowNoHomesAndStateMachinesKnowNeitherThreadsNorClocks() throws Exception {
        var compiled = ClusterEngine.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        var classes = new ClassFileImporter().importPath(Path.of(compiled));
        noClasses().that().resideInAPackage("..stream..").should().dependOnClassesThat()
                .resideInAPackage("..home..")
                .check(classes);
        noClasses().that().resideInAnyPackage("..stream..", "..home..").should().dependOnClassesThat()
                .resideInAnyPackage("java.util.concurrent..", "java.time..", "java.net..",
                        "io.fibry.internal..")
                .orShould().dependOnClassesThat().areAssignableTo(Thread.class).check(classes);
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(classes);
    }
}
