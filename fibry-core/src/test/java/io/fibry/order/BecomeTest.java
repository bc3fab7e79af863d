package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.ReceivingContext;
import io.fibry.event.Failed;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that other handlers take the place of. */
class BecomeTest {
    private static final FailurePolicy RESTART = FailurePolicy.restart(100, Duration.ofMinutes(1));

    private final Recorder recorder = new Recorder();
    private final AtomicReference<CountDownLatch> stuck = new AtomicReference<>(new CountDownLatch(1));

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder);
    }

    private static final class Light implements ContextReplyHandler<String, String>, AutoCloseable {
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public String handle(ActorContext<String, String> context, String message) {
            if (message.equals("switch")) {
                context.becomeWithReturn(Light::green);
            }
            return "red " + message;
        }

        private static String green(ActorContext<String, String> context, String message) {
            switch (message) {
                case "switch" -> context.unbecome();
                case "yellow" -> context.becomeWithReturn((inside, next) -> "yellow " + next);
                case "fail" -> throw new IllegalStateException("as wanted");
                default -> {
                }
            }
            return "green " + message;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Promise("36.5")
    @EveryStrategy
    void theNextMessageGoesToTheNewHandler(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActorWithReturn(new Light());
            assertThat(List.of("a", "switch", "b", "switch", "c", "switch", "yellow", "d"))
                    .extracting(actor::apply)
                    .containsExactly("red a", "red switch", "green b", "green switch", "red c", "red switch",
                            "green yellow", "yellow d");
        }
    }

    @Promise("36.5")
    @EveryStrategy
    void aHandlerThatDoesNotAnswer(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var handled = new CopyOnWriteArrayList<String>();
            ContextHandler<String> second = (context, message) -> {
                handled.add("second " + message);
                context.unbecome();
            };
            var actor = scope.anonymous().newActor((ActorContext<String, Void> context, String message) -> {
                handled.add("first " + message);
                context.become(second);
            });
            List.of("a", "b", "c").forEach(actor::sendMessage);
            actor.execAndWait(() -> {
            });
            assertThat(handled).containsExactly("first a", "second b", "first c");
        }
    }

    @Promise("36.5")
    @EveryStrategy
    void aRestartBringsTheFirstOneBackAndAResumeDoesNot(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var restarted = scope.anonymous().onFailure(RESTART).newActorWithReturn(new Light());
            var resumed = scope.anonymous().newActorWithReturn(new Light());
            for (var actor : List.of(restarted, resumed)) {
                actor.apply("switch");
                assertThat(Waits.failure(actor.sendMessageReturn("fail"))).hasMessage("as wanted");
            }
            assertThat(restarted.apply("a")).isEqualTo("red a");
            assertThat(resumed.apply("a")).isEqualTo("green a");
        }
    }

    @Promise("36.5")
    @EveryStrategy
    void ofAFactoryAndOfAKey(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var made = new CopyOnWriteArrayList<Light>();
            var actor =
                    scope.anonymous().onFailure(RESTART).<String, String>newActorWithReturnFrom(context -> {
                        made.add(new Light());
                        return new Made(made.getLast(), context);
                    });
            var keyed = scope.anonymous().<String, String>keyed(message -> "one").idle(Duration.ofHours(1))
                    .<String>newActorsWithReturnFrom(key -> {
                        made.add(new Light());
                        return made.getLast();
                    });
            assertThat(List.of("a", "switch", "b", "switch", "c")).extracting(actor::apply)
                    .containsExactly("red a", "red switch", "green b", "green switch", "red c");
            actor.apply("switch");
            assertThat(Waits.failure(actor.sendMessageReturn("fail"))).hasMessage("as wanted");
            assertThat(actor.apply("d")).isEqualTo("red d");
            assertThat(made).extracting(light -> light.closed.get()).containsExactly(1, 0);
            assertThat(Waits.on(keyed.sendMessageReturn("switch"))).isEqualTo("red switch");
            assertThat(Waits.on(keyed.sendMessageReturn("e"))).isEqualTo("green e");
            keyed.close();
            actor.close();
            assertThat(made).extracting(light -> light.closed.get()).containsExactly(1, 1, 1);
        }
    }

    /** A handler of a factory, which keeps the context that it was made with. */
    private record Made(Light light,
            ActorContext<String, String> context) implements ReplyHandler<String, String>, AutoCloseable {
        @Override
        public String handle(String message) {
            return light.handle(context, message);
        }

        @Override
        public void close() {
            light.close();
        }
    }

    @Promise("36.5")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void withAStandIn(Strategy strategy) {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().abandonStuck(Duration.ofMinutes(1), Duration.ofMinutes(1)).stash(1)
                    .newActorWithReturn(new Light());
            assertThat(List.of("a", "switch", "b", "switch", "c")).extracting(actor::apply)
                    .containsExactly("red a", "red switch", "green b", "green switch", "red c");
        }
    }

    @Promise({"36.5", "33.4"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anAbandonedHandlerTakesItsSuccessorAwayIfItsStateOrItselfIsMadeAnew(Strategy strategy)
            throws Exception {
        try (var scope = scope(strategy)) {
            ContextReplyHandler<String, String> second = (context, message) -> {
                var mine = stuck.get();
                while (message.equals("stuck") && mine.getCount() > 0) {
                    Thread.onSpinWait();
                }
                return "second";
            };
            ContextReplyHandler<String, String> first = (context, message) -> {
                context.becomeWithReturn(second);
                return "first";
            };
            var builder = scope.anonymous().abandonStuck(Duration.ofMillis(20), Duration.ofMillis(1));
            var plain = builder.newActorWithReturn(first);
            var stateful = builder.state(StringBuilder::new).<String, String>newActorWithReturn(
                    (context, state, message) -> first.handle(context, message));
            var made = builder.<String, String>newActorWithReturnFrom(context -> message -> {
                context.becomeWithReturn(second);
                return "first";
            });
            for (var actor : List.of(plain, stateful, made)) {
                assertThat(List.of("a", "b")).extracting(actor::apply).containsExactly("first", "second");
                stuck.set(new CountDownLatch(1));
                var abandoned = actor.sendMessageReturn("stuck");
                try {
                    assertThat(Waits.failure(abandoned)).isInstanceOf(HandlerAbandonedException.class);
                } finally {
                    stuck.get().countDown();
                }
                assertThat(actor.apply("c")).isEqualTo(actor == plain ? "second" : "first");
            }
        }
    }

    @Promise("36.5")
    @Test
    void whatCannotBeReplacedIsRefused() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var answers = scope.named("answers")
                    .newActorWithReturn((ActorContext<String, String> context, String m) -> {
                        context.become((inside, message) -> {
                        });
                        return m;
                    });
            assertThat(Waits.failure(answers.sendMessageReturn("a")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("become cannot replace the handler of actor 'answers'")
                    .hasMessageContaining("becomeWithReturn for actors that answer");
            var receives = scope.named("receives")
                    .newReceivingActor((ReceivingContext<String> context, String m) -> {
                        context.unbecome();
                    });
            receives.sendMessage("a");
            assertThat(recorder.await(Failed.class, 2).getLast().cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unbecome cannot replace the handler of actor 'receives'");
        }
    }
}
