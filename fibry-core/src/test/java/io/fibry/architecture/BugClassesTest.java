package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.BugClass;
import io.fibry.testing.ClassFiles;
import io.fibry.testing.EveryStrategy;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class BugClassesTest {
    private static final Set<Integer> ALL_BUT_TCP = Stream
            .of(IntStream.rangeClosed(1, 32), IntStream.of(38))
            .flatMap(IntStream::boxed).collect(Collectors.toSet());

    private static List<Class<?>> marked() throws Exception {
        return ClassFiles.naming(
                Path.of(BugClassesTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()),
                BugClass.class);
    }

    @Test
    void everyBugClassHasATest() throws Exception {
        assertThat(marked().stream().flatMap(BugClassesTest::numbers).collect(Collectors.toSet()))
                .containsAll(ALL_BUT_TCP);
    }

    @Test
    void aMarkedClassHasTestsInIt() throws Exception {
        assertThat(marked().stream().filter(type -> type.isAnnotationPresent(BugClass.class))).isNotEmpty()
                .allMatch(type -> Arrays.stream(type.getDeclaredMethods()).anyMatch(BugClassesTest::isTest));
    }

    private static Stream<Integer> numbers(Class<?> type) {
        var onType = Optional.ofNullable(type.getAnnotation(BugClass.class)).stream();
        var onMethods = Arrays.stream(type.getDeclaredMethods()).filter(BugClassesTest::isTest)
                .flatMap(method -> Optional.ofNullable(method.getAnnotation(BugClass.class)).stream());
        return Stream.concat(onType, onMethods).flatMapToInt(mark -> Arrays.stream(mark.value())).boxed();
    }

    private static boolean isTest(Method method) {
        return Stream.of(Test.class, ParameterizedTest.class, EveryStrategy.class)
                .anyMatch(method::isAnnotationPresent);
    }
}
