package io.fibry.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** However long the states of keys take to close, no more of them are open than the limit allows. */
class KeyedLimitTest {
    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final int FAIL = 0;

    private final ManualTime time = new ManualTime(Instant.EPOCH, Patience.LIMIT);
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch mayClose = new CountDownLatch(1);

    private final class State implements AutoCloseable {
        private final IntConsumer whenClosed;

        State(IntConsumer whenClosed) {
            this.whenClosed = whenClosed;
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
        }

        @Override
        public void close() {
            whenClosed.accept(open.get());
            open.decrementAndGet();
        }
    }

    private void closeLate(int open) {
        closing.countDown();
        try {
            Waits.on(mayClose);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private StatefulKeyedActors<Integer, State, Integer, Integer> actors(ActorScope scope, int limit,
            boolean makesRoom, IntConsumer whenClosed) {
        var limited = scope.anonymous().onFailure(FailurePolicy.stop()).keyed((Integer n) -> n).idle(IDLE)
                .atMost(limit);
        return (makesRoom ? limited.makeRoom() : limited).newActorsWithReturn(key -> new State(whenClosed),
                (state, n) -> {
                    if (n == FAIL) {
                        throw new IllegalStateException("as the test wants it");
                    }
                    return n;
                });
    }

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, event -> {
        }, time);
    }

    /** The sender does not wait, although the new actor does. */
    private void assertWaits(CompletableFuture<Integer> answer, int limit) throws Exception {
        Waits.on(closing);
        assertThat(answer).isNotDone();
        assertThat(open).hasValue(limit);
        mayClose.countDown();
        Waits.on(answer);
        assertThat(most).hasValue(limit);
    }

    @Promise("21.3")
    @EveryStrategy
    void aNewKeyWaitsForTheCloseOfTheIdleOneThatMakesRoom(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actors = actors(scope, 2, true, this::closeLate);
            Waits.on(actors.sendMessageReturn(1));
            Waits.on(actors.sendMessageReturn(2));
            Waits.until("both are idle",
                    () -> actors.find(1).orElseThrow().state() == io.fibry.ActorState.IDLE
                            && actors.find(2).orElseThrow().state() == io.fibry.ActorState.IDLE);
            assertWaits(actors.sendMessageReturn(3), 2);
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void aNewKeyWaitsForTheCloseOfOneThatHasBeenIdleForLong(Strategy strategy) throws Exception {
        for (var makesRoom : new boolean[]{false, true}) {
            new KeyedLimitTest().waitsForOneThatWasIdle(strategy, makesRoom);
        }
    }

    private void waitsForOneThatWasIdle(Strategy strategy, boolean makesRoom) throws Exception {
        try (var scope = scope(strategy)) {
            var actors = actors(scope, 1, makesRoom, this::closeLate);
            Waits.on(actors.sendMessageReturn(1));
            Waits.until("it stops", () -> {
                time.advance(IDLE);
                return closing.getCount() == 0;
            });
            assertWaits(actors.sendMessageReturn(2), 1);
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void aNewKeyWaitsForTheCloseOfOneThatHasFailed(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actors = actors(scope, 1, false, this::closeLate);
            Thread.startVirtualThread(() -> actors.sendMessage(FAIL));
            Waits.on(closing);
            assertWaits(actors.sendMessageReturn(2), 1);
        }
    }

    @Promise("21.3")
    @EveryStrategy
    void statesThatTakeLongToCloseAreNeverMoreThanTheLimit(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actors = actors(scope, 2, true, before -> {
                for (int i = 0; i < 10; i++) {
                    Thread.yield();
                }
            });
            for (int key = 1; key < 200; key++) {
                var mine = key;
                assertThat(Waits.on(actors.sendMessageReturn(key))).isEqualTo(key);
                Waits.until("it is idle", () -> actors.find(mine)
                        .map(actor -> actor.state() != io.fibry.ActorState.BUSY).orElse(true));
            }
            assertThat(most.get()).isLessThanOrEqualTo(2);
            actors.close();
            assertThat(actors.live()).isZero();
            assertThat(open).hasValue(0);
        }
    }

    /** The state that closes asks the key whose actor waits for the close. */
    @Promise({"11.1", "21.3"})
    @EveryStrategy
    void aCloseThatAsksTheKeyThatWaitsForItIsRefused(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var seen = new CompletableFuture<Throwable>();
            var asked = new CompletableFuture<StatefulKeyedActors<Integer, State, Integer, Integer>>();
            var actors = actors(scope, 1, true, before -> {
                closeLate(before);
                try {
                    asked.join().sendMessageReturn(2).get();
                    seen.complete(new AssertionError("it was answered"));
                } catch (ExecutionException | InterruptedException | AskCycleException e) {
                    seen.complete(e);
                }
            });
            asked.complete(actors);
            Waits.on(actors.sendMessageReturn(1));
            Waits.until("it is idle",
                    () -> actors.find(1).orElseThrow().state() == io.fibry.ActorState.IDLE);
            var answer = actors.sendMessageReturn(2);
            Waits.on(closing);
            mayClose.countDown();
            assertThat(Waits.on(seen)).isInstanceOf(AskCycleException.class);
            assertThat(Waits.on(answer)).isEqualTo(2);
        }
    }
}
