package io.fibry.spring.test;

import io.fibry.spring.ActorScopeCustomizer;
import io.fibry.time.ManualTime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** A clock that stands still. Only {@link FibryTest} imports it. */
@AutoConfiguration(beforeName = "io.fibry.spring.FibryAutoConfiguration")
class FibryTestAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ManualTime manualTime() {
        return new ManualTime();
    }

    @Bean
    ActorScopeCustomizer fibryTestTime(ManualTime time) {
        return builder -> builder.time(time);
    }
}
