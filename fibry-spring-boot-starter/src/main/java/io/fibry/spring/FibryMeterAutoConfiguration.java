package io.fibry.spring;

import io.fibry.measure.MeasureListener;
import io.fibry.micrometer.FibryMeters;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Meters of the scope of the program, in the registry of the context. */
@AutoConfiguration(before = FibryAutoConfiguration.class, afterName = {
    "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
    "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
})
@ConditionalOnClass({FibryMeters.class, MeterRegistry.class})
@ConditionalOnSingleCandidate(MeterRegistry.class)
class FibryMeterAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(MeasureListener.class)
    FibryMeters fibryMeters(MeterRegistry registry) {
        return FibryMeters.of(registry);
    }
}
