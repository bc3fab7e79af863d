package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Gate;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Errors say what is wrong, with whom, the value, and what would be right. */
class ErrorTextsTest {
    private static final Duration NEGATIVE = Duration.ofSeconds(-1);

    private final ActorScope scope = ActorSystem.open("orders");
    private final Actor<Integer, Integer> actor = scope.named("ledger").newActorWithReturn((Integer n) -> n);

    @AfterEach
    void close() {
        scope.close();
    }

    private static void illegal(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(parts);
    }

    @Test
    void aNameThatIsTaken() {
        illegal(() -> scope.named("ledger").newActor((Integer n) -> {
        }), "'ledger'", "'orders'", "another name");
    }

    @Test
    void aScopeThatIsClosed() {
        scope.close();
        assertThatThrownBy(() -> scope.anonymous().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class).hasMessageContainingAll("'orders'", "closed");
    }

    @Test
    void codeThatAStoppedActorDoesNotAccept() {
        actor.close();
        assertThatThrownBy(() -> actor.execute(() -> {
        })).isInstanceOf(RejectedExecutionException.class).hasMessageContainingAll("'ledger'", "STOPPED",
                "its mailbox is unbounded", "give the code to an actor that goes on");
    }

    @Test
    void codeForWhichAMailboxHasNoRoom() throws Exception {
        var full = scope.named("full").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                .newActor((Integer n) -> {
                });
        try (var gate = Gate.in(full)) {
            assertThat(full.sendMessage(1)).isTrue();
            assertThatThrownBy(() -> full.execute(() -> {
            })).isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll("'full'", "BUSY", "capacity=1", "more room");
            gate.open();
        }
    }

    @Test
    void aStateThatIsNull() {
        @SuppressWarnings("NullAway") // as a program without null checks may do it
        Actor<Integer, Integer> without = scope.named("empty").<Object>state(() -> null)
                .newActorWithReturn((Object state, Integer n) -> n);
        assertThatThrownBy(() -> without.apply(1)).hasMessageContainingAll("'empty'", "is null",
                "return a state");
    }

    @Test
    void aCycleOfTwo() {
        var other = new AtomicReference<Actor<Integer, Integer>>();
        Actor<Integer, Integer> ann = scope.named("ann")
                .newActorWithReturn((Integer n) -> n == 0 ? 0 : other.get().apply(n));
        other.set(scope.named("bob").newActorWithReturn((Integer n) -> ann.apply(n - 1)));
        for (int i = 0; i < 20; i++) { // the two actors may run on one stack, or on two
            assertThatThrownBy(() -> ann.apply(1)).rootCause().isInstanceOf(AskCycleException.class)
                    .hasMessageContainingAll("would wait for itself", "'ann'", "'bob'", "use sendMessage");
        }
    }

    @Test
    void numbersOutOfTheirRange() {
        illegal(() -> CreationStrategy.pool(0), "threads", "from 1 to 32767", "0");
        illegal(() -> CreationStrategy.pool(40_000), "threads", "from 1 to 32767", "40000");
        illegal(() -> CreationStrategy.pool(-3), "threads", "-3");
        illegal(() -> MailboxPolicy.bounded(0, OverflowPolicy.block()), "capacity", "at least 1", "0");
        illegal(() -> MailboxPolicy.bounded(5, OverflowPolicy.block()).highWater(6), "highWater", "5", "6");
        illegal(() -> MailboxPolicy.bounded(5, OverflowPolicy.block()).highWater(0), "highWater", "0");
        illegal(() -> ActorSystem.root().sendOrKeep(ActorName.of("nobody"), 1, -1), "keep", "negative", "-1");
    }

    @Test
    void timesThatAreNegativeOrZero() {
        illegal(() -> OverflowPolicy.block(NEGATIVE), "timeout", "negative", "PT-1S");
        illegal(() -> actor.ask(1, NEGATIVE), "timeout", "PT-1S");
        illegal(() -> actor.ask(1, Duration.ZERO), "timeout", "more than zero");
        illegal(() -> actor.stop(NEGATIVE), "deadline", "PT-1S");
        illegal(() -> actor.waitForExit(NEGATIVE), "timeout", "PT-1S");
        illegal(() -> scope.stop(NEGATIVE), "deadline", "PT-1S");
        illegal(() -> ActorSystem.configure("x").closeTimeout(NEGATIVE), "timeout", "PT-1S");
    }

    @Test
    void timesOfTimersAndReceives() {
        var inside = scope.anonymous().<Integer>newActor((context, n) -> {
            illegal(() -> context.timers().once("key", NEGATIVE, 1), "delay", "PT-1S");
            illegal(() -> context.timers().fixedDelay("key", Duration.ZERO, 1), "period", "more than zero");
            illegal(() -> context.timers().fixedRate("key", Duration.ZERO, 1), "period", "more than zero");
            illegal(() -> Schedule.once(Duration.ofDays(1)).times(1).startingAfter(NEGATIVE),
                    "delay",
                    "PT-1S");
            illegal(() -> Schedule.fixedRate(Duration.ofDays(1)).times(0), "at least once", "0");
            illegal(() -> ActorSystem.anonymous().stopWhenIdle(Duration.ZERO), "quiet", "more than zero");
        });
        inside.sendMessageReturn(1).join();
        Actor<Integer, Void> receiving = scope.anonymous().newReceivingActor((context, n) -> illegal(
                () -> context.receive(m -> true, NEGATIVE), "timeout", "PT-1S"));
        receiving.sendMessageReturn(1).join();
    }

    @Test
    void theLongestTimesMeanForEver() {
        var forEver = Duration.ofSeconds(Long.MAX_VALUE);
        actor.ask(1, forEver).join();
        actor.stop(forEver);
        actor.waitForExit(forEver);
        scope.stop(forEver);
    }
}
