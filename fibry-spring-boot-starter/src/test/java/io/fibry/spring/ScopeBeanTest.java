package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Watchdog;
import io.fibry.dump.LimitUse;
import io.fibry.event.Stopped;
import io.fibry.testing.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ScopeBeanTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FibryAutoConfiguration.class));

    private static Thread threadOf(ActorScope scope) {
        return scope.anonymous().newActorWithReturn((String any) -> Thread.currentThread()).apply("");
    }

    @Test
    @Promise("59.1")
    void aScopeIsThereWithoutAnyProperty() {
        runner.run(context -> {
            var scope = context.getBean(ActorScope.class);
            assertThat(scope.name()).isEqualTo("application");
            assertThat(scope.closeTimeout()).isEqualTo(Duration.ofSeconds(30));
            assertThat(threadOf(scope).isVirtual()).isTrue();
        });
        runner.withPropertyValues("spring.application.name=").run(
                context -> assertThat(context.getBean(ActorScope.class).name()).isEqualTo("application"));
        runner.withPropertyValues("spring.application.name=shop")
                .run(context -> assertThat(context.getBean(ActorScope.class).name()).isEqualTo("shop"));
    }

    @Test
    @Promise("59.1")
    void thePropertiesAreApplied() {
        runner.withPropertyValues("spring.application.name=shop", "fibry.scope.name=till",
                "fibry.scope.strategy=threads",
                "fibry.scope.close-timeout=7s", "fibry.scope.limits.waiting=10", "fibry.scope.limits.asks=11",
                "fibry.scope.limits.running=12", "fibry.scope.limits.block-for=1s").run(context -> {
                    var scope = context.getBean(ActorScope.class);
                    assertThat(scope.name()).isEqualTo("till");
                    assertThat(scope.closeTimeout()).isEqualTo(Duration.ofSeconds(7));
                    assertThat(threadOf(scope).isVirtual()).isFalse();
                    assertThat(scope.dump().scope().limits()).extracting(LimitUse::most)
                            .containsExactlyInAnyOrder(10, 11, 12);
                });
        runner.withPropertyValues("fibry.scope.strategy=pool", "fibry.scope.pool-threads=1")
                .run(context -> assertThat(threadOf(context.getBean(ActorScope.class)).isVirtual())
                        .isFalse());
        runner.withPropertyValues("fibry.scope.strategy=caller").run(context -> assertThat(
                threadOf(context.getBean(ActorScope.class))).isSameAs(Thread.currentThread()));
    }

    @Test
    @Promise("59.1")
    void aWrongPropertyIsNamed() {
        runner.withPropertyValues("fibry.scope.strategy=pool", "fibry.scope.pool-threads=0")
                .run(context -> assertThat(context).getFailure().rootCause()
                        .hasMessage("fibry.scope.pool-threads must be at least 1: 0"));
        runner.withPropertyValues("fibry.scope.strategy=fibers", "fibry.scope.pool-threads=4")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessage(
                        "fibry.scope.pool-threads is 4, but fibry.scope.strategy is fibers: only a pool has a number of threads"));
        for (var part : List.of("scope", "async", "requests")) {
            runner.withPropertyValues("fibry." + part + ".pool-threads=4")
                    .run(context -> assertThat(context).getFailure().rootCause().hasMessage("fibry." + part
                            + ".pool-threads is 4, but fibry." + part
                            + ".strategy is not set: only a pool has a number of threads"));
        }
        runner.withPropertyValues("fibry.scope.strategy=carrier")
                .run(context -> assertThat(context).getFailure()
                        .rootCause().hasMessageContaining("carrier"));
        runner.withPropertyValues("fibry.scope.limits.waiting=0")
                .run(context -> assertThat(context).getFailure()
                        .rootCause().hasMessageContaining("waiting must be at least 1: 0"));
        runner.withPropertyValues("fibry.scope.limits.block-for=1s", "fibry.scope.limits.running=5")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith(
                        "fibry.scope.limits.block-for is PT1S, but neither fibry.scope.limits.waiting nor"));
        runner.withPropertyValues("fibry.scope.watchdog.dumps=stuck")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith(
                        "fibry.scope.watchdog.dumps is stuck, but none of stuck-after, lagging-after and"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        ActorScope mine() {
            return ActorSystem.open("mine");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        private final AtomicInteger stopped = new AtomicInteger();

        @Bean
        AtomicInteger stopped() {
            return stopped;
        }

        @Bean
        CreationStrategy strategy() {
            return CreationStrategy.caller();
        }

        @Bean
        ActorScopeCustomizer counting() {
            return builder -> builder.closeTimeout(Duration.ofSeconds(3)).watchdog(Watchdog.none())
                    .listener(event -> {
                        if (event instanceof Stopped) {
                            stopped.incrementAndGet();
                        }
                    });
        }
    }

    @Test
    @Promise("59.1")
    void aScopeOfTheProgramTakesItsPlace() {
        runner.withUserConfiguration(Own.class).withPropertyValues("fibry.scope.name=other").run(
                context -> assertThat(context.getBean(ActorScope.class).name()).isEqualTo("mine"));
    }

    @Test
    @Promise("59.1")
    void customizersAndAStrategyOfTheProgramAreApplied() {
        runner.withUserConfiguration(Customized.class).run(context -> {
            var scope = context.getBean(ActorScope.class);
            assertThat(scope.closeTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(threadOf(scope)).isSameAs(Thread.currentThread());
            scope.close();
            assertThat(context.getBean(AtomicInteger.class)).hasPositiveValue();
        });
    }

    @Test
    @Promise("59.1")
    void withoutWebServerActuatorAndTheOtherModulesTheScopeIsThere() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(FibryAutoConfiguration.class, FibryAsyncAutoConfiguration.class,
                                FibryRequestAutoConfiguration.class, FibryMeterAutoConfiguration.class,
                                FibryEndpointAutoConfiguration.class, FibryHealthAutoConfiguration.class,
                                FibryInsideAutoConfiguration.class))
                .withPropertyValues("fibry.requests.strategy=fibers")
                .withClassLoader(
                        new FilteredClassLoader("io.fibry.micrometer", "io.fibry.inside", "io.fibry.test",
                                "io.micrometer", "org.apache", "org.springframework.boot.tomcat",
                                "org.springframework.boot.health", "org.springframework.boot.actuate",
                                "org.springframework.web"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(ActorScope.class));
    }

    /** Tomcat would have one thread for all requests. */
    @Test
    @Promise("59.7")
    void requestsDoNotRunOnTheThreadOfOneActor() {
        runner.withConfiguration(AutoConfigurations.of(FibryRequestAutoConfiguration.class))
                .withPropertyValues("fibry.requests.strategy=threads")
                .run(context -> assertThat(context).getFailure().rootCause()
                        .hasMessageStartingWith("fibry.requests.strategy must not be threads"));
    }
}
