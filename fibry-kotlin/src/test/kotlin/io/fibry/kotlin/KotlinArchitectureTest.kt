package io.fibry.kotlin

import com.tngtech.archunit.core.domain.JavaModifier
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods
import java.nio.file.Path
import org.junit.jupiter.api.Test

/** The module is built on the public API of fibry-core, and makes no thread. */
class KotlinArchitectureTest {
    @Test
    fun `only the public API is used and nothing runs by itself`() {
        val compiled = Path.of(Class.forName("io.fibry.kotlin.Asks").protectionDomain.codeSource.location.toURI())
        val classes = ClassFileImporter().importPath(compiled)
        noClasses().should().dependOnClassesThat().resideInAPackage("io.fibry.internal..").check(classes)
        noClasses().should().dependOnClassesThat()
            .resideOutsideOfPackages("java..", "io.fibry..", "kotlin..", "kotlinx.coroutines..", "org.jetbrains.annotations..").check(classes)
        noClasses().should().dependOnClassesThat().areAssignableTo(Thread::class.java).check(classes)
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(classes)
    }
}
