package io.fibry.cycles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.event.Failed;
import io.fibry.testing.Aside;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;

/** A wait for code that gives way as long as the code is queued. */
class HoldTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();
    private final AtomicInteger runs = new AtomicInteger();

    /** A parent asks its child while the child is held, and the code in the child waits for the parent. */
    @Promise("11.4")
    @EveryStrategy
    void aWaitForCodeThatIsQueuedGivesWayToAnAsk(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the ask is over before the code is given");
        try (var scope = Scopes.on(strategy, events)) {
            var child = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
            var asking = new CountDownLatch(1);
            var ask = new CountDownLatch(1);
            var parent = scope.named("parent").newActorWithReturn((Integer n) -> {
                asking.countDown();
                Waits.on(ask);
                return child.sendMessageReturnWait(n);
            });
            var answer = parent.sendMessageReturn(1);
            Waits.on(asking);
            var held = Aside.run(() -> child
                    .hold(() -> catchThrowable(() -> parent.hold(runs::incrementAndGet, LONG)), LONG));
            Waits.until("the code waits for the parent", () -> parent.mailboxSize() > 0);
            ask.countDown();
            assertThat(Waits.on(answer)).isEqualTo(2);
            assertThat(Waits.on(held)).isInstanceOfSatisfying(AskCycleException.class,
                    e -> assertThat(e.actors()).containsExactlyInAnyOrder("parent", child.name()));
            Waits.on(parent.sendMessageReturn(1));
            assertThat(runs).as("code that has given way").hasValue(0);
        }
        assertThat(events.of(Failed.class)).isEmpty();
    }

    @Promise("11.4")
    @EveryStrategy
    void codeThatHasBegunCannotWaitForItsSender(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var asked = new AtomicReference<Actor<Integer, Integer>>();
            var held = scope.anonymous().newActorWithReturn((Integer n) -> n);
            asked.set(scope.anonymous().newActorWithReturn((Integer n) -> held
                    .hold(() -> asked.get().sendMessageReturnWait(n), LONG)));
            assertThatThrownBy(() -> asked.get().sendMessageReturnWait(1))
                    .hasStackTraceContaining(AskCycleException.class.getName());
            assertThat(Waits.on(held.sendMessageReturn(1))).isEqualTo(1);
        }
    }

    @Promise("11.4")
    @EveryStrategy
    void theOutcomeIsThatOfTheCode(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var actor = scope.anonymous().state(() -> new int[]{3})
                    .newActorWithReturn((int[] state, Integer n) -> state[0] += n);
            assertThat(actor.hasState()).isTrue();
            assertThat(actor.<Integer>holdWithState(state -> state[0]++, LONG)).isEqualTo(3);
            assertThat(actor.apply(0)).isEqualTo(4);
            assertThat(actor.<Integer>hold(() -> null, LONG)).isNull();
            var failure = new IllegalStateException("on purpose");
            assertThatThrownBy(() -> actor.hold(() -> {
                throw failure;
            }, LONG)).isInstanceOf(ExecutionException.class).cause().isSameAs(failure);
            actor.stop(LONG);
            assertThatThrownBy(() -> actor.hold(runs::incrementAndGet, LONG))
                    .hasCauseInstanceOf(ActorStoppedException.class);
            assertThat(runs).hasValue(0);
        }
    }

    @Promise("11.4")
    @EveryStrategy
    void whatEndsTheWaitForQueuedCodeSkipsIt(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() no code waits");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            try (var gate = Gate.in(actor)) {
                var failure = new CompletableFuture<Throwable>();
                var interrupted = Thread.startVirtualThread(
                        () -> failure
                                .complete(catchThrowable(() -> actor.hold(runs::incrementAndGet, LONG))));
                var timed = Aside.run(() -> actor.hold(runs::incrementAndGet, Duration.ofSeconds(1)));
                Waits.until("both wait", () -> actor.mailboxSize() == 2);
                interrupted.interrupt();
                assertThat(Waits.on(failure)).isInstanceOf(InterruptedException.class);
                time.advance(Duration.ofSeconds(1));
                assertThat(Waits.failure(timed)).hasCauseInstanceOf(AskTimeoutException.class);
                gate.open();
            }
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
            assertThat(runs).hasValue(0);
        }
    }

    @Promise("11.4")
    @EveryStrategy
    void codeThatHasBegunIsInterruptedAndAwaited(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the code runs on this thread");
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
            var inside = new CountDownLatch(1);
            var wasInterrupted = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            var outcome = new CompletableFuture<Integer>();
            var caller = Thread.startVirtualThread(() -> {
                try {
                    outcome.complete(actor.hold(() -> {
                        assertThat(catchThrowable(() -> Waits.untilInterrupted(inside, wasInterrupted)))
                                .isInstanceOf(InterruptedException.class);
                        Waits.on(goOn);
                        return runs.incrementAndGet();
                    }, Duration.ofSeconds(1)));
                } catch (Throwable failed) {
                    outcome.completeExceptionally(failed);
                }
            });
            Waits.on(inside);
            time.advance(Duration.ofSeconds(1));
            caller.interrupt();
            Waits.on(wasInterrupted);
            assertThat(outcome).isNotDone();
            goOn.countDown();
            assertThat(Waits.on(outcome)).isEqualTo(1);
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
        }
    }
}
