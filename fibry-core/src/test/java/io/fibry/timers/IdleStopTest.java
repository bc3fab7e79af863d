package io.fibry.timers;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.message.DeferredReply;
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
import java.util.concurrent.ConcurrentHashMap;
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
                assertThat(scope.find(ActorName.of("tom"))).isEmpty();
                assertThat(time.pending()).isZero();
                assertThat(events.of(Stopped.class)).last().isEqualTo(new Stopped("tom", Reason.IDLE));
                assertThat(actor.sendMessage(1)).isFalse();
            }
        }
    }

    /** Advances the clock, and checks that the actors stop after the quiet time and not before. */
    private void stopAfterTheQuietTime(List<Actor<?, ?>> actors) {
        for (int second = 1; second < QUIET.toSeconds(); second++) {
            time.advance(Duration.ofSeconds(1));
            for (var actor : actors) {
                settle(actor);
                assertThat(actor.state()).as("after %s s", second).isEqualTo(ActorState.IDLE);
            }
        }
        time.advance(Duration.ofSeconds(1));
        actors.forEach(Waits::stopped);
    }

    @Promise({"20.8", "34.7"})
    @EveryStrategy
    void theQuietTimeBeginsWithTheLastReplyThatTheActorOwes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var open = new ConcurrentHashMap<String, DeferredReply<String>>();
            var actor = scope.anonymous().stopWhenIdle(QUIET)
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        open.put(message, context.deferReply());
                        return null;
                    });
            var keyed = scope.anonymous().keyed((String message) -> message).idle(QUIET)
                    .newActorsWithReturnFrom(
                            key -> (ActorContext<String, String> context, String message) -> {
                                open.put(message, context.deferReply());
                                return null;
                            });
            var first = actor.sendMessageReturn("first");
            var last = actor.ask("last", QUIET.multipliedBy(3).plusSeconds(5));
            var ofKey = keyed.sendMessageReturn("key");
            Waits.until("all are deferred", () -> open.size() == 3);
            settle(actor);
            time.advance(QUIET.multipliedBy(2));
            assertThat(open.get("first").complete("done")).isTrue();
            assertThat(Waits.on(first)).isEqualTo("done");
            time.advance(QUIET.plusSeconds(5)); // the time limit of the last ask is over now
            assertThat(Waits.failure(last)).isInstanceOf(AskTimeoutException.class);
            assertThat(open.get("key").complete("done")).isTrue();
            assertThat(Waits.on(ofKey)).isEqualTo("done");
            stopAfterTheQuietTime(List.of(actor, keyed.find("key").orElseThrow()));
        }
    }

    @Promise("20.8")
    @EveryStrategy
    void aReplyThatIsCompletedOnceMoreDoesNotDelayTheStop(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events, time)) {
            var open = new ConcurrentHashMap<String, DeferredReply<String>>();
            var actor = scope.anonymous().stopWhenIdle(QUIET)
                    .newActorWithReturn((ActorContext<String, String> context, String message) -> {
                        open.put(message, context.deferReply());
                        return null;
                    });
            var answer = actor.sendMessageReturn("a");
            Waits.until("it is deferred", () -> open.containsKey("a"));
            assertThat(open.get("a").complete("done")).isTrue();
            assertThat(Waits.on(answer)).isEqualTo("done");
            settle(actor);
            time.advance(QUIET.minusSeconds(1));
            assertThat(open.get("a").complete("once more")).isFalse();
            time.advance(Duration.ofSeconds(1));
            Waits.stopped(actor);
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
    @Promise("20.8")
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
        try (var scope = ActorSystem.open("test")) {
            var builder = scope.anonymous().stopWhenIdle(QUIET);
            assertThatThrownBy(() -> builder.newReceivingActor((context, message) -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("receive with a time limit");
        }
    }
}
