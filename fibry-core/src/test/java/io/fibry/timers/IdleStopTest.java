package io.fibry.timers;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class IdleStopTest {
    private static final Duration QUIET = Duration.ofSeconds(10);
    private static final List<MailboxPolicy> MAILBOXES =
            List.of(MailboxPolicy.unbounded(), MailboxPolicy.bounded(8, OverflowPolicy.block()));

    private final ManualTime time = new ManualTime();
    private final Recorder events = new Recorder();

    private void settle(Actor<?, ?> actor) {
        soon().until(() -> actor.state() != ActorState.BUSY && actor.state() != ActorState.STOPPING);
    }

    @Promise("20.8")
    @EveryStrategy
    void anActorThatHasNothingToDoStopsAfterThatTimeAndNotBefore(Strategy strategy) throws Exception {
        for (var mailbox : MAILBOXES) {
            var hooks = new AtomicInteger();
            try (var scope = Scopes.on(strategy, events, time)) {
                var actor =
                        scope.named("tom").mailbox(mailbox).stopWhenIdle(QUIET).onExit(hooks::incrementAndGet)
                                .newActor((Integer n) -> {
                                });
                time.advance(Duration.ofSeconds(9));
                Waits.on(actor.sendMessageReturn(1));
                settle(actor);
                time.advance(Duration.ofSeconds(9)); // the timer has fired and was set for the rest
                settle(actor);
                assertThat(actor.state()).isEqualTo(ActorState.IDLE);
                assertThat(time.pending()).isEqualTo(1);
                time.advance(Duration.ofSeconds(1));
                Waits.stopped(actor);
                assertThat(hooks).hasValue(1);
                assertThat(scope.find("tom")).isEmpty();
                assertThat(time.pending()).isZero();
                assertThat(events.of(Stopped.class)).last().isEqualTo(new Stopped("tom", Reason.IDLE));
                assertThat(actor.sendMessage(1)).isFalse();
            }
        }
    }

    @Promise("20.8")
    @EveryStrategy
    void whatRunsIsNotIdleHoweverLongItTakes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var actor = scope.anonymous().stopWhenIdle(QUIET).newActor((Integer n) -> {
            });
            try (var gate = Gate.in(actor)) {
                time.advance(Duration.ofMinutes(1));
                assertThat(actor.state()).isEqualTo(ActorState.BUSY);
                gate.open();
            }
            settle(actor);
            time.advance(Duration.ofSeconds(9));
            settle(actor);
            assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            time.advance(Duration.ofSeconds(1));
            Waits.stopped(actor);
        }
    }

    @Promise("20.8")
    @EveryStrategy
    void theTicksOfItsTimersKeepItBusy(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var ticks = new AtomicInteger();
            var actor = scope.anonymous().stopWhenIdle(QUIET).<String>newActor((context, message) -> {
                ticks.incrementAndGet();
                context.timers().once("key", Duration.ofSeconds(6), "tick");
            });
            actor.sendMessage("tick");
            for (int i = 1; i <= 5; i++) {
                var expected = i;
                soon().until(() -> ticks.get() == expected);
                settle(actor);
                time.advance(Duration.ofSeconds(6));
            }
            assertThat(events.of(Stopped.class)).isEmpty();
        }
    }

    /** Real time: senders meet the end at all its steps. */
    @Promise("20.9")
    @EveryStrategy
    void noMessageIsLostWhereSendingMeetsTheIdleStop(Strategy strategy) throws Exception {
        var rounds = 60;
        for (var mailbox : MAILBOXES) {
            var handled = new AtomicInteger();
            var accepted = new AtomicInteger();
            try (var scope = Scopes.on(strategy)) {
                var random = new SplittableRandom(7);
                for (int round = 0; round < rounds; round++) {
                    var pause = 900_000 + random.nextInt(400_000);
                    var actor = scope.anonymous().mailbox(mailbox).stopWhenIdle(Duration.ofMillis(1))
                            .newActor((Integer n) -> handled.incrementAndGet());
                    Senders.run(2, sender -> {
                        LockSupport.parkNanos(pause);
                        for (int n = 0; n < 3; n++) {
                            accepted.addAndGet(actor.sendMessage(n) ? 1 : 0);
                        }
                    });
                    Waits.stopped(actor);
                    assertThat(actor.counters().total()).isEqualTo(6);
                }
                var counters = scope.counters();
                assertThat(counters.handled()).isEqualTo(handled.get());
                // Accepted by an actor whose end it could not see yet is undelivered, and told.
                assertThat(counters.handled() + counters.undelivered()).isEqualTo(accepted.get());
                assertThat(counters.total()).isEqualTo(6L * rounds);
            }
        }
    }

    @Test
    void receivingActorsDecideThemselves() {
        try (var scope = ActorScope.open("test")) {
            var builder = scope.anonymous().stopWhenIdle(QUIET);
            assertThatThrownBy(() -> builder.newReceivingActor((context, message) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("receive with a time limit");
        }
    }
}
