package io.fibry.patterns;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.fibry.architecture.MainCode;
import io.fibry.pool.WorkerPool;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The patterns do not depend on each other in a cycle, and take time, chance and threads from the scope around them. */
class PatternsTest {
    private static final Path COMPILED = MainCode.compiled(WorkerPool.class);
    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(COMPILED);
    private static final Set<String> OF_A_SCOPE = Set.of("java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis", "java.lang.Thread.sleep", "java.lang.Thread.ofVirtual",
            "java.lang.Thread.ofPlatform", "java.lang.Thread.startVirtualThread",
            "java.util.concurrent.ThreadLocalRandom.current", "java.lang.Math.random",
            "java.util.concurrent.locks.LockSupport.parkNanos");

    @Test
    void patternsUseEachOtherInOneDirection() {
        slices().matching("io.fibry.(*)").should().beFreeOfCycles().check(CLASSES);
    }

    /** Otherwise no program could use it. */
    @Test
    void eachPatternIsExported() throws IOException {
        assertThat(MainCode.exportedPackages(COMPILED)).isEqualTo(CLASSES.stream()
                .map(JavaClass::getPackageName).filter(name -> !name.isEmpty()).collect(Collectors.toSet()));
    }

    @Test
    void timeChanceAndThreadsAreThoseOfTheScope() {
        assertThat(CLASSES.stream().flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> OF_A_SCOPE.contains(call.getTargetOwner().getName() + "." + call.getName())))
                .isEmpty();
    }

    /** A pattern that is added takes the place of one that is missed less. */
    @Test
    void theWeightDoesNotGrow() throws IOException {
        long lines = 0;
        try (var files = Files.walk(MainCode.SOURCES)) {
            for (var file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                lines += Files.readAllLines(file).size();
            }
        }
        assertThat(lines).isBetween(15_000L, 18_000L);
        assertThat(MainCode.exportedTypes(COMPILED).stream().filter(type -> type.getEnclosingClass() == null))
                .hasSizeBetween(50, 70);
    }

    @Test
    void nothingIsSynchronized() {
        ArchRuleDefinition.noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
    }

    @Test
    void nounsGoWithoutGet() throws IOException {
        assertThat(MainCode.exportedTypes(COMPILED).stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers())).map(Method::getName))
                .noneMatch(name -> name.matches("get[A-Z].*"));
    }
}
