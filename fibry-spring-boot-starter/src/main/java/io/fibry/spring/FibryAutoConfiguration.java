package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.measure.MeasureListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The scope of the program, and the end of all scopes that are beans. */
@AutoConfiguration
@EnableConfigurationProperties(FibryProperties.class)
class FibryAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ActorScope actorScope(FibryProperties properties,
            @Value("${spring.application.name:}") String applicationName,
            ObjectProvider<CreationStrategy> strategies, ObjectProvider<MeasureListener> measures,
            ObjectProvider<ActorScopeCustomizer> customizers) {
        return new ConfiguredScope(properties.scope()).open(
                applicationName.isBlank() ? "application" : applicationName, strategies, measures,
                customizers);
    }

    @Bean
    static ScopeLifecycle fibryScopeLifecycle(ConfigurableListableBeanFactory beans) {
        return new ScopeLifecycle(beans);
    }
}
