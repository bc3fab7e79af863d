package io.fibry.abandon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.Watchdog;
import io.fibry.event.Failed;
import io.fibry.event.Stuck;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that may be abandoned, as long as they are not. */
class AbandonableHandlerTest {
    private static final Duration LIMIT = AbandonTest.LIMIT;
    private static final Duration GRACE = AbandonTest.GRACE;

    private final ManualTime time = new ManualTime();
    private final Recorder recorder = new Recorder();
    private final Stubborn stubborn = new Stubborn(time);

    private ActorScope scope(Strategy strategy) {
        return ActorSystem.configure("test").strategy(strategy.create()).time(time).listener(recorder).open();
    }

    private static ActorBuilder abandoning(ActorScope scope, String name) {
        return scope.named(name).abandonStuck(LIMIT, GRACE);
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theContextIsThatOfTheMessage(Strategy strategy) throws Exception {
        var user = new ThreadLocal<String>();
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).time(time)
                .carry(ContextCarrier.of(user)).open()) {
            var actor =
                    abandoning(scope, "tom").newActorWithReturn((Integer n) -> String.valueOf(user.get()));
            user.set("ada");
            var first = actor.sendMessageReturn(1);
            user.remove();
            assertThat(Waits.on(first)).isEqualTo("ada");
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo("null");
        }
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theDeadlineIsThatOfTheAsk(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var inner = new AtomicReference<Object>();
            var other = scope.named("other").newActorWithReturn((context, n) -> context.timeLeft());
            Actor<Integer, List<Object>> actor = abandoning(scope, "tom").newActorWithReturn((context, n) -> {
                inner.set(other.sendMessageReturn(1).get());
                return List.of(context.timeLeft(), context.withoutDeadline(context::timeLeft), inner.get());
            });
            var seconds = Optional.of(Duration.ofSeconds(3));
            assertThat(Waits.on(actor.ask(1, Duration.ofSeconds(3))))
                    .containsExactly(seconds, Optional.empty(), seconds);
            assertThat(Waits.on(actor.sendMessageReturn(1)))
                    .containsExactly(Optional.empty(), Optional.empty(),
                            Optional.empty());
        }
    }

    @Promise({"27.2", "27.6"})
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void anAskWithALimitMayBeOverBeforeItsHandlerIsAbandoned(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); stubborn) {
            var actor = abandoning(scope, "tom").newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    stubborn.stay();
                }
                return n;
            });
            var asked = actor.ask(0, LIMIT.dividedBy(2));
            stubborn.awaitBegun();
            Waits.until("both limits are set", () -> time.pending() == 2);
            time.advance(LIMIT);
            assertThat(Waits.failure(asked)).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("Stubborn.stay");
            stubborn.awaitInterrupt();
            Waits.until("the grace is set", () -> time.pending() == 1);
            time.advance(GRACE);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            assertThat(recorder.only(Failed.class).cause()).isInstanceOf(HandlerAbandonedException.class);
        }
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void itIsInsideItsActor(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var self = new AtomicReference<Actor<Integer, String>>();
            var caller = scope.named("caller").strategy(CreationStrategy.caller())
                    .newActorWithReturn((Integer n) -> self.get().sendMessageReturn(3).get());
            self.set(abandoning(scope, "tom").newActorWithReturn((context, n) -> {
                switch (n) {
                    case 1 -> self.get().apply(2); // waits for itself
                    case 2 -> caller.apply(1); // which waits for this one, on this very stack
                    default -> {
                        context.timers().once("tick", Duration.ofSeconds(1), 9);
                        context.child("kid").newActor((Integer any) -> {
                        });
                        self.get().stop(Duration.ofHours(1)); // from inside: it does not wait
                    }
                }
                return "done";
            }));
            for (int n : new int[]{1, 2}) {
                assertThat(Waits.failure(self.get().sendMessageReturn(n))).hasMessageContaining("'tom'")
                        .satisfies(failure -> assertThat(failure instanceof AskCycleException
                                || failure.getCause() instanceof AskCycleException
                                || failure.getCause().getCause() instanceof AskCycleException).isTrue());
            }
            assertThat(Waits.on(self.get().sendMessageReturn(3))).isEqualTo("done");
            Waits.stopped(self.get());
            assertThat(scope.find(ActorName.of("kid"))).isEmpty();
            assertThat(time.pending()).isZero();
        }
    }

    /** A pool of one thread: who waits has to make room for whom it waits for. */
    @Promise("27.6")
    @Test
    void onAPoolItsWaitsMakeRoom() throws Exception {
        var pool = CreationStrategy.pool(1);
        try (var scope = ActorSystem.configure("test").strategy(pool).open()) {
            var last = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
            var middle = scope.anonymous().abandonStuck(Duration.ofHours(1), GRACE)
                    .newActorWithReturn((Integer n) -> last.sendMessageReturn(n).get() + 1);
            var first = scope.anonymous().abandonStuck(Duration.ofHours(1), GRACE)
                    .newActorWithReturn((Integer n) -> {
                        var other = scope.anonymous().newActor((Integer any) -> {
                        });
                        other.close(); // waits as well
                        return middle.apply(n) + 1;
                    });
            assertThat(Waits.on(first.sendMessageReturn(0))).isEqualTo(3);
        }
    }

    @Promise("27.6")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"THREADS", "FIBERS", "POOL"})
    void theWatchdogSeesWhereItIsStuck(Strategy strategy) throws Exception {
        try (var scope =
                ActorSystem.configure("test").strategy(strategy.create()).time(time).listener(recorder)
                        .watchdog(Watchdog.none().stuckAfter(Duration.ofSeconds(2))).open();
                stubborn) {
            var actor = abandoning(scope, "tom").newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    stubborn.stay();
                }
                return n;
            });
            actor.sendMessage(0);
            stubborn.awaitBegun();
            for (int i = 0; i < 9; i++) {
                Waits.until("the watchdog has looked, and the limit is set", () -> time.pending() == 2);
                time.advance(Duration.ofMillis(500));
            }
            var stuck = recorder.await(Stuck.class);
            assertThat(stuck.stack()).anyMatch(frame -> frame.getMethodName().equals("stay"));
            for (int i = 0; i < 3; i++) {
                Waits.until("the watchdog has looked, and a limit is set", () -> time.pending() == 2);
                time.advance(Duration.ofMillis(500));
            }
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
        }
    }

    @Promise("27.7")
    @Test
    void onThreadsAllIsHandledOnOneThread() throws Exception {
        try (var scope = scope(Strategy.THREADS)) {
            var actor = abandoning(scope, "tom").newActorWithReturn((Integer n) -> Thread.currentThread());
            var first = Waits.on(actor.sendMessageReturn(1));
            for (int i = 0; i < 10; i++) {
                assertThat(Waits.on(actor.sendMessageReturn(i))).isSameAs(first);
            }
            actor.close();
            Waits.on(first);
        }
    }

    @Promise("27.7")
    @Test
    void onFibersAnIdleActorHoldsNoThread() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var actor = abandoning(scope, "tom").newActorWithReturn((Integer n) -> Thread.currentThread());
            Waits.on(Waits.on(actor.sendMessageReturn(1)));
        }
    }

    @Promise("27.7")
    @Test
    void onPoolsAThreadWorksForManyActorsAndEndsWhenItHasNothingToDo() throws Exception {
        try (var scope = scope(Strategy.POOL)) {
            var threads = new CopyOnWriteArrayList<Thread>();
            for (int i = 0; i < 20; i++) {
                var actor = abandoning(scope, "tom" + i)
                        .newActorWithReturn((Integer n) -> threads.add(Thread.currentThread()));
                Waits.on(actor.sendMessageReturn(1));
                actor.close();
            }
            assertThat(threads).noneMatch(Thread::isVirtual);
            assertThat(threads.stream().distinct().count()).isLessThan(20);
            for (var thread : threads) {
                Waits.on(thread);
            }
        }
    }

    @Promise("27.3")
    @Test
    void theHandlerOfAKeyIsLeftToTheOldThread() throws Exception {
        var stubborn = new Stubborn(time, 1); // the key has a timer of its own
        try (var scope = scope(Strategy.FIBERS); stubborn) {
            var made = new CopyOnWriteArrayList<String>();
            KeyedActors<String, Integer, Integer> actor = abandoning(scope, "tom")
                    .keyed((Integer n) -> "key").idle(Duration.ofDays(1)).newActorsWithReturnFrom(key -> {
                        made.add(key);
                        return (context, n) -> {
                            if (n == 0) {
                                stubborn.stay();
                            }
                            return n;
                        };
                    });
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            actor.sendMessage(0);
            stubborn.abandon(LIMIT, GRACE);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            assertThat(made).hasSize(2);
        }
    }

    private static void isRefused(ActorBuilder builder, Consumer<ActorBuilder> making,
            String why) {
        assertThatThrownBy(() -> making.accept(builder)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("abandonStuck").hasMessageContaining("'tom'").hasMessageContaining(why);
    }

    @Promise("27.7")
    @Test
    void whereItCannotWorkTheMakingSaysSo() {
        try (var scope = scope(Strategy.FIBERS)) {
            var builder = abandoning(scope, "tom");
            Consumer<ActorBuilder> plain = any -> any.newActor((Integer n) -> {
            });
            isRefused(builder.strategy(CreationStrategy.caller()), plain, "caller");
            isRefused(builder.strategy(CreationStrategy.of(Runnable::run)), plain, "of(");
            isRefused(builder.strategy(Strategy.OWN.create()), plain, "cannot give up its threads");
            isRefused(builder.strategy(CreationStrategy.limited(CreationStrategy.caller(), 1)), plain,
                    "limited");
            isRefused(builder.runByCallers(), plain, "runByCallers()");
            isRefused(builder, any -> any.newReceivingActor((ReceivingHandler<Integer>) (context, n) -> {
            }), "receives");
            isRefused(builder, any -> any.newReceivingActor((Handler<ReceivingContext<Integer>>) context -> {
            }), "body");
            isRefused(builder, any -> Stereotypes.with(any).workers((Integer n) -> {
            }), "workers");
            isRefused(builder, any -> Stereotypes.with(any).tcpAcceptorSilent(0, connection -> {
            }, null), "server");
            isRefused(builder, any -> Stereotypes.with(any).embeddedHttpServer(0, exchange -> ""), "server");
            isRefused(builder, any -> any.newGroup(GroupPolicy.oneForOne()), "group");
            assertThat(scope.find(ActorName.of("tom"))).isEmpty();
            assertThatThrownBy(() -> scope.anonymous().abandonStuck(Duration.ZERO, GRACE))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("limit");
            assertThatThrownBy(() -> scope.anonymous().abandonStuck(LIMIT, Duration.ofSeconds(-1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("grace");
        }
    }
}
