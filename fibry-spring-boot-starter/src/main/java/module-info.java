import org.jspecify.annotations.NullMarked;

/**
 * Actors in programs of Spring Boot.
 *
 * <pre>{@code
 * @Bean
 * @NamedActor("orders")
 * Actor<Order, Receipt> orders(ActorScope scope, Shop shop) {
 *     return scope.named("orders").newActorWithReturn(shop::handle);
 * }
 * }</pre>
 *
 * <p>The module configures itself: see {@link io.fibry.spring.NamedActor} and {@link io.fibry.spring.ActorScopeCustomizer}.
 * The page {@code docs/spring.md} in the source repository has more.
 */
@NullMarked
module io.fibry.spring {
    requires transitive io.fibry;
    requires org.slf4j;
    requires spring.beans;
    requires spring.boot;
    requires spring.boot.autoconfigure;
    requires spring.context;
    requires spring.core;
    // Classes of Spring Boot have its annotations.
    requires static com.fasterxml.jackson.annotation;
    // What is used if the program has it.
    requires static io.fibry.inside;
    requires static io.fibry.micrometer;
    requires static io.fibry.opentelemetry;
    requires static io.fibry.test;
    requires static micrometer.core;
    requires static org.apache.tomcat.embed.core;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static spring.boot.health;
    requires static spring.boot.tomcat;
    requires static spring.boot.web.server;
    requires static org.junit.jupiter.api;
    requires static spring.test;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.spring;
    exports io.fibry.spring.test;

    // Spring makes the beans.
    opens io.fibry.spring;
    opens io.fibry.spring.test;
}
