package io.fibry.spring;

import io.fibry.ActorScope;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the scopes that are beans. */
@AutoConfiguration(after = FibryAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
class FibryHealthAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = {"fibryHealthIndicator", "fibryHealthContributor"})
    @ConditionalOnEnabledHealthIndicator("fibry")
    HealthIndicator fibryHealthIndicator(ObjectProvider<ActorScope> scopes) {
        return new FibryHealthIndicator(scopes.orderedStream().toList());
    }
}
