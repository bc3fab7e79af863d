package io.fibry.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * A JUnit test that runs under many {@linkplain TestSchedule schedules}. Each run is a test of its own, with its own instance
 * of the class; the first one that fails, also before or after the method, is the last one. The method may have a parameter
 * of type {@link TestSchedule}.
 *
 * <pre>{@code
 * @ActorTest(seeds = 1_000)
 * void noDepositIsLost(TestSchedule schedule) throws Exception {
 *     var account = schedule.scope().anonymous().state(Balance::new).newActorWithReturn(Balance::handle);
 *     ...
 * }
 * }</pre>
 *
 * <p>The method runs on a thread of the schedule; methods like {@code @BeforeEach} do not, and no schedule runs then.
 * A failure tells its seed. The system property {@code fibry.seed} replays it: {@code mvn test
 * -Dtest=BankTest#noDepositIsLost -Dfibry.seed=17}. An assumption of JUnit that does not hold skips the run.
 *
 * <p>While a schedule runs, it takes over the whole library: if JUnit runs tests in parallel, no other test runs beside
 * the class of this one.
 */
@Documented
@TestTemplate
@ResourceLock(Resources.GLOBAL)
@ExtendWith(ActorTestExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface ActorTest {
    /**
     * How many schedules to run.
     *
     * @return the number, at least 1
     */
    int seeds() default 100;
}
