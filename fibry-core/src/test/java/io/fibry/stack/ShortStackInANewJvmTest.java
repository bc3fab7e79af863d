package io.fibry.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The sweeps of {@link ShortStackTest}, each as the first thing that its JVM does. A class that is used for the first time
 * near the end of a stack fails to load, or stays unusable for ever, if the engine has not loaded it before. In a JVM that
 * has run other tests such a class is there already.
 */
@Tag("thorough")
class ShortStackInANewJvmTest {
    static Stream<String> sweeps() {
        return Arrays.stream(ShortStackTest.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(EveryStrategy.class)).map(Method::getName)
                .sorted();
    }

    @Promise("10.3")
    @ParameterizedTest
    @MethodSource("sweeps")
    void theFirstUseOfAnActor(String sweep) throws Exception {
        for (var strategy : List.of(Strategy.FIBERS, Strategy.THREADS, Strategy.CALLER)) {
            assertThat(Child.run(Sweep.class, List.of("-ea"), sweep, strategy.name())).contains("swept");
        }
    }

    /** Runs one sweep. */
    static final class Sweep {
        public static void main(String[] arguments) throws Throwable {
            var sweep = ShortStackTest.class.getDeclaredMethod(arguments[0], Strategy.class);
            try {
                sweep.invoke(new ShortStackTest(), Strategy.valueOf(arguments[1]));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            System.out.println("swept");
            System.exit(0);
        }
    }
}
