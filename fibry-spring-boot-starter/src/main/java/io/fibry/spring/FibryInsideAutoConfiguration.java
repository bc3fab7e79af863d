package io.fibry.spring;

import io.fibry.inside.Inside;
import java.util.Objects;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The live page. */
@AutoConfiguration(after = FibryAutoConfiguration.class)
@ConditionalOnProperty("fibry.inside.port")
class FibryInsideAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Inside.class)
    static class Page {
        @Bean
        @ConditionalOnMissingBean
        Inside fibryInside(FibryProperties properties) {
            var inside = Inside.open(
                    Objects.requireNonNull(properties.inside().port(), "fibry.inside.port has no value"));
            LoggerFactory.getLogger(Inside.class).info("look inside: {}", inside.address());
            return inside;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.fibry.inside.Inside")
    static class NoPage {
        NoPage() {
            throw new IllegalStateException(
                    "fibry.inside.port is set, but the live page is not on the class path:"
                            + " add the dependency io.fibry:fibry-inside, or remove the property");
        }
    }
}
