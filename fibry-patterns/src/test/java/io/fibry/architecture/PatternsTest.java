package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The patterns are built on what every program can use: the exported packages and the JDK. Neither the API nor the engine
 * knows of them, and they do not depend on each other in a cycle.
 */
class PatternsTest {
    private static final JavaClasses CLASSES = MainCode.classes();
    private static final Set<String> PATTERNS =
            Set.of("io.fibry.files", "io.fibry.pool", "io.fibry.topic", "io.fibry.flow", "io.fibry.fsm",
                    "io.fibry.work");
    /** Packages that are exported to all modules. */
    private static final Set<String> EXPORTED = exported();

    private static Set<String> exported() {
        try {
            return MainCode.exportedPackages();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static DescribedPredicate<JavaClass> inAPattern() {
        return DescribedPredicate.describe("in a pattern", type -> PATTERNS.contains(type.getPackageName()));
    }

    private static DescribedPredicate<JavaClass> internal() {
        return DescribedPredicate.describe("neither of an exported package nor of the JDK", type -> {
            var name = type.getBaseComponentType().getPackageName();
            return !name.isEmpty() && !name.startsWith("java.") && !name.startsWith("org.jspecify.")
                    && !EXPORTED.contains(name);
        });
    }

    @Test
    void patternsUseExportedPackagesAndTheJdkOnly() {
        noClasses().that(inAPattern()).should().dependOnClassesThat(internal()).allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void nothingElseUsesAPattern() {
        noClasses().that(DescribedPredicate.not(inAPattern())).should().dependOnClassesThat(inAPattern())
                .allowEmptyShould(true).check(CLASSES);
    }

    @Test
    void patternsUseEachOtherInOneDirection() {
        slices().assignedFrom(new SliceAssignment() {
            @Override
            public String getDescription() {
                return "patterns";
            }

            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return PATTERNS.contains(type.getPackageName())
                        ? SliceIdentifier.of(type.getPackageName()) : SliceIdentifier.ignore();
            }
        }).should().beFreeOfCycles().allowEmptyShould(true).check(CLASSES);
    }

    /** Otherwise no program could use it. */
    @Test
    void eachPatternThatIsThereIsExported() {
        var there = CLASSES.stream().map(JavaClass::getPackageName).filter(PATTERNS::contains)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(EXPORTED).containsAll(there);
    }

    /** The predicate can find something. */
    @Test
    void aClassOfTheEngineIsFound() {
        var forbidden = internal();
        assertThat(forbidden.test(CLASSES.get("io.fibry.Actor"))).isFalse();
        assertThat(forbidden.test(CLASSES.get("io.fibry.internal.actor.Cell"))).isTrue();
    }
}
