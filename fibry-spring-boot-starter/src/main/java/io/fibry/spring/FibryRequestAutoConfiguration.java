package io.fibry.spring;

import java.util.Objects;
import org.apache.coyote.ProtocolHandler;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/** Requests of Tomcat on a strategy. */
@AutoConfiguration(after = FibryAutoConfiguration.class)
@ConditionalOnClass({ConfigurableTomcatWebServerFactory.class, ProtocolHandler.class})
@ConditionalOnProperty("fibry.requests.strategy")
class FibryRequestAutoConfiguration {
    /** It has no order, so it comes after the one by which Spring Boot sets its own executor for virtual threads. */
    @Bean
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> fibryRequests(FibryProperties properties) {
        var requests = properties.requests();
        var strategy = Objects.requireNonNull(requests.strategy(), "fibry.requests.strategy has no value");
        if (strategy == StrategyName.THREADS) { // its executors have one thread each, and all requests have one executor
            throw new IllegalArgumentException("fibry.requests.strategy must not be threads: Tomcat has"
                    + " threads of its own; choose fibers or pool, or leave the property out");
        }
        var executor = strategy.asideOf("fibry.requests", requests.poolThreads()).executorFor("requests");
        return tomcat -> tomcat.addProtocolHandlerCustomizers(protocol -> protocol.setExecutor(executor));
    }
}
