package io.fibry.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Names an actor that is a bean, and chooses it where it is injected. Spring compares the types of messages and answers as well.
 *
 * <pre>{@code
 * @Bean
 * @NamedActor("orders")
 * Actor<Order, Void> orders(ActorScope scope) {
 *     return scope.named("orders").newActor((Order order) -> book(order));
 * }
 *
 * @RestController
 * class Shop {
 *     Shop(@NamedActor("orders") Actor<Order, Void> orders) {
 *         …
 *     }
 * }
 * }</pre>
 *
 * <p>A bean without this annotation is found by its bean name. If a program does not start because there is no such actor, the failure
 * lists the names that there are, with their types.
 */
@Documented
@Inherited
@Qualifier @Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD, ElementType.TYPE,
    ElementType.ANNOTATION_TYPE})
public @interface NamedActor {
    /**
     * The name of the actor.
     *
     * @return the name
     */
    String value();
}
