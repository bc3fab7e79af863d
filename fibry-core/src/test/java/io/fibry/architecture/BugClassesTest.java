package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fibry.testing.BugClass;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BugClassesTest {
    private static final Set<Integer> ALL_BUT_TCP = Stream
            .of(IntStream.rangeClosed(1, 32), IntStream.of(38))
            .flatMap(IntStream::boxed).collect(Collectors.toSet());

    private final JavaClasses tests =
            new ClassFileImporter().importPackages("io.fibry");

    @Test
    void everyBugClassHasATest() {
        var covered = tests.stream().flatMap(this::marked).collect(Collectors.toSet());

        assertThat(covered).containsAll(ALL_BUT_TCP);
    }

    @Test
    void aMarkedClassHasTestsInIt() {
        assertThat(tests.stream().filter(c -> c.isAnnotatedWith(BugClass.class)))
                .allMatch(c -> c.getMethods().stream().anyMatch(BugClassesTest::isTest));
    }

    private Stream<Integer> marked(JavaClass type) {
        var onType = type.tryGetAnnotationOfType(BugClass.class).stream();
        var onMethods = type.getMethods().stream().filter(BugClassesTest::isTest)
                .flatMap(m -> m.tryGetAnnotationOfType(BugClass.class).stream());
        return Stream.concat(onType, onMethods).flatMapToInt(mark -> Arrays.stream(mark.value())).boxed();
    }

    private static boolean isTest(JavaMethod method) {
        return Stream.of("Test", "ParameterizedTest", "EveryStrategy")
                .anyMatch(name -> List.copyOf(method.getAnnotations()).stream()
                        .anyMatch(a -> a.getRawType().getSimpleName().equals(name)));
    }
}
