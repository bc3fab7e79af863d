package io.fibry.spring;

import java.util.Objects;
import org.apache.coyote.ProtocolHandler;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatProtocolHandlerCustomizer;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/** Requests of Tomcat on a strategy. */
@AutoConfiguration(after = FibryAutoConfiguration.class)
@ConditionalOnClass({TomcatProtocolHandlerCustomizer.class, ProtocolHandler.class})
@ConditionalOnProperty("fibry.requests.strategy")
class FibryRequestAutoConfiguration {
    @Bean
    TomcatProtocolHandlerCustomizer<ProtocolHandler> fibryRequests(FibryProperties properties) {
        var requests = properties.requests();
        var strategy = Objects.requireNonNull(requests.strategy(), "fibry.requests.strategy has no value");
        if (strategy == StrategyName.THREADS) { // its executors have one thread each, and all requests have one executor
            throw new IllegalArgumentException("fibry.requests.strategy must not be threads: Tomcat has"
                    + " threads of its own; choose fibers or pool, or leave the property out");
        }
        var executor = strategy.asideOf("fibry.requests", requests.poolThreads()).executorFor("requests");
        return protocol -> protocol.setExecutor(executor);
    }

    /** Applies it once more, after Spring Boot has set its own executor for {@code spring.threads.virtual.enabled}. */
    @Bean
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> fibryRequestsLast(
            @Qualifier("fibryRequests") TomcatProtocolHandlerCustomizer<ProtocolHandler> fibryRequests) {
        // A new object, since the factory has the bean itself in its set.
        return tomcat -> tomcat.addProtocolHandlerCustomizers(fibryRequests::customize);
    }
}
