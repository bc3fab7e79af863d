package io.fibry.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestExecutionListeners;
import org.springframework.test.context.TestExecutionListeners.MergeMode;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of actors that are beans. The scope of the program has a {@link io.fibry.time.ManualTime}, which is a bean as well, and after
 * each test {@link io.fibry.test.ScopeAssertions#assertNothingLost} looks at all scopes that are beans.
 *
 * <pre>{@code
 * @FibryTest
 * @ContextConfiguration(classes = Orders.class)
 * class OrdersTest {
 *     @Autowired
 *     private ManualTime time;
 *
 *     @Test
 *     void anOrderExpires(@Autowired @NamedActor("orders") Actor<Order, Boolean> orders) {
 *         …
 *         time.advance(Duration.ofDays(1));
 *     }
 * }
 * }</pre>
 *
 * <p>By itself the annotation loads the classes that are named, and the scope with what the properties ask of it, and nothing else of
 * Spring Boot. Beside {@code @SpringBootTest} it changes the whole program in the same way. If something was lost, the test fails, and
 * the next one gets a new context.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration
@TestExecutionListeners(listeners = NothingLostListener.class, mergeMode = MergeMode.MERGE_WITH_DEFAULTS)
public @interface FibryTest {
    /**
     * Whether each test fails that has lost a message, or that leaves a timer, a job or an open ask. Switch it off for programs whose
     * actors have timers all the time.
     *
     * @return true to look after each test
     */
    boolean nothingLost() default true;
}
