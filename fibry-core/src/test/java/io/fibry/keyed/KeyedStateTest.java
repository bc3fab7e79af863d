package io.fibry.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Keyed actors that each have a state. */
class KeyedStateTest {
    private static final Duration IDLE = Duration.ofMinutes(1);

    private record Booking(String account, int amount) {
    }

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private final class Ledger implements AutoCloseable {
        private final String account;
        private int sum;

        Ledger(String account) {
            this.account = account;
            seen.add("open " + account);
        }

        int add(Booking booking) {
            if (booking.amount() == 0) {
                throw new IllegalArgumentException("as wanted");
            }
            sum += booking.amount();
            return sum;
        }

        @Override
        public void close() {
            seen.add("close " + account + " " + sum);
        }
    }

    private static int sum(StatefulKeyedActors<String, Ledger, Booking, ?> ledgers, String key)
            throws Exception {
        Future<Integer> sum = ledgers.execFutureWithState(key, ledger -> ledger.sum);
        return Waits.on(sum);
    }

    @Promise("33.9")
    @EveryStrategy
    void eachKeyHasAStateAsLongAsItHasAnActor(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.configure().strategy(strategy.create()).time(time).open()) {
            var ledgers =
                    scope.anonymous().onFailure(FailurePolicy.restart()).keyed(Booking::account).idle(IDLE)
                            .newActors(Ledger::new, (context, ledger, booking) -> ledger.add(booking));
            assertThat(seen).isEmpty();
            ledgers.sendMessage(new Booking("ann", 1));
            ledgers.sendMessage(new Booking("bob", 5));
            ledgers.sendMessage(new Booking("ann", 2));
            assertThat(sum(ledgers, "ann")).isEqualTo(3);
            assertThat(sum(ledgers, "bob")).isEqualTo(5);
            ledgers.sendMessage(new Booking("ann", 0));
            assertThat(sum(ledgers, "ann")).as("after a restart").isZero();
            assertThat(ledgers.execWithState("cid", ledger -> ledger.sum = 9)).as("a key without an actor")
                    .isTrue();
            assertThat(sum(ledgers, "cid")).isEqualTo(9);
            assertThat(seen).containsExactlyInAnyOrder("open ann", "open bob", "close ann 3", "open ann",
                    "open cid");
            time.advance(IDLE);
            Waits.until("no key has an actor", () -> ledgers.live() == 0);
            assertThat(sum(ledgers, "bob")).as("a new actor").isZero();
            ledgers.close();
            assertThat(seen).filteredOn(each -> each.startsWith("open")).hasSize(5);
            assertThat(seen).filteredOn(each -> each.startsWith("close")).hasSize(5);
        }
    }

    @Promise("33.9")
    @EveryStrategy
    void keyedActorsWithAStateAnswer(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var ledgers = scope.anonymous().keyed(Booking::account).idle(IDLE)
                    .newActorsWithReturn(Ledger::new, Ledger::add);
            assertThat(Waits.on(ledgers.sendMessageReturn(new Booking("ann", 4))).intValue()).isEqualTo(4);
            assertThat(Waits.failure(ledgers.sendMessageReturn(new Booking("ann", 0))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(Waits.on(ledgers.sendMessageReturn(new Booking("ann", 4)))).isEqualTo(8);
            ledgers.close();
            assertThat(ledgers.execWithState("ann", ledger -> seen.add("late"))).isFalse();
            assertThat(Waits.failure(ledgers.execFutureWithState("ann", ledger -> 1)))
                    .isInstanceOf(ActorStoppedException.class);
        }
        assertThat(seen).containsExactly("open ann", "close ann 8");
    }

    @Promise({"33.2", "33.9"})
    @EveryStrategy
    void codeForAKeyIsAwaitedAndHasATimeLimit(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, new Recorder(), time)) {
            var ledgers = scope.anonymous().keyed(Booking::account).idle(IDLE)
                    .newActorsWithReturn(Ledger::new, Ledger::add);
            ledgers.execWithStateAndWait("ann", ledger -> ledger.sum = 3);
            ledgers.execFutureWithState("ann", ledger -> ledger.sum++, IDLE).get();
            assertThat(sum(ledgers, "ann")).isEqualTo(4);
            assertThatThrownBy(() -> ledgers.execWithStateAndWait("ann", ledger -> {
                throw new IllegalArgumentException("as wanted");
            })).isInstanceOf(ExecutionException.class).hasRootCauseMessage("as wanted");
            var cycle = ledgers.<Throwable>execFutureWithState("ann", ledger -> catchThrowable(
                    () -> ledgers.execWithStateAndWait("ann", same -> seen.add("never"))), IDLE);
            assertThat(Waits.on(cycle)).isInstanceOf(AskCycleException.class);
            try (var gate = Gate.in(ledgers.find("ann").orElseThrow())) {
                var late = ledgers.execFutureWithState("ann", ledger -> seen.add("never"),
                        Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(1));
                assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class);
                gate.open();
            }
            ledgers.close();
            assertThatThrownBy(
                    () -> ledgers.execFutureWithState("ann", ledger -> seen.add("never"), IDLE).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ActorStoppedException.class);
            assertThatThrownBy(() -> ledgers.execFutureWithState("ann", ledger -> seen.add("never"),
                    Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(seen).containsExactly("open ann", "close ann 4");
    }

    @Promise({"33.9", "21.3"})
    @Test
    void codeForOneKeyTooManyIsRefused() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var ledgers = scope.anonymous().keyed(Booking::account).idle(IDLE).atMost(1)
                    .newActors(Ledger::new, (context, ledger, booking) -> ledger.add(booking));
            ledgers.sendMessage(new Booking("ann", 1));
            assertThat(ledgers.execWithState("bob", ledger -> seen.add("never"))).isFalse();
            assertThat(Waits.failure(ledgers.execFutureWithState("bob", ledger -> 1)))
                    .isInstanceOf(MailboxFullException.class);
            assertThat(recorder.of(Undelivered.class)).hasSize(2);
        }
    }

    @Promise({"33.4", "33.9"})
    @EveryStrategy
    void theStartOfAKeyBelongsToItsFirstMessage(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        for (var policy : List.of(FailurePolicy.resume(), FailurePolicy.stop(), FailurePolicy.restart())) {
            seen.clear();
            var starts = new AtomicInteger();
            try (var scope = Scopes.on(strategy, recorder)) {
                var ledgers = scope.anonymous().onFailure(policy).onStart(() -> {
                    if (starts.incrementAndGet() == 1) {
                        throw new IllegalStateException("start 1");
                    }
                }).keyed(Booking::account).idle(IDLE)
                        .newActorsWithReturn(Ledger::new, (context, ledger, booking) -> ledger.add(booking));
                assertThat(Waits.failure(ledgers.sendMessageReturn(new Booking("ann", 4))))
                        .hasMessage("start 1");
                assertThat(Waits.on(ledgers.sendMessageReturn(new Booking("ann", 2)))).isEqualTo(2);
                assertThat(Waits.on(ledgers.sendMessageReturn(new Booking("ann", 1)))).isEqualTo(3);
            }
            assertThat(seen).containsExactly("open ann", "close ann 0", "open ann", "close ann 3");
            assertThat(starts).hasValue(2);
        }
        assertThat(recorder.of(Failed.class)).hasSize(3);
    }

    /** The handler of a key that notes its life. */
    private record Clerk(String key, List<String> seen) implements Handler<String>, AutoCloseable {
        Clerk {
            seen.add("made " + key);
        }

        @Override
        public void handle(String message) {
            if (message.equals("fail")) {
                throw new IllegalArgumentException("as wanted");
            }
            seen.add(message);
        }

        @Override
        public void close() {
            seen.add("closed " + key);
        }
    }

    @Promise("33.4")
    @EveryStrategy
    void theHandlerOfAKeyIsMadeBeforeTheHooksForTheStart(Strategy strategy) throws Exception {
        var starts = new AtomicInteger();
        try (var scope = Scopes.on(strategy, new Recorder())) {
            var clerks = scope.anonymous().onFailure(FailurePolicy.restart()).onStart(() -> {
                seen.add("start");
                if (starts.incrementAndGet() == 2) {
                    throw new IllegalStateException("start 2");
                }
            }).<String, String>keyed(message -> "ann").idle(IDLE).newActorsFrom(key -> new Clerk(key, seen));
            List.of("a", "fail", "b").forEach(clerks::sendMessage);
            Waits.until("b was handled", () -> seen.contains("b"));
        }
        assertThat(seen).containsExactly("made ann", "start", "a", "closed ann", "made ann", "start",
                "closed ann", "made ann", "start", "b", "closed ann");
    }

    @Promise("33.8")
    @Test
    void theTimeOfAnIdleKeyIsAnOption() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var actors = scope.named("ledgers").stopWhenIdle(IDLE).keyed(Booking::account);
            assertThatThrownBy(() -> actors.newActorsFrom(key -> (context, booking) -> seen.add(key)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("stopWhenIdle", "'ledgers'", "idle()");
        }
    }
}
