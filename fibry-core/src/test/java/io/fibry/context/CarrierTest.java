package io.fibry.context;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.Stereotypes;
import io.fibry.testing.BlockVariable;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CarrierTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.fibry");

    private final ThreadLocal<String> user = new ThreadLocal<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void readTheLog() {
        log.start();
        LOGGER.addAppender(log);
        LOGGER.setAdditive(false);
    }

    @AfterEach
    void leaveTheLog() {
        LOGGER.detachAppender(log);
        LOGGER.setAdditive(true);
        user.remove();
    }

    private static Runnable fails() {
        throw new IllegalStateException("on purpose");
    }

    @Promise("23.5")
    @EveryStrategy
    void oneThatThrowsHurtsNobodyAndIsReportedOnce(Strategy strategy) throws Exception {
        for (var broken : List.<ContextCarrier>of(
                () -> {
                    throw new StackOverflowError("on purpose");
                },
                () -> null,
                () -> CarrierTest::fails,
                () -> () -> null,
                () -> () -> CarrierTest::fails)) {
            log.list.clear();
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).carry(broken)
                    .carry(ContextCarrier.of(user)).carry(broken).open()) {
                var actor = scope.anonymous().newActorWithReturn((String message) -> user.get());
                user.set("alice");
                for (int n = 0; n < 3; n++) {
                    assertThat(actor.sendMessage("x")).isTrue();
                    assertThat(Waits.on(actor.sendMessageReturn("x"))).isEqualTo("alice");
                }
                actor.close();
                assertThat(actor.counters().handled()).isEqualTo(6);
                assertThat(log.list).as("once for each of the two").hasSize(2)
                        .allSatisfy(line -> assertThat(line.getFormattedMessage()).contains("context carrier",
                                broken.getClass().getName()));
            }
        }
    }

    @Promise("23.5")
    @EveryStrategy
    void neitherDoesOneThatIsToRunTheHandler(Strategy strategy) throws Exception {
        var tenant = new BlockVariable.Made();
        var calls = new AtomicInteger();
        for (var broken : List.of(
                ContextCarrier.scoped(() -> {
                    throw new StackOverflowError("on purpose");
                }, () -> "x", (value, code) -> code.run()),
                ContextCarrier.<String>scoped(() -> true, () -> {
                    throw new IllegalStateException("on purpose");
                }, (value, code) -> code.run()),
                ContextCarrier.scoped(() -> true, () -> "x", (value, code) -> {
                    throw new IllegalStateException("on purpose");
                }),
                ContextCarrier.scoped(() -> true, () -> "x", (value, code) -> {
                }),
                ContextCarrier.scoped(() -> true, () -> "x", (value, code) -> {
                    code.run();
                    code.run();
                }),
                ContextCarrier.scoped(() -> true, () -> "x", (value, code) -> {
                    code.run();
                    throw new IllegalStateException("on purpose");
                }),
                ContextCarrier.scoped(() -> true, () -> "x", (value, code) -> {
                    CompletableFuture.runAsync(code).join();
                }))) {
            calls.set(0);
            log.list.clear();
            try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(event -> {
            }).carry(broken).carry(tenant.carrier()).carry(broken).open()) {
                var actor = scope.anonymous().newActorWithReturn((String message) -> {
                    calls.incrementAndGet();
                    if (message.equals("throw")) {
                        throw new IllegalArgumentException("the handler's own");
                    }
                    return tenant.value();
                });
                for (int i = 0; i < 3; i++) {
                    assertThat(Waits.on(tenant.where("alice", () -> actor.sendMessageReturn("x"))))
                            .isEqualTo("alice");
                    assertThat(Waits.failure(tenant.where("alice", () -> actor.sendMessageReturn("throw"))))
                            .isInstanceOf(IllegalArgumentException.class);
                }
                actor.close();
                assertThat(calls).hasValue(6);
                assertThat(actor.counters().handled()).isEqualTo(3);
                assertThat(actor.counters().failed()).isEqualTo(3);
                assertThat(log.list).as("once for each of the two").hasSize(2)
                        .allSatisfy(line -> assertThat(line.getFormattedMessage()).contains("context carrier",
                                getClass().getName()));
            }
        }
    }

    @Promise("23.5")
    @Test
    void theRootScopeCarriesForActorsThatAreMadeMeanwhile() throws Exception {
        user.set("alice");
        try (var before = ActorSystem.anonymous().newActorWithReturn((String message) -> "" + user.get())) {
            var carrying = ActorSystem.carry(ContextCarrier.of(user));
            try (var during = ActorSystem.anonymous().newActorWithReturn((String message) -> "" + user.get());
                    var scope = ActorSystem.open("inside")) {
                assertThat(Waits.on(during.sendMessageReturn("x"))).isEqualTo("alice");
                assertThat(Waits.on(before.sendMessageReturn("x"))).isEqualTo("null");
                var inside = scope.anonymous().newActorWithReturn((String message) -> "" + user.get());
                assertThat(Waits.on(inside.sendMessageReturn("x"))).isEqualTo("alice");
                var once = new CompletableFuture<String>();
                Stereotypes.def().runOnce(() -> once.complete(user.get()));
                assertThat(Waits.on(once)).isEqualTo("alice");
            } finally {
                assertThat(carrying.cancel()).isTrue();
            }
            assertThat(carrying.cancel()).isFalse();
            try (var after =
                    ActorSystem.anonymous().newActorWithReturn((String message) -> "" + user.get())) {
                assertThat(Waits.on(after.sendMessageReturn("x"))).isEqualTo("null");
            }
        }
    }

    @Promise("23.1")
    @Test
    void workersHaveThatOfWhoGaveTheWork() throws Exception {
        try (var scope = ActorSystem.configure("test").carry(ContextCarrier.of(user)).open()) {
            user.set("alice");
            var once = new CompletableFuture<String>();
            var workers = Stereotypes.with(scope.anonymous())
                    .workers((String message) -> once.complete(user.get()));
            workers.sendMessage("x");
            assertThat(Waits.on(once)).isEqualTo("alice");
        }
    }

    /** What is told to what was captured. */
    private record Told(List<String> told) implements ContextCarrier, ContextCarrier.Captured {
        @Override
        public Captured capture() {
            return this;
        }

        @Override
        public Runnable restore() {
            return () -> {
            };
        }

        @Override
        public Runnable restore(Handling handling) {
            told.add(handling.actor().orElse("none") + " " + (handling.isAsk() ? "ask" : "tell"));
            assertThat(handling.handler().getName()).startsWith(CarrierTest.class.getName());
            return restore();
        }
    }

    @EveryStrategy
    void aCarrierLearnsWhatIsHandled(Strategy strategy) throws Exception {
        var told = new CopyOnWriteArrayList<String>();
        try (var scope =
                ActorSystem.configure("shop").strategy(strategy.create()).carry(new Told(told)).open()) {
            var till = scope.named("till").newActorWithReturn((String each) -> each);
            till.sendMessage("tea");
            till.apply("tea");
            till.execAsync(() -> {
            });
            till.execAndWait(() -> {
            });
            scope.anonymous().newActorWithReturn((String each) -> each).apply("tea");
            assertThat(told).containsExactly("till tell", "till ask", "till tell", "till ask", "none ask");
            var clock = scope.named("clock").<String>newActor((context, each) -> {
                if (each.equals("set")) {
                    context.timers().once("t", Duration.ZERO, "tick");
                }
            });
            clock.sendMessage("set");
            Waits.until("the timer's message is handled", () -> told.size() == 7);
            assertThat(told.subList(5, 7)).containsExactly("clock tell", "clock tell");
        }
    }
}
