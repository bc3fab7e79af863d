package io.fibry.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * A test that runs once for each {@link Strategy}, which is its one parameter. The runs of the build that repeat the tests,
 * without lanes and on another JDK, name the strategies for which that makes a difference in {@code
 * -Dfibry.strategies}, for example {@code FIBERS,CALLER}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(EveryStrategy.OfThisRun.class)
public @interface EveryStrategy {
    /** The strategies that are tested in this JVM. */
    final class OfThisRun implements ArgumentsProvider {
        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            var chosen = System.getProperty("fibry.strategies");
            return (chosen == null
                    ? Arrays.stream(Strategy.values())
                    : Arrays.stream(chosen.split(",")).map(Strategy::valueOf)).map(Arguments::of);
        }
    }
}
