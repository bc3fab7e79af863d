package io.fibry;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Editors show Kotlin's users the names that class files have, and Spring and others bind by them. */
class ParameterNamesTest {
    @Test
    void theClassFilesHaveThem() throws ReflectiveOperationException {
        assertThat(Actor.class.getMethod("sendMessage", Object.class).getParameters())
                .extracting(Parameter::getName)
                .containsExactly("message");
        assertThat(Stream.of(Actor.class, ActorScope.class, ActorBuilder.class, Stereotypes.class)
                .flatMap(type -> Stream.of(type.getDeclaredMethods())).filter(method -> !method.isSynthetic())
                .flatMap(ParameterNamesTest::parameters)).allMatch(Parameter::isNamePresent);
    }

    private static Stream<Parameter> parameters(Method method) {
        return Stream.of(method.getParameters());
    }
}
