package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Watchdog;
import io.fibry.measure.MeasureListener;
import io.fibry.micrometer.FibryMeters;
import io.fibry.opentelemetry.FibryTracing;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ActuatorTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(FibryAutoConfiguration.class, FibryHealthAutoConfiguration.class,
                            FibryEndpointAutoConfiguration.class, FibryMeterAutoConfiguration.class));

    private static Health health(HealthIndicator indicator) {
        return indicator.health();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> stuck(Health health) {
        var scope = (Map<String, Object>) health.getDetails().get("application");
        return (Map<String, String>) scope.get("stuck");
    }

    @Test
    @Promise("59.8")
    void anActorThatIsStuckPutsTheHealthDownUntilItGoesOn() {
        runner.withPropertyValues("fibry.scope.watchdog.stuck-after=50ms").run(context -> {
            var indicator = context.getBean(HealthIndicator.class);
            assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);

            var go = new CountDownLatch(1);
            var scope = context.getBean(ActorScope.class);
            var actor = scope.named("till").newActorWithReturn((String any) -> {
                go.await();
                return 1;
            });
            var answer = actor.sendMessageReturn("tea");
            Waits.until("the health is down", () -> health(indicator).getStatus().equals(Status.DOWN));
            assertThat(stuck(health(indicator)).get("till")).startsWith("works for at least ")
                    .contains(" ms on a java.lang.String, at ");

            go.countDown();
            Waits.on(answer);
            Waits.until("the health is up", () -> health(indicator).getStatus().equals(Status.UP));
            assertThat(stuck(health(indicator))).isEmpty();
        });
    }

    @Test
    @Promise("59.8")
    void anActorThatHasGoneOnToAnotherMessageIsNotStuck() {
        runner.withPropertyValues("fibry.scope.watchdog.stuck-after=50ms").run(context -> {
            var indicator = context.getBean(HealthIndicator.class);
            var first = new CountDownLatch(1);
            var second = new CountDownLatch(1);
            var begun = new CountDownLatch(1);
            var actor = context.getBean(ActorScope.class).named("till").newActor((CountDownLatch each) -> {
                if (each == second) {
                    begun.countDown();
                }
                each.await();
            });
            actor.sendMessage(first);
            Waits.until("the health is down", () -> health(indicator).getStatus().equals(Status.DOWN));
            actor.sendMessage(second);
            first.countDown();
            Waits.on(begun);
            second.countDown(); // it would be stuck again, otherwise
            Waits.until("the health is up", () -> health(indicator).getStatus().equals(Status.UP));
        });
    }

    @Test
    @Promise("59.8")
    void anActorThatIsStuckIsNotTakenForOneOfThatNameInAnotherScope() {
        runner.withPropertyValues("fibry.scope.watchdog.stuck-after=50ms").run(context -> {
            var indicator = context.getBean(HealthIndicator.class);
            var scope = context.getBean(ActorScope.class);
            var begun = new Semaphore(0);
            var go = new Semaphore(0);
            var first = new CountDownLatch(1);
            scope.child("tenant-1").open().named("orders").newActor((Integer n) -> first.await())
                    .sendMessage(1);
            Waits.until("the health is down", () -> health(indicator).getStatus().equals(Status.DOWN));
            var second = scope.child("tenant-2").open().named("orders").newActor((Integer n) -> {
                begun.release();
                go.acquire();
            });
            for (int i = 0; i < 5; i++) { // it always works, and gets on between two looks
                second.sendMessage(i);
                begun.acquire();
                assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
                go.release();
            }
            first.countDown();
            Waits.until("the health is up", () -> health(indicator).getStatus().equals(Status.UP));
        });
    }

    @Test
    @Promise("59.8")
    void aStuckActorPutsTheHealthDownAlsoWhenAnotherScopeIsClosed() {
        runner.withUserConfiguration(TwoScopes.class).run(context -> {
            var indicator = context.getBean(HealthIndicator.class);
            var go = new CountDownLatch(1);
            context.getBean("watched", ActorScope.class).named("till").newActor((String any) -> go.await())
                    .sendMessage("tea");
            Waits.until("the health is down", () -> health(indicator).getStatus().equals(Status.DOWN));
            context.getBean("other", ActorScope.class).close();
            assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
            go.countDown();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoScopes {
        @Bean
        ActorScope watched() {
            return ActorSystem.configure("watched")
                    .watchdog(Watchdog.none().stuckAfter(Duration.ofMillis(50))).open();
        }

        @Bean
        ActorScope other() {
            return ActorSystem.open("other");
        }
    }

    @Test
    @Promise("59.8")
    void scopesOfOneNameHaveTheirDetails() {
        runner.withUserConfiguration(TwoScopes.class)
                .withBean("third", ActorScope.class, () -> ActorSystem.open("watched")).run(context -> {
                    context.getBean("third", ActorScope.class).close();
                    var details = health(context.getBean(HealthIndicator.class)).getDetails().toString();
                    assertThat(details).contains("watched={state=CLOSED", "watched (2)={state=OPEN",
                            "other={state=OPEN");
                });
    }

    @Test
    @Promise("59.8")
    void aClosedScopeIsOutOfService() {
        runner.run(context -> {
            context.getBean(ActorScope.class).close();
            var health = health(context.getBean(HealthIndicator.class));
            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health.getDetails().toString()).contains("state=CLOSED");
        });
        runner.withPropertyValues("management.health.fibry.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    @Promise("59.8")
    void theEndpointIsThereOnlyIfItIsExposed() {
        runner.run(context -> assertThat(context).doesNotHaveBean(FibryEndpoint.class));
        runner.withPropertyValues("management.endpoints.web.exposure.include=fibry")
                .run(context -> assertThat(context).hasSingleBean(FibryEndpoint.class));
        runner.withPropertyValues("management.endpoints.web.exposure.include=*",
                "management.endpoint.fibry.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(FibryEndpoint.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithRegistry {
        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnListener {
        @Bean
        MeasureListener mine() {
            return FibryMeters.of(new SimpleMeterRegistry());
        }
    }

    @Test
    @Promise("59.7")
    void theScopeIsMeasuredInTheRegistryOfTheContext() {
        runner.withUserConfiguration(WithRegistry.class).run(context -> {
            var registry = context.getBean(MeterRegistry.class);
            var actor = context.getBean(ActorScope.class).anonymous().newActorWithReturn((Integer n) -> n);
            actor.apply(1);
            assertThat(registry.get("fibry.actors.live").tag("scope", "application").gauges()).isNotEmpty();
        });
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FibryMeters.class));
        runner.withUserConfiguration(WithRegistry.class, OwnListener.class)
                .run(context -> assertThat(context).hasSingleBean(MeasureListener.class)
                        .doesNotHaveBean("fibryMeters"));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTelemetry {
        @Bean
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Bean
        OpenTelemetry openTelemetry(InMemorySpanExporter exporter) {
            return OpenTelemetrySdk.builder().setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter)).build()).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTracing {
        @Bean
        FibryTracing mine() {
            return FibryTracing.context();
        }
    }

    private static void askInSpan(OpenTelemetry telemetry, ActorScope scope) {
        var request = telemetry.getTracer("test").spanBuilder("request").startSpan();
        var current = request.makeCurrent();
        try {
            scope.named("till").newActorWithReturn((Integer n) -> n).apply(1);
        } finally {
            current.close();
            request.end();
        }
    }

    @Test
    @Promise("59.7")
    void asksOfTheScopeHaveSpansOfTheTelemetryOfTheContext() {
        var tracing = runner.withConfiguration(AutoConfigurations.of(FibryTracingAutoConfiguration.class));
        tracing.withUserConfiguration(WithTelemetry.class).run(context -> {
            var scope = context.getBean(ActorScope.class);
            askInSpan(context.getBean(OpenTelemetry.class), scope);
            var exporter = context.getBean(InMemorySpanExporter.class);
            Waits.until("both spans have ended", () -> exporter.getFinishedSpanItems().size() == 2);
            assertThat(exporter.getFinishedSpanItems()).extracting(SpanData::getName)
                    .containsExactlyInAnyOrder("request", "till");
        });
        tracing.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FibryTracing.class));
        tracing.withUserConfiguration(WithTelemetry.class, OwnTracing.class).run(context -> {
            askInSpan(context.getBean(OpenTelemetry.class), context.getBean(ActorScope.class));
            assertThat(context.getBean(FibryTracing.class)).hasToString("FibryTracing[context]");
            assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
                    .extracting(SpanData::getName).containsExactly("request");
        });
    }
}
