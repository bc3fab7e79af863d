package io.fibry.spring;

import io.fibry.opentelemetry.FibryTracing;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Context and spans of OpenTelemetry that go with the messages of the scope of the program. */
@AutoConfiguration(before = FibryAutoConfiguration.class, afterName = "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration")
@ConditionalOnClass({FibryTracing.class, OpenTelemetry.class})
@ConditionalOnSingleCandidate(OpenTelemetry.class)
class FibryTracingAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    FibryTracing fibryTracing(OpenTelemetry openTelemetry) {
        return FibryTracing.spans(openTelemetry);
    }

    @Bean
    ActorScopeCustomizer fibryTracingCustomizer(FibryTracing tracing) {
        return tracing::on;
    }
}
