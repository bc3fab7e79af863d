package io.fibry.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.spring.NamedActor;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;

@FibryTest
@ContextConfiguration(classes = FibryTestTest.Offers.class)
class FibryTestTest {
    @Configuration(proxyBeanMethods = false)
    static class Offers {
        @Bean
        @NamedActor("offer")
        Actor<String, String> offer(ActorScope scope) {
            return scope.named("offer")
                    .<String, String>newActorWithReturn((context, message) -> switch (message) {
                        case "offer" -> {
                            context.timers().once("end", Duration.ofDays(1), "expire");
                            yield "offered";
                        }
                        default -> message;
                    });
        }
    }

    @Autowired
    private ManualTime time;

    @Autowired
    private ActorScope scope;

    @Test
    @Promise("59.9")
    void theScopeHasAClockThatStandsStill(@Autowired @NamedActor("offer") Actor<String, String> offer) {
        assertThat(scope.time()).isSameAs(time);
        assertThat(offer.apply("offer")).isEqualTo("offered");
        assertThat(scope.dump().scope().shown()).as("the timer waits").anySatisfy(
                actor -> assertThat(actor.timers()).isEqualTo(1));
        time.advance(Duration.ofDays(1)); // else the timer is left, and the test fails
    }

    /** Not the context of this class, whose messages are looked after as well. */
    @Configuration(proxyBeanMethods = false)
    static class Nothing {
    }

    /** A test that is run by hand. */
    interface ByHand {
        void lose();
    }

    private static void loseIn(ActorScope scope) {
        var actor = scope.named("closed").newActor((String any) -> {
        });
        actor.close();
        actor.sendMessage("lost");
    }

    @FibryTest
    @ContextConfiguration(classes = Nothing.class)
    static class Losing implements ByHand {
        @Autowired
        private ActorScope scope;

        @Override
        public void lose() {
            loseIn(scope);
        }

        /** With {@code @Nested}, JUnit would run it, too. */
        class Inner implements ByHand {
            @Autowired
            private ActorScope innerScope;

            @Override
            public void lose() {
                loseIn(innerScope);
            }
        }
    }

    /** The same, but nobody looks. */
    @FibryTest(nothingLost = false)
    @ContextConfiguration(classes = Nothing.class)
    static class Careless extends Losing {
    }

    private static void play(ByHand test) throws Exception {
        var manager = new TestContextManager(test.getClass());
        manager.prepareTestInstance(test);
        play(test, manager);
    }

    private static void play(ByHand test, TestContextManager manager) throws Exception {
        var method = ByHand.class.getDeclaredMethod("lose");
        manager.beforeTestMethod(test, method);
        test.lose();
        manager.afterTestMethod(test, method, null);
    }

    @Test
    @Promise("59.9")
    void aTestThatLosesAMessageFailsAndTheNextOneGetsANewContext() throws Exception {
        var first = new Losing();
        assertThatThrownBy(() -> play(first)).isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("messages lost in scope 'application': 1",
                        "actor 'closed' did not get a message of java.lang.String: STOPPED");
        assertThat(first.scope.onStopped()).isDone();
        var second = new Losing();
        assertThatThrownBy(() -> play(second)).isInstanceOf(AssertionError.class)
                .hasMessageContaining("messages lost in scope 'application': 1");
        assertThatCode(() -> play(new Careless())).doesNotThrowAnyException();
    }

    /** As with {@code @TestInstance(PER_CLASS)}. */
    @Test
    @Promise("59.9")
    void theNextTestOfTheSameInstanceGetsTheScopeOfTheNewContext() throws Exception {
        var test = new Losing();
        var manager = new TestContextManager(Losing.class);
        manager.prepareTestInstance(test);
        assertThatThrownBy(() -> play(test, manager)).isInstanceOf(AssertionError.class);
        var first = test.scope;
        assertThatThrownBy(() -> play(test, manager)).isInstanceOf(AssertionError.class)
                .hasMessageContaining("messages lost in scope 'application': 1");
        assertThat(test.scope).isNotSameAs(first);
    }

    /** Spring gives it the configuration of the class around it. */
    @Test
    @Promise("59.9")
    void aTestOfAnInnerClassThatLosesAMessageFails() {
        assertThatThrownBy(() -> play(new Losing().new Inner())).isInstanceOf(AssertionError.class)
                .hasMessageContaining("messages lost in scope 'application'");
    }
}
