package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BugClassesTest {
    private static final Set<Integer> MAILBOX_ASK_INTERRUPT_ERROR_STOP_NAME_MEMORY = Stream
            .of(IntStream.rangeClosed(1, 8), IntStream.rangeClosed(10, 14), IntStream.rangeClosed(17, 25),
                    IntStream.of(27, 28, 30, 31, 32, 38))
            .flatMap(IntStream::boxed).collect(Collectors.toSet());

    private final JavaClasses tests =
            new ClassFileImporter().importPackages("io.fibry.robust", "io.fibry.internal");

    @Test
    void everyBugClassHasATest() {
        var covered = tests.stream().flatMap(this::marked).collect(Collectors.toSet());

        assertThat(covered).containsAll(MAILBOX_ASK_INTERRUPT_ERROR_STOP_NAME_MEMORY);
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
