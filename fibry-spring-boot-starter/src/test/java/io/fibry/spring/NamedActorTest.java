package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.testing.Promise;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

class NamedActorTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FibryAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class Actors {
        @Bean
        @NamedActor("twice")
        Actor<Integer, Integer> multiplier(ActorScope scope) {
            return scope.named("twice").newActorWithReturn((Integer n) -> 2 * n);
        }

        @Bean
        Actor<Integer, Integer> thrice(ActorScope scope) {
            return scope.named("thrice").newActorWithReturn((Integer n) -> 3 * n);
        }

        @Bean
        @NamedActor("length")
        Actor<String, Integer> lengths(ActorScope scope) {
            return scope.named("length").newActorWithReturn(String::length);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Uses {
        @Bean
        String result(@NamedActor("twice") Actor<Integer, Integer> twice,
                @NamedActor("thrice") Actor<Integer, Integer> thrice,
                @NamedActor("length") Actor<String, Integer> length) {
            return twice.apply(1) + " " + thrice.apply(1) + " " + length.apply("four");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UsesMissing {
        @Bean
        String result(@NamedActor("ordres") Actor<Integer, Integer> orders) {
            return orders.name();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UsesOtherType {
        @Bean
        String result(@NamedActor("length") Actor<Integer, Integer> length) {
            return length.name();
        }
    }

    @Test
    @Promise("59.9")
    void actorsAreInjectedByNameAndType() {
        runner.withUserConfiguration(Actors.class, Uses.class)
                .run(context -> assertThat(context.getBean(String.class)).isEqualTo("2 3 4"));
        runner.withUserConfiguration(Actors.class, UsesMissing.class)
                .run(context -> assertThat(context).hasFailed());
        runner.withUserConfiguration(Actors.class, UsesOtherType.class)
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    @Promise("59.9")
    void aProgramThatDoesNotStartSaysWhichActorsThereAre() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(FibryAutoConfiguration.class, Actors.class, UsesMissing.class);
            assertThatThrownBy(context::refresh).satisfies(failure -> {
                var analysis = analyzer(context.getBeanFactory()).analyze(failure);
                assertThat(analysis.getDescription()).contains(
                        "There is no actor with the name 'ordres' and the type io.fibry.Actor<java.lang.Integer, java.lang.Integer>",
                        "- 'length', io.fibry.Actor<java.lang.String, java.lang.Integer> (bean 'lengths')",
                        "- 'thrice', io.fibry.Actor<java.lang.Integer, java.lang.Integer> (bean 'thrice')",
                        "- 'twice', io.fibry.Actor<java.lang.Integer, java.lang.Integer> (bean 'multiplier')");
                assertThat(analysis.getAction())
                        .contains("Define a bean with @NamedActor(\"ordres\") of that type");
            });
        }
    }

    @Test
    @Promise("59.9")
    void otherFailuresAreLeftToSpringBoot() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(UsesScope.class);
            assertThatThrownBy(context::refresh)
                    .satisfies(failure -> assertThat(analyzer(context.getBeanFactory()).analyze(failure))
                            .isNull());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UsesScope {
        @Bean
        String result(ActorScope missing) {
            return missing.name();
        }
    }

    /** As Spring Boot finds it. */
    private static FailureAnalyzer analyzer(BeanFactory beans) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, ArgumentResolver.of(BeanFactory.class, beans),
                        FailureHandler.logging(LogFactory.getLog(NamedActorTest.class)))
                .stream().filter(NamedActorFailureAnalyzer.class::isInstance).findFirst().orElseThrow();
    }
}
